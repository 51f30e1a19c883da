"""What a name tells: the weakest evidence there is, and the last one asked.

The names are those the field writes. A setting (`dropout_prob`, `init_std`, `mask_ratio`) is a
constant that somebody chose, so the words of settings silence a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from epslint.analysis import ranges
from epslint.analysis.fact import UNKNOWN, Evidence, Fact, Kind, replace
from epslint.analysis.ranges import Range

_NAMED = Evidence.NAMED

# Words that say which one it is, not what it is: `pi_logprobs_chunk`, `log_ratio_mean_per_seq`.
_WHICH = (
    r"(_(chunk|detached|base|flat|flattened|sum|summed|mean|avg|old|new|ref|reference|policy|all|t|"
    r"tensor|seq|sequence|batch|local|masked|shifted|[a-z]{1,3}|per_[a-z]+|\d+))*"
)

# The same of probabilities, of which a sum or a mean is none.
_WHOSE = (
    r"(_(a|b|p|q|s|t|i|j|old|new|cur|ref|prev|pos|neg|real|fake|chosen|rejected|teacher|student|all|"
    r"target|flat|batch|\d+))?"
)

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# Words of settings: what is chosen is positive by its meaning.
_SETTING = re.compile(
    r"(^|_)(drop|dropout|droppath|keep|init|initial|target|noise|min|max|clip|threshold|thresh|"
    r"coef|coeff|coefficient|weight|lambda|rate|ratio_clip|token(?!_(log|lp|probs|masks?$))|"
    r"id|ids|idx|index|dim|fn|func|type|mode|name|key|path|file|shape|size|len|length|config|cfg|"
    r"layer|norm_type|fill|value|jitter|augment|flip|swap|teacher_forcing|pixel|image|img|"
    r"imagenet|rgb|dataset|parallel|tp|dp|pp|cp|ep|norm_degree|num|prior)(_|$)"
)


@dataclass(frozen=True, slots=True)
class _Word:
    pattern: re.Pattern[str]
    fact: Fact
    setting: bool = True  # whether the words of settings silence it


def _word(pattern: str, fact: Fact, *, setting: bool = True) -> _Word:
    return _Word(re.compile(pattern), fact, setting)


def _fact(
    range_: Range,
    kinds: Kind,
    *,
    zero: Evidence = Evidence.NONE,
    huge: Evidence = Evidence.NONE,
) -> Fact:
    return Fact(range=range_, kinds=kinds, ground=_NAMED, zero=zero, huge=huge)


# What switches gradients off, as a context or a decorator.
UNDIFFERENTIATED = frozenset({"no_grad", "inference_mode"})

EPSILON = Fact(range=Range(0.0, 1e-2, lo_open=True), kinds=Kind.EPSILON, ground=_NAMED, grad=False)

_STD = r"(std|stds|stddev|std_dev|stdev)"
_REWARDED = r"(rewards?|rews?|returns?|scores?|groups?|grouped)"
_ADVANTAGE = r"adv(s|antages?)?"


def _spread_of(topic: str) -> str:
    """`reward_std`, `std_grouped_rewards`, `group_std_reward`."""
    return rf"(^|_){_STD}_(\w+_)?{topic}$|(^|_){topic}_(\w+_)?{_STD}$"


ADVANTAGE = _fact(ranges.REAL, Kind.ADVANTAGE | Kind.SIGNED, huge=_NAMED)

# Asked in this order; the first that fits decides.
_WORDS = (
    _word(r"(^|_)(eps|epsilon|tiny|smooth|smoothing|delta_min)\d?(_|$)", EPSILON, setting=False),
    _word(
        r"(^|_)(log_?ratios?|logr|negative_approx_kl|log_?probs?_diff|logp_diff|delta_logp)"
        rf"{_WHICH}$",
        _fact(ranges.REAL, Kind.LOGRATIO, huge=_NAMED),
    ),
    _word(
        rf"(^|_)(neg_?log_?(p|ps|probs?|pacs?)|nll){_WHICH}$",
        _fact(ranges.NONNEGATIVE, Kind.LOGPROB),
    ),
    _word(
        r"(^|_)(log_?(p|ps|pi|pis|probs?|probas?|probabilit(y|ies)|pacs?|prob_[a-z]+)|lprobs?|"
        rf"logp[a-z]?s?|lps?){_WHICH}$",
        _fact(ranges.NONPOSITIVE, Kind.LOGPROB),
    ),
    _word(
        rf"(^|_)(log_?(likelihoods?|liks?)|loglik(elihood)?s?|logliks?){_WHICH}$",
        _fact(ranges.REAL, Kind.LOGPROB),
    ),
    _word(
        r"(^|_)log_?(std|stds|sigma|sigmas|var|vars|variance|alpha|scale|scales|stddev)$",
        _fact(ranges.REAL, Kind.LOGSCALE, huge=_NAMED),
    ),
    _word(r"(^|_)logits?$", _fact(ranges.REAL, Kind.LOGITS)),
    _word(
        rf"(^|_)(probs?|probas?|probabilit(y|ies)|softmax_out(put)?s?){_WHOSE}$",
        _fact(ranges.UNIT, Kind.PROB, zero=_NAMED),
    ),
    _word(r"(^|_)likelihoods?$", _fact(ranges.NONNEGATIVE, Kind.PROB, zero=_NAMED)),
    # What is padded holds something that is not, and who acts can do something. Over a loss the
    # same name is given to the mask of an answer, which may be empty: what is divided will tell.
    _word(
        r"(^|_)(attention|attn|non_?pad|pad|padding|padded|src|source|input|inputs|enc|encoder|"
        r"legal_actions?|available_actions?|avail|avail_actions?)_masks?$",
        _fact(ranges.UNIT, Kind.MASK | Kind.PADS, zero=_NAMED),
    ),
    _word(r"(^|_)masks?$", _fact(ranges.UNIT, Kind.MASK, zero=_NAMED)),
    # A group may score alike. Any other spread that is only known by its name is a setting, or was
    # given its floor where it was made.
    _word(
        _spread_of(_ADVANTAGE),
        _fact(ranges.NONNEGATIVE, Kind.STD | Kind.ADVANTAGE, zero=_NAMED),
        setting=False,
    ),
    _word(
        _spread_of(_REWARDED),
        _fact(ranges.NONNEGATIVE, Kind.STD | Kind.REWARD, zero=_NAMED),
        setting=False,
    ),
    _word(rf"(^|_){_STD}$", _fact(ranges.NONNEGATIVE, Kind.STD)),
    _word(r"(^|_)(variances?|var)$", _fact(ranges.NONNEGATIVE, Kind.VAR, zero=_NAMED)),
    _word(r"(^|_)concentrations?$", Fact(ranges.POSITIVE, ground=_NAMED)),  # a distribution's
    # Of a class that never occurs, or is never predicted, all of them are 0.
    _word(
        r"^(tp|fp|fn|tn|(num_|n_)?(true|false)_(positives?|negatives?|pos|neg))$",
        _fact(ranges.NONNEGATIVE, Kind.COUNT, zero=_NAMED),
        setting=False,
    ),
    _word(
        r"^cos(ines?|_?theta|_?phi)?$|(^|_)cos(ine)?_sim(ilarit(y|ies))?$",
        _fact(ranges.SIGNED_UNIT, Kind.SIGNED),
    ),
    _word(
        r"(^|_)(degs?|degrees?)(_(in|out))?$", _fact(ranges.NONNEGATIVE, Kind.COUNT, zero=_NAMED)
    ),
    # One expert, class or cluster that gets nothing is enough.
    _word(
        r"(^|_)(tokens|samples|counts?|items|load)_per_(expert|group|class|cluster|bin|bucket)$",
        _fact(ranges.NONNEGATIVE, Kind.COUNT, zero=_NAMED),
        setting=False,
    ),
    _word(rf"(^|_){_ADVANTAGE}$", ADVANTAGE, setting=False),
    _word(r"(^|_)(rewards?|returns?|rews?)$", _fact(ranges.REAL, Kind.REWARD), setting=False),
    _word(
        r"(^|_)(ids?|idx|idxs|index|indices|positions?|steps?)$",
        Fact(ranges.NONNEGATIVE, grad=False),
        setting=False,
    ),
    _word(
        r"(^|_)(durs?|durations?)(_(targets?|labels?|out|gt|pred))?$",
        _fact(ranges.NONNEGATIVE, Kind.COUNT),  # in whole frames
    ),
    # What a layer hands to the next is neither 0 nor constant; nor is a row of a triangular root;
    # and a rotation is of length 1.
    _word(
        r"(^|_)(hidden_states?(_\d+)?|scale_tril|rots?|quats?|quaternions?)$",
        _fact(ranges.REAL, Kind.DRAWN),
        setting=False,
    ),
    _word(r"(^|_)(targets?|labels?)$", Fact(grad=False), setting=False),  # data: nothing learns it
    _word(
        r"^(ratio|(prob|probability|policy|importance|is|density|likelihood)_ratios?)$",
        _fact(ranges.NONNEGATIVE, Kind.RATIO),
    ),
    _word(r"(^|_)kls?$", _fact(ranges.REAL, Kind.KL)),
    # What a network gives is neither 0 nor constant, whatever its elements are.
    _word(
        r"^embedded(_\w+)?$|(^|_)(embeds?|embs?|embeddings?|feats?|features?|hiddens?|hidden_states?|latents?|"
        r"activations?|noise_(pred|cfg|residual)(_\w+)?|(pred|predicted)_noise|model_outputs?)$",
        Fact(kinds=Kind.DRAWN),
        setting=False,
    ),
)


def snake(name: str) -> str:
    """`attentionMask` and `ATTENTION_MASK` as `attention_mask`."""
    return _CAMEL.sub("_", name).lower() if not name.isupper() else name.lower()


# Log-probabilities that were stored with a sample, or come from a model that does not learn.
_STORED = re.compile(
    r"(^|_)(old|rollout|ref|reference|behaviou?r|infer|inference|vllm|teacher)(_|$)"
)


@cache
def named(name: str) -> Fact:
    """What a value called this probably is."""
    words = snake(name.rstrip("_"))
    for word in _WORDS:
        if word.pattern.search(words):
            stored = word.fact.is_any(Kind.LOGPROB) and _STORED.search(words)
            told = replace(word.fact, grad=False) if stored else word.fact
            return UNKNOWN if word.setting and _SETTING.search(words) else told
    return UNKNOWN


# What a distribution or whatever normalises keeps of its own it keeps to be divided by; what is
# called statistics is as it was measured.
_KEPT = frozenset({"std", "stddev", "stds", "var", "variance"})
_MEASURED = re.compile(r"(^|_)(stats?|statistics|moments?)$")
_POSTERIOR = re.compile(r"(^|_)(posterior|gp|mvn|predictive)(_|$)")
# What a posterior leaves of a prior's variance is a difference: of either sign once it is rounded.
_LEFT_OVER = _fact(ranges.REAL, Kind.VAR | Kind.CANCELLED)

_WEIGHT = Fact(kinds=Kind.DRAWN)  # of a layer, and drawn at random once


# Where settings are kept.
_SETTINGS = re.compile(r"^(\w+_)?(args|cfg|config|hparams|hps|opts?|options|flags|settings)$")
_CHOSEN = Fact(ranges.POSITIVE, ground=_NAMED, grad=False)


def named_attribute(name: str, owner: str = "") -> Fact:
    """The same of an attribute: a distribution keeps its own spread positive."""
    if name == "variance" and _POSTERIOR.search(snake(owner)):
        return _LEFT_OVER
    if _SETTINGS.search(snake(owner)) and named(name) is UNKNOWN:
        return _CHOSEN
    if name == "grad":
        return Fact(grad=False)  # what is stored there nobody differentiates again
    if name == "weight":
        return _WEIGHT
    told = named(name)
    if name not in _KEPT:
        return told
    return replace(told, zero=_NAMED if _MEASURED.search(snake(owner)) else Evidence.NONE)


_COUNTER = re.compile(r"(^|_)(count|counts|n|num|total|steps?|samples?|seen|counter)$")


def is_counter(name: str) -> bool:
    """Whether something of this name is added to as things go by."""
    return _COUNTER.search(snake(name)) is not None


def tells_of_group(text: str) -> bool:
    """Whether an expression names a group, of which one member is enough: `group_rewards`."""
    return not {"group", "grouped"}.isdisjoint(re.findall(r"[a-z]+", snake(text)))


# `get_std` of a policy is learned, and so is what `get_distribution_stats` gives.
_STATISTIC = re.compile(
    r"^test(_|$)|(^|_)(nan(std|var)|metrics?|running_(mean|std|stats?|moments?|\w*_std))(_|$)|"
    r"(^|_)(compute|reduce|masked|sample)_(std|var)$|"
    r"(^|_)(tensor|global|batch|reward|score|train|eval|grad|summary)_(stats?|statistics?)$|"
    r"^_?(compute|collect|log|get|print|update|gather)_(stats|statistics)$"
)


def tells_of_statistic(name: str) -> bool:
    """Whether a function or class of this name watches numbers that nothing learns through."""
    return _STATISTIC.search(snake(name)) is not None


_REPORTING = re.compile(
    r"^(self_)?(log|log_(dict|metrics?|stats|scalars?)|add_scalars?|add_histogram|logkv(_mean)?|"
    r"record(_mean)?|report|store|print|debug|info|warning|"
    r"(append|update|add)_(metrics?|stats)|(metrics?|stats)_(append|update|add))$"
)
_REPORT = re.compile(
    r"(^|_)(metrics?|stats|statistics|logs?|logger|infos?|writer|wandb|summary|diagnostics|"
    r"reported(_\w+)?|extra_vars)$"
)


@cache
def tells_of_reporting(function: str) -> bool:
    """Whether a function of this name writes numbers down for people."""
    return _REPORTING.search(snake(function)) is not None


@cache
def tells_of_report(name: str) -> bool:
    """Whether something of this name holds what is written down for people."""
    return _REPORT.search(snake(name)) is not None


_SKIPPING_NAN = re.compile(r"^nan_?(mean|sum|min|max|std|var|median|prod|quantile|percentile)$")


@cache
def tells_of_skipping_nan(function: str) -> bool:
    """Whether a function of this name leaves NaN out: `nanmean`, somebody's own `nanmax`."""
    return _SKIPPING_NAN.search(snake(function)) is not None


