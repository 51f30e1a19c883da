"""How sure a finding is: what readers of real code agreed with, class by class.

docs/precision.md has the counts. What is `unlikely` is true of the code, and in real code hardly
ever worth a change.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.fact import DType, Evidence, Fact, Form, Kind, weakest
from epslint.analysis.keys import label_of
from epslint.analysis.learning import Shown
from epslint.analysis.made.terms import ARRANGING
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, behind, within
from epslint.analysis.site import Site
from epslint.analysis.words.hints import tells_of_loading
from epslint.analysis.words.labels import tells_of_statistics
from epslint.rule import Confidence

CONFIDENCE: Mapping[Evidence, Confidence] = MappingProxyType(
    {
        Evidence.NONE: Confidence.NAMED,
        Evidence.NAMED: Confidence.NAMED,
        Evidence.PROVEN: Confidence.PROVEN,
    }
)

_SPREAD, _OF_ROLLOUTS = Kind.STD | Kind.VAR, Kind.REWARD | Kind.ADVANTAGE
_AT_REST = (Form.NUMPY, Form.NUMBER)  # data and measurements; what is trained is in tensors


def if_data_allow(site: Site, fact: Fact) -> Confidence:
    """How sure a 0 is that it takes certain data to reach: all of it 0, or masked, or equal.

    Equal rewards in a group are ordinary, if that is what the name says they are; whole tables,
    pictures and sequences are not equal.
    """
    if any(is_so(fact) for is_so in _SEEN_TO) or any(is_so(site, fact) for is_so in _KNOWN_TO_BE):
        return Confidence.UNLIKELY
    ordinary = fact.is_any(_SPREAD) and fact.is_any(_OF_ROLLOUTS)
    calm = _is_of_dataset(site) or _is_for_reading(site) or _is_kept(site.operand("y"))
    return Confidence.NAMED if ordinary and not calm else Confidence.POSSIBLE


def _is_of_dataset(site: Site) -> bool:
    """The rewards of a whole data set are hardly ever equal, unlike those of a group."""
    return site.constructing or tells_of_loading(site.scope.function)


def _is_kept(divisor: Operand | None) -> bool:
    """`stats["return_std"]` was taken of data, and kept by who may have put a floor to it."""
    node = None if divisor is None else within(divisor, ARRANGING).node
    return isinstance(node, bare.Subscript) and tells_of_statistics(label_of(node.value))


def _is_for_reading(site: Site) -> bool:
    """A variance over another says how much of it is explained, and nothing learns from that; nor
    from what is only logged.
    """
    return site.fact("x").is_any(_SPREAD) or site.read_out


def of_underflow(site: Site) -> Confidence:
    """How sure it is that a sigmoid underflows to 0 and does harm: it takes time, a logit of -100,
    and somebody who learns from it. In a ranking -inf is the least, as it should be.
    """
    return Confidence.POSSIBLE if site.unlearned else Confidence.NAMED


def of_saturation(site: Site) -> Confidence:
    """The same of what rounds to 1, for which a logit of 17 is enough; in float64 it takes 37."""
    soon = site.learned.evidence and not _is_double(site)
    return Confidence.PROVEN if soon else of_underflow(site)


# -- what somebody sees to, or would have seen at once ---------------------------------------------


def _is_length(fact: Fact) -> bool:
    """Python's division by a length of 0 raises an error."""
    return fact.is_any(Kind.LENGTH) and fact.form is Form.NUMBER


def _is_random(fact: Fact) -> bool:
    """Of random numbers, and of waves, hardly one is exactly 0; what underflows is, and what is
    taken of all of them.
    """
    if fact.is_any(_SPREAD | Kind.PROB | Kind.SUM | Kind.SOFTPLUS | Kind.SPAN | Kind.MEAN):
        return False
    return fact.is_any(Kind.DRAWN) or (fact.origin is not None and fact.origin.op is Op.RAND)


def _is_data(fact: Fact) -> bool:
    """What is in numpy's arrays is data or a measurement: totals, ranges and directions of which
    somebody knows what is in them. Not of a group of rewards, which may be equal.
    """
    if fact.form is not Form.NUMPY or fact.is_any(_OF_ROLLOUTS | _SPREAD | Kind.COUNT):
        return False
    return fact.is_any(Kind.SUM | Kind.SPAN | Kind.NORM | Kind.MEAN)


