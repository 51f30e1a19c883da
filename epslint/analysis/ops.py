"""Operations: what the analysis tells apart. How they are spelled is in `spellings`."""

from __future__ import annotations

from enum import auto

from epslint.analysis.quick import QuickEnum


class Op(QuickEnum):
    """What the analysis tells apart."""

    # arithmetic
    ADD = auto()
    SUB = auto()
    MUL = auto()
    DIV = auto()
    FLOORDIV = auto()
    MOD = auto()
    POW = auto()
    NEG = auto()
    MATMUL = auto()
    ADDCDIV = auto()
    DIVIDE_NO_NAN = auto()
    # reductions
    SUM = auto()
    MEAN = auto()
    STD = auto()
    VAR = auto()
    REDUCE = auto()  # whichever its arguments say
    STD_MEAN = auto()
    VAR_MEAN = auto()
    MEDIAN = auto()
    NORM = auto()
    PROD = auto()
    CUMPROD = auto()
    CUMSUM = auto()
    MAX = auto()
    MIN = auto()
    PEAK_TO_PEAK = auto()
    ANY = auto()
    ALL = auto()
    COUNT_NONZERO = auto()
    LOGSUMEXP = auto()
    TRACE = auto()
    DET = auto()
    DOT = auto()
    EINSUM = auto()
    AFFINE = auto()  # what a layer gives that ends in no activation: any number
    SCATTER_SUM = auto()
    BINCOUNT = auto()
    ARGREDUCE = auto()
    ARGMAX = auto()
    # elementwise
    ABS = auto()
    SQUARE = auto()
    SQRT = auto()
    RSQRT = auto()
    RECIPROCAL = auto()
    EXP = auto()
    EXP2 = auto()
    EXPM1 = auto()
    LOG = auto()
    LOG1P = auto()
    SIGMOID = auto()
    HARD_SIGMOID = auto()
    LOGSIGMOID = auto()
    TANH = auto()
    SOFTPLUS = auto()
    RELU = auto()
    SIN = auto()
    COS = auto()
    COSH = auto()
    ARC = auto()
    SIGN = auto()
    ROUND = auto()
    SOFTMAX = auto()
    LOG_SOFTMAX = auto()
    SPARSEMAX = auto()
    NORMALIZE = auto()
    STANDARDIZE = auto()
    COSINE = auto()
    LOGADDEXP = auto()
    XLOGY = auto()
    HYPOT = auto()
    # selection and guards
    CLAMP = auto()
    CLAMP_MIN = auto()
    CLAMP_MAX = auto()
    MAXIMUM = auto()
    MINIMUM = auto()
    WHERE = auto()
    MASKED_FILL = auto()
    NAN_TO_NUM = auto()
    ISNAN = auto()
    ISINF = auto()
    ISFINITE = auto()
    COMPARE = auto()
    LOGICAL = auto()
    ONE_HOT = auto()
    # shapes and sizes
    SHAPE = auto()
    SIZE = auto()
    NUMEL = auto()
    LEN = auto()
    # the same values in another arrangement, place or type
    SAME = auto()
    PICK = auto()
    SELECT = auto()
    NONZERO = auto()
    LOAD = auto()
    DETACH = auto()
    TO = auto()
    HALF = auto()
    BFLOAT16 = auto()
    FLOAT = auto()
    DOUBLE = auto()
    INT = auto()
    BOOL = auto()
    ITEM = auto()
    TO_NUMPY = auto()
    TO_LIST = auto()
    AS_TENSOR = auto()
    STACK = auto()
    GRID = auto()  # the coordinates of a mesh
    TOP_K = auto()
    SORT = auto()
    # makers
    ZEROS = auto()
    ONES = auto()
    FULL = auto()
    ARANGE = auto()
    RAND = auto()
    RANDN = auto()
    GAMMA = auto()
    MULTINOMIAL = auto()
    LINSPACE = auto()
    UNIQUE = auto()
    EYE = auto()
    INVERSE = auto()  # of a matrix, or a root of one
    SOLVE = auto()
    EIGENVALUES = auto()  # of a symmetric matrix
    EIGH = auto()  # with its eigenvectors
    INIT_NORMAL = auto()
    PARAMETER = auto()
    FINFO = auto()
    FINFO_EPS = auto()
    TIME = auto()
    # losses and distributions
    ERROR = auto()  # mean squared or absolute
    CROSS_ENTROPY = auto()
    BCE = auto()
    BCE_WITH_LOGITS = auto()
    NLL = auto()
    KL_DIV = auto()
    LOG_PROB = auto()
    ENTROPY = auto()
    # training
    BACKWARD = auto()
    STEP = auto()
    # Python
    MODULE = auto()  # made once, applied later
    CALL = auto()
    WEIGH = auto()  # multiplied by what is not negative
    REPORT = auto()  # written into a log or among metrics
    RETURN = auto()  # handed to whoever called
    NAME = auto()
    CONSTANT = auto()


# Who asks whether a value is finite reckons with its not being.
FINITENESS = frozenset({Op.ISNAN, Op.ISINF, Op.ISFINITE})