INITIALISED = Fact(kinds=Kind.DRAWN, ground=_NAMED)
_INITIALISER = re.compile(
    r"\binitiali[sz]ers\.(?!zeros|ones|constant|identity)\w+$|"
    r"(^|\.)((w|weight|kernel|embedding)_(init|initiali[sz]er)|initiali[sz]er)$"
)


@cache
def tells_of_initialiser(function: str) -> bool:
    """Whether a function gives a layer its first weights, drawn at random."""
    return _INITIALISER.search(function) is not None


_Q, _V = re.compile(r"(^|_)(q|qs|q_?values?|q\d)$"), re.compile(r"(^|_)(v|vs|v_?values?|values?)$")


@cache
def tells_of_advantage(reached: str, expected: str) -> bool:
    """Whether the difference of two values of these names is `Q - V`."""
    q, v = snake(reached), snake(expected)
    return _Q.search(q) is not None and _V.search(v) is not None


_ROUNDING = re.compile(r"(^|_|\.)(floor|round|ceil|quanti[sz]e)(_|\.|$)")


def tells_of_rounding(path: str) -> bool:
    """Whether a function of this name gives whole numbers: `floor_ste.apply`."""
    return _ROUNDING.search(path) is not None


_PERPLEXITY = re.compile(r"(^|_)(ppl|perplex\w*)(_|$)")


