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
    r"(_(chunk|detached|base|flat|flattened|sum|summed|mean|avg|olds?|news?|ref|reference|policy|all|t|"
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
_ADVANTAGE = r"adv(s|ants?|antages?)?"


def _spread_of(topic: str) -> str:
    """`reward_std`, `std_grouped_rewards`, `group_std_reward`."""
    return rf"(^|_){_STD}_(\w+_)?{topic}$|(^|_){topic}_(\w+_)?{_STD}$"


_LOGSCALE = _fact(ranges.REAL, Kind.LOGSCALE, huge=_NAMED)

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
        r"log_((new|old|cur|current)_)?polic(y|ies)|"
        rf"logp[a-z]?s?|lps?){_WHICH}$",
        _fact(ranges.NONPOSITIVE, Kind.LOGPROB),
    ),
    _word(
        rf"(^|_)(log_?(likelihoods?|liks?)|loglik(elihood)?s?|logliks?){_WHICH}$",
        _fact(ranges.REAL, Kind.LOGPROB),
    ),
    _word(
        r"(^|_)(log_?((std|sd|sigma|var|variance|alpha|scale|st(d_?)?dev|lagrange|multiplier|lambda|"
        r"beta|eta)s?|"
        r"temp(erature)?)|(std|sigma|var|alpha|scale)_log)_?\d?$|"
        r"(^|_)log_?var(iance)?s?_(p|q|x|z|hat|pred|prior|post|posterior)$",
        _LOGSCALE,
    ),
    # What the entropy is worth to a policy that learns it, too.
    _word(
        r"^_*(log_?(ent(ropy)?_?)?(coef|coeff)|log_?ent(ropy)?_?weight|\w+_(coef|coeff)_log)$",
        _LOGSCALE,
        setting=False,
    ),
    _word(r"(^|_)logits?$", _fact(ranges.REAL, Kind.LOGITS)),
    _word(
        rf"(^|_)(probs?|probas?|probabilit(y|ies)|softmax_out(put)?s?){_WHOSE}$",
        _fact(ranges.UNIT, Kind.PROB, zero=_NAMED),
    ),
    _word(r"^probabilit(y|ies)_[a-z_]+$", _fact(ranges.UNIT, Kind.PROB, zero=_NAMED)),
    _word(r"(^|_)likelihoods?$", _fact(ranges.NONNEGATIVE, Kind.PROB, zero=_NAMED)),
    # What is padded holds something that is not, and who acts can do something. Over a loss the
    # same name is given to the mask of an answer, which may be empty: what is divided will tell.
    _word(
        r"(^|_)(attention|attn|non_?pad|pad|padding|padded|src|source|input|inputs|enc|encoder)"
        r"_masks?$",
        _fact(ranges.UNIT, Kind.MASK | Kind.PADS, zero=_NAMED),
    ),
    _word(
        r"(^|_)paddings$",
        _fact(ranges.UNIT, Kind.MASK | Kind.PADS, zero=_NAMED),
        setting=False,
    ),
    _word(
        r"(^|_)((legal|valid|val|avail|available|allowed)_(actions?|moves?)(_masks?)?|avail_masks?)$",
        _fact(ranges.UNIT, Kind.MASK | Kind.PADS),
    ),
    _word(r"(^|_)masks?(_([a-z]|batch|flat)|_?\d)?$", _fact(ranges.UNIT, Kind.MASK, zero=_NAMED)),
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
    _word(r"(^|_)iqrs?$", _fact(ranges.NONNEGATIVE, Kind.SPAN, zero=_NAMED)),
    # Of a matrix one row of which may well be empty: an adjacency, a confusion.
    _word(r"(^|_)(row|col|column)_?sums?$", _fact(ranges.NONNEGATIVE, Kind.SUM, zero=_NAMED)),
    _word(r"^snrs?$", _fact(ranges.NONNEGATIVE, Kind.NONE, zero=_NAMED)),  # of noise alone: 0
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
    # a rotation is of length 1, and a ray goes somewhere.
    _word(
        r"(^|_)(hidden_states?(_\d+)?|scale_tril|rots?|quats?|quaternions?|"
        r"(view|rays?)_?(d|dirs?|directions?))$",
        _fact(ranges.REAL, Kind.DRAWN),
        setting=False,
    ),
    _word(r"(^|_)(targets?|labels?)$", Fact(grad=False), setting=False),  # data: nothing learns it
    _word(
        r"^(ratio|(prob|probability|policy|importance|is|density|likelihood)_ratios?)$",
        _fact(ranges.NONNEGATIVE, Kind.RATIO),
    ),
    _word(r"(^|_)kls?$", _fact(ranges.REAL, Kind.KL)),
    # The schedules of diffusion models are laid out so that noise and signal never vanish.
    _word(
        r"^(gamma|g)_(s|t|0|1|t_?\d|min|max)$|^gammas?$|(^|_)log_?snr(_\w+)?$",
        Fact(Range(-15.0, 15.0)),
        setting=False,
    ),
    # Predicted noise is as random as the noise that is predicted.
    _word(
        r"(^|_)(noise_(pred|cfg|residual)(_\w+)?|(pred|predicted)_noise)$",
        Fact(kinds=Kind.DRAWN, ground=Evidence.PROVEN),
        setting=False,
    ),
    # What a network gives is neither 0 nor constant, whatever its elements are.
    _word(
        r"^embedded(_\w+)?$|(^|_)(embeds?|embs?|embeddings?|feats?|features?|hiddens?|hidden_states?|latents?|"
        r"activations?|model_outputs?|qs|"
        r"q_?(values?|vals?)|q\d|q\d?_(new|pi|policy|next|cur|current|target|pred)(_actions?)?)$",
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
_RUNNING = re.compile(
    r"(^|_)(rms|running_(mean_std|stats?))(_state)?$"
)  # a constant observation brings its variance to 0, in time
_POSTERIOR = re.compile(r"(^|_)(posterior|gp|mvn|predictive)(_|$)")
# What a posterior leaves of a prior's variance is a difference: of either sign once it is rounded.
_LEFT_OVER = _fact(ranges.REAL, Kind.VAR | Kind.CANCELLED)

_WEIGHT = Fact(kinds=Kind.DRAWN)  # of a layer, and drawn at random once


# Where settings are kept.
_SETTINGS = re.compile(r"^(\w+_)?(args|cfg|config|hparams|hps|opts?|options|flags|settings)$")
CHOSEN = Fact(ranges.POSITIVE, ground=_NAMED, grad=False)


def tells_of_setting(name: str) -> bool:
    """Whether a value of this name is one that somebody chose: `min_prob`."""
    return _SETTING.search(snake(name)) is not None


def is_setting(name: str, owner: str) -> bool:
    """Whether an attribute was chosen by somebody, who chose no 0: `args.temperature`."""
    told = named(name)
    return _SETTINGS.search(snake(owner)) is not None and not told.kinds and not told.zero


# What an algorithm is tuned by, where its constructor is handed it.
_KNOB = re.compile(
    r"^_*(beta|tau|gamma|discount|expectile|lam|lmbda|lambda|"
    r"(\w+_)?(inv(erse)?_)?temp(erature)?|adv(antage)?_scale)_?$"
)
KNOB = Fact(grad=False)


def is_knob(name: str) -> bool:
    return _KNOB.search(snake(name)) is not None


def named_attribute(name: str, owner: str = "") -> Fact:
    """The same of an attribute: a distribution keeps its own spread positive."""
    if name == "variance" and _POSTERIOR.search(snake(owner)):
        return _LEFT_OVER
    if named(name) is UNKNOWN and is_setting(name, owner):
        return CHOSEN
    if name == "grad":
        return Fact(grad=False)  # what is stored there nobody differentiates again
    if name == "weight":
        return _WEIGHT
    told = named(name)
    # `self.reward_std` that nothing here computes is a setting.
    own_setting = owner == "self" and told.is_any(Kind.STD | Kind.VAR)
    if name not in _KEPT and not own_setting:
        return told
    running = told.is_any(Kind.VAR) and _RUNNING.search(snake(owner))
    measured = running or _MEASURED.search(snake(owner))
    return replace(told, zero=_NAMED if measured else Evidence.NONE)


def is_epsilon(name: str) -> bool:
    return named(name) is EPSILON


# `adam_eps` is the optimizer's, `clip_eps` no epsilon at all; `eps` is there for whoever needs one.
_ANYBODYS_EPSILON = re.compile(
    r"^_*((div|denom|num|numeric(al)?|stab(le|ility)?|safe(ty)?|small|machine|default)_)?"
    r"(eps|epsilon|tiny)(_(div|denom|num|numeric(al)?|stab\w*|safe\w*|small))*\d?$"
)


def is_epsilon_for_anything(name: str) -> bool:
    return is_epsilon(name) and _ANYBODYS_EPSILON.search(snake(name)) is not None
