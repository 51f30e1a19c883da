"""Labels: what a name tells of a value in one place only, of which `names` says nothing.

Under a log a `power` is that of a signal, under a root a `distance` is one; a sum over `num_pos` is
an average. Anywhere else these names are anybody's.
"""

from __future__ import annotations

import re

from epslint.analysis.fact import Kind
from epslint.analysis.words.names import snake

# -- under a log -----------------------------------------------------------------------------------

_POWER = re.compile(
    r"(^|_)(mags?|magnitudes?|powers?|power_spec\w*|spec|specs|spectrums?|spectra|spectrograms?|psd|"
    r"mels?|mel_(spec\w*|outputs?)|energ(y|ies)|amplitudes?|fbanks?|filter_?banks?)(_(x|y|hat))?$"
)
# What is a log already, and the energies of physics.
_NO_POWER = re.compile(r"(^|_)(log\w*|ln|db|free|potential|kinetic|total|delta)(_|$)")


_FILTERS = re.compile(
    r"(^|_)(mel|mels|fbanks?|filter_?banks?|triangular)(_|$)|(^|_)mel(basis|mat|filters?)"
)


def tells_of_filter_bank(name: str) -> bool:
    return _FILTERS.search(snake(name)) is not None


_PREDICTION = re.compile(
    r"^(y_)?(preds?|predictions?|predicted|hat)$|(^|_)(y_pred|y_hat)s?$|"
    r"^(y|d|disc|discrim(inator)?|validity)_(fake|real|out|outputs?)$|"
    r"(^|_)(policy|policies)(_dist(ribution)?s?)?$|"
    r"(^|_)(pair_?wise_)?(ious?|iou_(matrix|scores?)|dice_scores?|jaccards?)$"
)


def tells_of_prediction(name: str) -> bool:
    """Whether a value of this name is what was predicted, or how far it overlaps with the truth:
    whose log is taken is in [0, 1], and 0 where nothing was right.
    """
    return _PREDICTION.search(snake(name)) is not None


def tells_of_power(name: str) -> bool:
    """Whether a value of this name is the strength of a signal, which is 0 in silence."""
    words = snake(name)
    return _POWER.search(words) is not None and _NO_POWER.search(words) is None


# -- under a root ----------------------------------------------------------------------------------

_DISTANCE = re.compile(
    r"(^|_)(dists?|distances?|sqdists?|(sq|squared|square)_(dists?|distances?)|"
    r"(dists?|distances?)_?(sq|sqr|squared|2)|d2|r2)(_[a-z]{1,3})?$"
)


def tells_of_distance(name: str) -> bool:
    return _DISTANCE.search(snake(name)) is not None


_VARIANCE = re.compile(r"(^|_)(vars?|variances?|sigma_?(2|sq|squared))(_[a-z]{1,5})?$")


def tells_of_variance(name: str) -> bool:
    return _VARIANCE.search(snake(name)) is not None


# -- beside a log-probability ----------------------------------------------------------------------

_REFERENCE = re.compile(r"^(old|ref|reference|behaviou?r|prev|previous)$")


def tells_of_reference(name: str) -> bool:
    """Whether a value of this name is what another is compared to."""
    return _REFERENCE.search(snake(name)) is not None


# -- under a sum -----------------------------------------------------------------------------------

_THINGS = r"(pos|positives?|fgs?|foregrounds?|valid|masked|unmasked|matched|neighbou?rs)"
_COUNTED = re.compile(
    rf"(^|_)((num|n|nb|number_of|total|count)_(\w+_)?{_THINGS}(_\w+)?|"
    r"valid_(tokens|counts?|num|steps)|(masks?|valid|pos|tokens?|targets?)_(counts?|total))$"
)
_SUMMED = re.compile(
    r"(^|_)(denom|denominators?|(masks?|valid|pos|targets?)_sums?|(total|sum|summed)_(masks?|valid))$"
)
_WEIGHED = re.compile(
    r"(^|_)(weights?_sums?|(total|sum|summed)_weights?|sum_of_weights|weighted_(num|count)(_\w+)?)$"
)
# What a function that reduces is handed it cannot know; elsewhere it has been kept from 0 before.
_FACTOR = re.compile(r"(^|_)(avg_factor|average_factor|normali[sz]ers?|normali[sz]ation_factor)$")
_REDUCING = re.compile(r"^(?!_|test_)(\w+_)?(reduce\w*|reduction|mean|average|avg|aggregate)(_|$)")


def tells_of_reduction(function: str) -> bool:
    """Whether a function of this name makes one number of many, for anybody."""
    return _REDUCING.search(snake(function)) is not None


_WEIGHT = re.compile(r"(^|_)(weights?|w)$")