def tells_of_perplexity(name: str) -> bool:
    return _PERPLEXITY.search(snake(name)) is not None


_TRUST_REGION = re.compile(r"(^|_)(trpo|natural_(pg|gradient|policy)|line_?search)(_|$)")


def tells_of_trust_region(name: str) -> bool:
    """Whether a function, class or file of this name takes only steps that it has tried."""
    return _TRUST_REGION.search(snake(name)) is not None


_SIGNAL = re.compile(
    r"(^|_)(spec\w*|stft\w*|r?fft\w*|signals?|wave?|wavs|waveforms?|audio|speech|frames?|mel\w*|"
    r"mag|magnitudes?|power|energy|amplitudes?)(_|$)"
)


def tells_of_signal(name: str) -> bool:
    """Whether something of this name is a recording, which is 0 in silence."""
    return _SIGNAL.search(snake(name)) is not None


_MEASURE = re.compile(r"(^|_)(lens?|lengths?|sizes?|shapes?|ids?|counts?|times?)(_|$)")
_PICTURE = re.compile(
    r"(^|_)(images?|imgs?|pictures?|pixels?|heat_?maps?|saliency|attributions?|cam|grayscale|depths?)"
    r"(_|$)"
)


def tells_of_picture(name: str) -> bool:
    """Whether something of this name can be seen, or heard: it may be black, or silent."""
    words = snake(name)
    seen = _PICTURE.search(words) is not None or tells_of_signal(name)
    return seen and _MEASURE.search(words) is None


_WEIGHED = re.compile(r"(^|_)(counts?|n|total|weights?|samples?|seen|sum)$")


def tells_of_weight(name: str) -> bool:
    """Whether a count of this name is one that statistics divide by, not one of steps or tokens."""
    return _WEIGHED.search(snake(name)) is not None


_OWN_LOG = re.compile(
    r"^_*(log_(cdf|ccdf|sf|survival_function|probs?_parameter|of_probs?)|logits(_parameter)?)$"
)


def tells_of_own_log(function: str) -> bool:
    """Whether a method of this name gives the log of what a distribution has: of 0 that is -inf."""
    return _OWN_LOG.search(function) is not None


_WEIGHTS = re.compile(r"(^|_)(weights?|w|probs?|probabilit(y|ies)|dist|distribution|mixture)$")


def tells_of_weights(name: str) -> bool:
    """Whether its elements are shares of something, so that there is a largest one."""
    return _WEIGHTS.search(snake(name)) is not None


_THRESHOLD = re.compile(r"(^|_)(thresh|threshold|tol|tolerance)$")


def tells_of_threshold(name: str) -> bool:
    return _THRESHOLD.search(snake(name)) is not None


def is_epsilon(name: str) -> bool:
    return named(name) is EPSILON
