"""Hints: what a name tells of how a thing is made, meant or used; `names` tells what it is."""

from __future__ import annotations

import re
from functools import cache

from epslint.analysis.fact import Evidence, Fact, Kind
from epslint.analysis.words.names import snake

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
    r"record(_mean)?|add_(info|stats?|metrics?)|report|store|print|debug|info|warning|"
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


INITIALISED = Fact(kinds=Kind.DRAWN, ground=Evidence.NAMED)
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


_SCORE = re.compile(r"(^|_)(log|logits?|scores?|attn|attention|energy|energies)(_|$)|(^|_)logp")


def tells_of_score(name: str) -> bool:
    """Whether a value of this name is the log of a weight, which nothing keeps small."""
    return _SCORE.search(snake(name)) is not None


_MATRIX_PRODUCT = re.compile(
    r"(^|_)((f|h|a|mv)vp|[fha]_?x|fisher(_\w+)?|hessian(_\w+)?|mat_?vec|\w*_?vector_product)(_|$)"
)


def tells_of_matrix_product(function: str) -> bool:
    """Whether a function of this name multiplies a vector by a matrix: `fvp(p)`, `Ax(p)`."""
    return _MATRIX_PRODUCT.search(snake(function)) is not None


_LOADING = re.compile(r"^_*(load|read|prepare|preprocess|build|make)_")


def tells_of_loading(function: str) -> bool:
    """Whether a function of this name brings data that others have gathered."""
    return _LOADING.search(snake(function)) is not None


_TRUST_REGION = re.compile(
    r"(^|[_-])(trpo|trust_region|natural_(pg|gradient|policy)|line_?search)([_-]|$)"
)


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


_BOUND = re.compile(
    r"(^|_)(min|max|low|lower|high|upper|bounds?|limits?|clip(ped)?|clamped|capped|bounded)(_|$)"
)


@cache
def tells_of_bound(name: str) -> bool:
    return _BOUND.search(snake(name)) is not None


_THRESHOLD = re.compile(r"(^|_)(thresh|threshold|tol|tolerance)$")


def tells_of_threshold(name: str) -> bool:
    return _THRESHOLD.search(snake(name)) is not None


_ACTION_SCALE = re.compile(
    r"(^|_)(log_?((std|st(d_?)?dev|sigma|alpha|lagrange|multiplier|lambda|beta|eta)s?\d?|"
    r"temp(erature)?|ent(ropy)?_?(coef|coeff|weight)|coeff?)|(std|sigma)_(params?|log)|coeff?_log)"
    r"(_(?!([st]\d?|bar|prev|cum\w*)$)|$)"  # `log_alpha_t` is the schedule of a diffusion
)


def tells_of_action_scale(name: str) -> bool:
    """Whether a value of this name is how widely a policy draws, or what that is worth to it."""
    return _ACTION_SCALE.search(snake(name)) is not None


LOG_VARIANCE = re.compile(r"log_?var(iance)?")
LOG_DEVIATION = re.compile(r"log_?(std|st(d_?)?dev|sigma)")


def spelled(what: re.Pattern[str], name: str) -> str | None:
    """How a name spells one of these, if it is one."""
    found = what.search(snake(name))
    return None if found is None else found.group()


def bounds_of(word: str, text: str) -> frozenset[str]:
    """Which bounds of something a file has a name for: `min_log_std`, `LOG_STD_MAX`."""
    text = text.lower()
    return frozenset(
        end for end in ("min", "max") if f"{end}_{word}" in text or f"{word}_{end}" in text
    )


_NOISE_LEVEL = re.compile(r"^_*(alpha|sigma)s?(_\w+)?$")
_LOG_OF_FADING = re.compile(r"^_*log_(alpha|sigma)s?\d?_(\w+_)?[st]$")


def tells_of_noise_level(name: str) -> bool:
    """Whether it is how much there is of noise, or is left of a signal, at a step of a schedule."""
    return _NOISE_LEVEL.search(snake(name)) is not None


def tells_of_fading(name: str) -> bool:
    """Whether it is the log of that at time t, or of what is left from s to t: `log_alpha2_t`."""
    return _LOG_OF_FADING.search(snake(name)) is not None


_SPREAD = re.compile(r"(^|_)(sigma|std|stddev)s?$")


def tells_of_spread(name: str) -> bool:
    """Whether it is how widely something is spread: a parameter of that name under exp is a log."""
    return _SPREAD.search(snake(name)) is not None


_PICTURING = re.compile(
    r"(^|_)(plot\w*|draw|visuali[sz]e\w*|render\w*|colou?r_?maps?|colori[sz]e|heat_?maps?|"
    r"(log|show|save|display)_(images?|pictures?|figures?|videos?|samples?|attention)|"
    r"(to|as|make)_(images?|pictures?|rgb|grid))(_|$)"
)


@cache
def tells_of_picturing(function: str) -> bool:
    """Whether a function of this name makes what people look at."""
    return _PICTURING.search(snake(function)) is not None


_SEVERAL = re.compile(r"(^|_)(idxs|inds|indices|indexes|ids|rows|cols|columns|keep|kept|selected)$")
_PLACE = re.compile(r"(^|_)(idx|ind|index|row|col|column)$")
_EACH = re.compile(r"^(batch|sample|example)_")  # one of which there is for every row


def tells_of_several(name: str, *, paired: bool) -> bool:
    """Whether an index of this name chooses some places of many, and perhaps none; where places
    are told by two of them, so may they be in the singular.
    """
    words = snake(name)
    several = _SEVERAL.search(words) is not None or (paired and _PLACE.search(words) is not None)
    return several and _EACH.search(words) is None


# What a float in the place of a whole number would break.
_NEEDING_WHOLE = (
    r"\b(?:range|zeros|ones|empty|full)\([^()\n]*\b{0}\b",
    r"\[[^\[\]\n]*\b{0}\b[^\[\]\n]*\]",
    r"\] *\* *{0}\b|\b{0} *\* *\[",
    r"\{{{0}:[^{{}}\n]*d\}}",
    r"\b{0} *(?:==|!=|%|//|<<|>>)|(?:==|!=|%|//) *{0}\b",
)


def is_needed_whole(path: str, text: str) -> bool:
    """Whether a file needs a count whole: `range(self.count)`, `x[self.count]`, `[0] * self.count`,
    `f"{self.count:d}"`, `self.count == 0`.
    """
    name = re.escape(path)
    return any(re.search(each.format(name), text) for each in _NEEDING_WHOLE)