def tells_of_weight(name: str) -> bool:
    return _WEIGHT.search(snake(name)) is not None


def counted_by_name(name: str, function: str) -> Kind:
    """What sums are divided by that has this name, if it may be 0; in a function of that name."""
    words = snake(name)
    if _COUNTED.search(words):
        return Kind.COUNT
    factor = _FACTOR.search(words) and tells_of_reduction(function)
    summed = _SUMMED.search(words) or tells_of_weights_summed(name)
    return Kind.SUM if factor or summed else Kind.NONE


def tells_of_weights_summed(name: str) -> bool:
    """Whether a value of this name is the sum of weights, which others choose: all of them 0 is an
    example that does not count.
    """
    return _WEIGHED.search(snake(name)) is not None


_GATHERING = re.compile(r"(^|_)(reduce|gather|sync|psum|all_reduce)(_|$)")


def tells_of_gathering(function: str) -> bool:
    """Whether a function of this name gives what it is given, of all processes: `reduce_mean`."""
    return _GATHERING.search(snake(function)) is not None


_LOSS = re.compile(
    r"(^|_)(loss|losses|kls?|nll|ce|bce|xent|entropy|objective|surr\d?|surrogate)(_|$)"
)


def tells_of_term_of_loss(name: str) -> bool:
    """Whether a value of this name is a loss, or what losses are summed of: a KL, an entropy."""
    return _LOSS.search(snake(name)) is not None


_SUM = re.compile(r"(^|_)sums?$|^sum_")


def tells_of_sum(name: str) -> bool:
    """Whether a value of this name was summed: `error_sum`, `sum_of_squares`."""
    return _SUM.search(snake(name)) is not None


_INTERSECTION = re.compile(r"(^|_)(inters?|intersects?|intersections?|overlaps?)(_[a-z]{1,4})?$")
_UNION = re.compile(r"(^|_)unions?(_[a-z]{1,4})?$")


def is_union_by_name(above: str, below: str) -> bool:
    """Whether names tell that this is what two have in common, over all that they have."""
    common, whole = _INTERSECTION.search(snake(above)), _UNION.search(snake(below))
    return common is not None and whole is not None


_TRUE_VALUE = re.compile(r"(^|_)(targets?|labels?|true|truth|gt|refs?|reference|actuals?|y)(_|$)")


def tells_of_true_value(name: str) -> bool:
    """Whether a value of this name is what was measured, and is to be predicted."""
    return _TRUE_VALUE.search(snake(name)) is not None


_AIMED_AT = re.compile(
    r"^(y|y_true|(\w+_)?one_?hot(_(targets?|labels?))?|((soft|hard|true|smooth\w*)_)?(targets?|labels?)(_(pis?|probs?|policy|dist))?|"
    r"(target|true|mcts)_(pis?|probs?|policy|dist\w*))$"
)


def tells_of_distribution_aimed_at(name: str) -> bool:
    """Whether a value of this name is what probabilities are to become: labels, one for each."""
    return _AIMED_AT.search(snake(name)) is not None


_MEASUREMENT = re.compile(r"(^|_)(targets?|true|truth|gt|actuals?|y)$")


def tells_of_measurement(name: str) -> bool:
    """The same, where the name is about nothing else: a `target_size` is none."""
    return _MEASUREMENT.search(snake(name)) is not None


_INDICATOR = re.compile(
    r"(^|_)(targets?|labels?|gts?|ground_truth|y_true|truth|rel|relevan(t|ce)|positives?|pos|valid|"
    r"observed|visib(le|ility)|hits?|match(es|ed)|foreground|fg|dones?|terminals?|terminated|events?|"
    r"active|alive|is_[a-z]+|mask_preds?)$"
)


def tells_of_indicator(name: str) -> bool:
    """Whether a value of this name says where something is, by ones among zeros."""
    return _INDICATOR.search(snake(name)) is not None


# -- between the smallest and the largest ----------------------------------------------------------

LOWEST = re.compile(r"(^|_)(min|minimum|mins|q01|low|lower)(_|$)")
HIGHEST = re.compile(r"(^|_)(max|maximum|maxs|q99|high|upper)(_|$)")


def tells_of_extreme(name: str) -> bool:
    words = snake(name)
    return LOWEST.search(words) is not None or HIGHEST.search(words) is not None


_MEASURED = re.compile(
    r"(^|_)(stats?|statistics|moments?|buffers?|norms?|normali[sz]\w*|min_?max|scalers?)(_|$)"
)


def tells_of_statistics(name: str) -> bool:
    """Whether something of this name holds what was measured of data."""
    return _MEASURED.search(snake(name)) is not None
