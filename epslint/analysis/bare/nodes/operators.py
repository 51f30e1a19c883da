"""Kinds of operators. An operator is its class: which object of it stands there says nothing."""

from __future__ import annotations

from epslint.analysis.bare.nodes.base import Node


class BaseOperator(Node):
    """Stands before or between operands."""

    __slots__ = ()


class BaseBinaryOp(BaseOperator):
    """Of two values it makes a third."""

    __slots__ = ()


class BaseUnaryOp(BaseOperator):
    """Of one value it makes another."""

    __slots__ = ()


class BaseBooleanOp(BaseOperator):
    """Chooses one of two values."""

    __slots__ = ()


class BaseCompOp(BaseOperator):
    """Compares two values."""

    __slots__ = ()


class BaseAugOp(BaseOperator):
    """Changes a value in its place."""

    __slots__ = ()


class Add(BaseBinaryOp):
    """`+`"""


class Subtract(BaseBinaryOp):
    """`-`"""


class Multiply(BaseBinaryOp):
    """`*`"""


class MatrixMultiply(BaseBinaryOp):
    """`@`"""


class Divide(BaseBinaryOp):
    """`/`"""


class FloorDivide(BaseBinaryOp):
    """`//`"""


class Modulo(BaseBinaryOp):
    """`%`"""


class Power(BaseBinaryOp):
    """`**`"""


class LeftShift(BaseBinaryOp):
    """`<<`"""


class RightShift(BaseBinaryOp):
    """`>>`"""


class BitOr(BaseBinaryOp):
    """`|`"""


class BitXor(BaseBinaryOp):
    """`^`"""


class BitAnd(BaseBinaryOp):
    """`&`"""


class Plus(BaseUnaryOp):
    """`+x`"""


class Minus(BaseUnaryOp):
    """`-x`"""


class BitInvert(BaseUnaryOp):
    """`~x`"""


class Not(BaseUnaryOp):
    """`not x`"""


class And(BaseBooleanOp):
    """`and`"""


class Or(BaseBooleanOp):
    """`or`"""


class Equal(BaseCompOp):
    """`==`"""


class NotEqual(BaseCompOp):
    """`!=`"""


class LessThan(BaseCompOp):
    """`<`"""


class LessThanEqual(BaseCompOp):
    """`<=`"""


class GreaterThan(BaseCompOp):
    """`>`"""


class GreaterThanEqual(BaseCompOp):
    """`>=`"""


class Is(BaseCompOp):
    """`is`"""


class IsNot(BaseCompOp):
    """`is not`"""


class In(BaseCompOp):
    """`in`"""


class NotIn(BaseCompOp):
    """`not in`"""


class AddAssign(BaseAugOp):
    """`+=`"""


class SubtractAssign(BaseAugOp):
    """`-=`"""


class MultiplyAssign(BaseAugOp):
    """`*=`"""


class MatrixMultiplyAssign(BaseAugOp):
    """`@=`"""


class DivideAssign(BaseAugOp):
    """`/=`"""


class FloorDivideAssign(BaseAugOp):
    """`//=`"""


class ModuloAssign(BaseAugOp):
    """`%=`"""


class PowerAssign(BaseAugOp):
    """`**=`"""


class LeftShiftAssign(BaseAugOp):
    """`<<=`"""


class RightShiftAssign(BaseAugOp):
    """`>>=`"""


class BitOrAssign(BaseAugOp):
    """`|=`"""


class BitXorAssign(BaseAugOp):
    """`^=`"""


class BitAndAssign(BaseAugOp):
    """`&=`"""
