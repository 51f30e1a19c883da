"""Words that tell whether a gradient is taken: of functions, classes, files and inputs."""

from __future__ import annotations

import re

from epslint.analysis.fact import Kind
from epslint.analysis.words import names
from epslint.analysis.words.names import snake

_ACRONYM = re.compile(r"(?<=[A-Z])(?=[A-Z][a-z])")

# What is minimised, and what is measured to be.
_LOSS = re.compile(
    r"(^|_)(loss|losses|objectives?|criteri(a|on|ons)|penalt(y|ies)|regulari[sz](e|er|ers|ation)|"
    r"nll|kl|kld|divergence|elbo|surrogate|errors?|rmse|mse|huber|hinge|triplet|contrastive|"
    r"log_probs?|log_likelihood)(_|$)|(^|_)masked_mean$"
)
# Of numbers that are kept or shown: `log_losses`, `loss_history`.
_RECORDED = re.compile(
    r"(^|_)(history|logs|plot|print|format|record|meter|average|avg)(_|$)|(^|_)log_(?!prob|likeli)"
)

# Functions that use what was learned, or prepare what will be learned from.
_USING = re.compile(
    r"^_*(predict|generate|sample|decode|infer|inference|evaluate|eval|validate|validation|test|"
    r"assign|associate|track|plot|visuali[sz]e|extract|collate|"
    r"augment|resample|reset|setup|init|initiali[sz]e|step|act|get_cost|rank|rerank)(_|$)|"
    r"(^|_)(beam|(beam|greedy|prefix|keywords?|tree)_search|autoregressive_sampling)(_|$)"
)
# What is before and after a model; in a file of losses it is in between.
_AROUND = re.compile(r"^_*(preprocess|postprocess|post_process)(_|$)")
_LEARNING_STEP = re.compile(r"(^|_)(train|training|learn|newton|gradient)(_|$)")
# Classes that do the same, by a word of their names.
_USERS = re.compile(
    r"(^|_)(scheduler|tracker|assigner|sampler|processor|warper|extractor|tokenizer|pipeline|env|"
    r"envs|environment|buffer|logger|metric|metrics|evaluator|dataset|loader|dataloader|collator|"
    r"augmentation|callback|optimi[sz]er|bot|solver|corrector|predictor|normali[sz]er|visuali[sz]er|"
    r"resampler?|stft|istft|spectrogram|fbank|rotary|postprocess|preprocess|engine)(_|$)"
)
# Files of either sort, where the functions in them say nothing.
_FILES = re.compile(
    r"(^|[/\\])\w*(assigner|tracker|sampler|scheduler|scheduling|dataset|data_utils|preprocess|"
    r"postprocess|augment|feature_extraction|image_processing|processing|tokenization|pipeline|"
    r"logits_process|convert|inference|generat(e|ion))\w*\.py$|(^|[/\\])(metrics?|evaluation)([/\\]|\.py$)"
)
# Files of what is minimised: whatever is computed there goes into it, helpers too.
_LOSS_FILES = re.compile(r"(^|[/\\])(losses[/\\]\w+|(\w+_)?loss(es)?(_\w+)?)\.py$")
# Places of what is not a library or a bag of all sorts, and functions of what is measured or laid
# out beforehand: where no types say what a function is for, they do.
_PLACES = re.compile(
    r"(^|[/\\])(\w*envs?|environments?|tasks?|datasets?|data|scripts?|examples?|demos?|tools?|bin|"
    r"eval\w*|\w*metrics?|preprocess\w*|benchmarks?|tests?|tutorials?|notebooks?|experiments?|"
    r"visuali[sz]\w*|plot\w*|infer\w*)[/\\]\w+\.py$|"  # the nearest folder: others are anybody's
    r"(^|[/\\])(\w*_)?(utils?|helpers?|misc|common|stats|statistics)\.py$"
)
_ASIDE = re.compile(
    r"(^|_)(rewards?|metrics?|accuracy|stats?|statistics|summary|explained|logs?|logging|report|"
    r"dones?|resets?|obs|observations?|windows?|grids?|mesh|meshgrid|schedules?|betas|timesteps?|"
    r"sinc|anchors?|priors?|weights|init|make|build|create|load|read|save|parse|get|plot|show|draw|"
    r"test|check|assert)(_|$)"
)
# Classes that are formulas, for whoever learns through them.
_FORMULAS = re.compile(
    r"(^|_)(distribution|bijectors?|bijection|kernel|likelihood|manifold|copula|flow)$"
)
# Inputs that nothing was learned for yet.
_DATA = re.compile(
    r"(^|_)(waveforms?|wavs?|audios?|speech|images?|imgs?|pixels?|pixel_values|frames?|"
    r"input_(values|features|ids)|timesteps?|times?|sigmas?|noise|noise_levels?|obs|observations?|"
    r"masks?|lens|lengths|ilens|batch|data|dates|targets?|labels?|gts?|ground_truth|anchors?|priors?|"
    r"bbox|bboxes|boxes|edges?|faces|ids|idx|index|indices|keys?|rng|seed)(_|$)"
)


def _words(name: str) -> str:
    """`RMSELoss` as `rmse_loss`."""
    return snake(_ACRONYM.sub("_", name)).replace("__", "_")


def tells_of_loss(name: str) -> bool:
    words = _words(name)
    return _LOSS.search(words) is not None and _RECORDED.search(words) is None


def tells_of_use(function: str) -> bool:
    """Whether a function of this name uses what was learned: `predict`, `generate`, `step`."""
    words = _words(function)
    return _USING.search(words) is not None and _LEARNING_STEP.search(words) is None


def tells_of_processing(function: str) -> bool:
    """Whether it prepares what a model is given, or what it gave for others."""
    return _AROUND.search(_words(function)) is not None


def tells_of_user(owner: str) -> bool:
    """The same of a class: a scheduler, a tracker, a data set; not a loss of spectrograms."""
    return _USERS.search(_words(owner)) is not None and not tells_of_loss(owner)


def is_beside_learning(filename: str) -> bool:
    return _FILES.search(filename.lower()) is not None


def is_of_losses(filename: str) -> bool:
    """Whether a file holds losses and what they are made of: `losses.py`, `dice_loss.py`."""
    return _LOSS_FILES.search(filename.lower()) is not None


def is_aside(function: str, filename: str) -> bool:
    """Whether what a function of this name in this place makes is not learned from."""
    if _PLACES.search(filename.lower()) is not None:
        return True
    words = _words(function)
    aside = _ASIDE.search(words) or _RECORDED.search(words)
    return aside is not None and not tells_of_loss(function)


def tells_of_formula(owner: str) -> bool:
    """Whether a class of this name is a formula: a distribution, a kernel, a manifold."""
    return _FORMULAS.search(_words(owner)) is not None


def tells_of_scale(name: str) -> bool:
    """Whether it is the log of a scale, which nobody has but to learn it."""
    return names.named(name).is_any(Kind.LOGSCALE)


def tells_of_data(name: str) -> bool:
    """Whether an input of this name is data, and no result of anything that learns."""
    return _DATA.search(_words(name)) is not None