def _is_read_count(fact: Fact) -> bool:
    """`n = mask.sum().item()`, a number for the log: who learns divides by the tensor."""
    read = fact.origin is not None and fact.origin.op is Op.ITEM
    return read and fact.form is Form.NUMBER and fact.is_any(Kind.MASK)


def _is_kept_positive(fact: Fact) -> bool:
    """`softplus(weight)`, a temperature or a multiplier: it moves slower the smaller it is. What a
    network gives goes anywhere at once.
    """
    origin = behind(fact, ARRANGING)
    x = None if origin is None or origin.op is not Op.SOFTPLUS else origin.operands.get("x")
    if x is None or isinstance(x.node, bare.Call):
        return False
    return x.fact.origin is None or x.fact.is_any(Kind.PARAMETER)


_SEEN_TO = (_is_length, _is_random, _is_data, _is_read_count, _is_kept_positive)


def _is_told_variance(site: Site, fact: Fact) -> bool:
    """A variance that only its name tells of is a setting, or had its floor where it was made. But
    who writes `rsqrt(variance)` normalises by it.
    """
    return fact.is_any(Kind.VAR) and fact.ground is Evidence.NAMED and site.op is not Op.RSQRT


def _is_range_of_returns(site: Site, fact: Fact) -> bool:
    """`rewards / (max_return - min_return)`: there are good and bad episodes in a data set."""
    return fact.is_any(Kind.SPAN) and site.fact("x").is_any(_OF_ROLLOUTS)


_KNOWN_TO_BE = (_is_told_variance, _is_range_of_returns)


# -- of other sorts --------------------------------------------------------------------------------


def of_digits(site: Site) -> Confidence:
    """How sure it is that digits are lost that somebody misses: that depends on how small the
    numbers are; who takes a step of a schedule does not miss them, and numpy has twice as many.
    """
    lost = not (_is_double(site) or site.unlearned)
    return Confidence.POSSIBLE if lost else Confidence.UNLIKELY


def of_gradient(site: Site, reached: Evidence, shown: Shown) -> Confidence:
    """How sure a gradient is that is not finite: the value gets there, and somebody takes it. Of a
    function that is there for anybody, and does not even say that it is one of tensors, hardly
    anybody does; jax is there to differentiate.
    """
    if shown.offered and shown.presumed and site.result.form is not Form.JAX:
        return Confidence.UNLIKELY
    return Confidence.POSSIBLE if shown.offered else at_its_edge(weakest(reached, shown.evidence))


def at_its_edge(evidence: Evidence) -> Confidence:
    """A name tells what something is, and not how near it comes to the edge of that."""
    return Confidence.PROVEN if evidence is Evidence.PROVEN else Confidence.POSSIBLE


def of_rounding(site: Site, told: Confidence) -> Confidence:
    """How sure it is that rounding takes a difference below 0: in float64 it is a matter of the
    last of sixteen digits, in numpy's data mostly of exact numbers, and statistics of whole data
    sets vary enough. What a model gives, and the rewards of a group, may be nearly equal.
    """
    if _is_double(site):
        return Confidence.POSSIBLE
    operands = (operand.fact for operand in site.operands.values())
    close = any(fact.is_any(_OF_ROLLOUTS | Kind.KL) for fact in operands)
    return told if close or site.learned.evidence else Confidence.POSSIBLE


def of_overflow(site: Site, *arguments: Fact) -> Confidence:
    """How sure it is that an exp overflows unseen: that of anything may, and mostly somebody keeps
    it small; Python's raises an error, and in float64 it takes 709. It is never proven: operations
    do not say how far a policy drifts.
    """
    if site.result.form is Form.NUMBER:
        return Confidence.UNLIKELY
    shown = any(argument.huge for argument in arguments) and not _is_double(site)
    return Confidence.NAMED if shown else Confidence.POSSIBLE


def of_learned_overflow(site: Site) -> Confidence:
    """The same of what grows as something is learned, also where numpy computes it: the numbers
    came out of tensors.
    """
    return Confidence.POSSIBLE if _is_shown_double(site) else Confidence.NAMED


def _is_double(site: Site) -> bool:
    at_rest = site.result.dtype is DType.UNKNOWN and site.result.form in _AT_REST
    return at_rest or _is_shown_double(site)


def _is_shown_double(site: Site) -> bool:
    """Whether the code says so, of this number or of all that it says nothing else of."""
    dtype = site.result.dtype
    return dtype is DType.FLOAT64 or (dtype is DType.UNKNOWN and site.mode.double)
