"""Functions as numba has them, and texts of those that it compiles with the code. Data only."""

from __future__ import annotations

FORMS = {
    **{name: f"math.{name}({{}})" for name in (
        "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
        "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "isnan", "isinf", "isfinite",
    )},
    **{name: f"math.{name}({{}}, {{}})" for name in ("atan2", "hypot", "copysign", "ldexp")},
    **{name: f"np.{name}({{}})" for name in ("exp2", "floor", "ceil", "trunc")},
    "round": "np.rint({})", "nearbyint": "np.rint({})", "abs": "abs({})", "pow": "np.power({}, {})",
    "fmod": "np.fmod({}, {})",
    "exp10": "np.power(10.0, {})", "rsqrt": "math.sqrt({})", "sigmoid": "math.exp(-{})",
}  # fmt: skip
"""Math functions of float64."""

HELPERS = {
    "floored_signed": """
def NAME(a, b):
    if b == -1:
        return T(-a)
    return T(a // b)
""",
    "modulo_signed": """
def NAME(a, b):
    if b == -1:
        return T(0)
    return T(a % b)
""",
    "truncated_signed": """
def NAME(a, b):
    if b == -1:
        return T(-a)
    quotient = a // b
    if quotient * b != a and (a < 0) != (b < 0):
        quotient += 1
    return T(quotient)
""",
    "floored_unsigned": """
def NAME(a, b):
    return T(a // b)
""",
    "truncated_unsigned": """
def NAME(a, b):
    return T(a // b)
""",
    "modulo_unsigned": """
def NAME(a, b):
    return T(a % b)
""",
    "remainder": """
def NAME(a, b):
    rest = np.fmod(a, b)
    if b == 0:
        return T(rest)
    if rest != 0:
        if (b < 0) != (rest < 0):
            rest = T(rest + b)
        return T(rest)
    return T(math.copysign(T(0), b))
""",
    "floor_divide": """
def NAME(a, b):
    if b == 0:
        return T(a / b)
    rest = T(np.fmod(a, b))
    quotient = T(T(a - rest) / b)
    if rest != 0:
        if (b < 0) != (rest < 0):
            quotient = T(quotient - T(1))
    if quotient != 0:
        whole = T(np.floor(quotient))
        if T(quotient - whole) > 0.5:
            whole = T(whole + T(1))
        return whole
    return T(math.copysign(T(0), T(a / b)))
""",
    "shifted_left": """
def NAME(a, b, width):
    if b >= 0 and b < width:
        return T(a << b)
    return T(0)
""",
    "shifted_right": """
def NAME(a, b, width):
    if b >= 0 and b < width:
        return T(a >> b)
    return T(-1) if a < 0 else T(0)
""",
    "shifted_right_unsigned": """
def NAME(a, b, width):
    if b < width:
        return T(a >> b)
    return T(0)
""",
    "to_integer": """
def NAME(value):
    if value >= -9223372036854775808.0 and value < 9223372036854775808.0:
        return T(value)
    return T(-9223372036854775808)
""",
    "scaled": """
def NAME(value, power):
    if power > 5000.0:
        power = 5000.0
    if power < -5000.0:
        power = -5000.0
    return math.ldexp(value, int(power))
""",
    "popcount": """
def NAME(bits, width):
    count = 0
    while bits != np.uint64(0):
        bits = bits & np.uint64(bits - np.uint64(1))
        count += 1
    return count
""",
    "clz": """
def NAME(bits, width):
    count = width
    while bits != np.uint64(0):
        bits = bits >> np.uint64(1)
        count -= 1
    return count
""",
}
"""Functions that numba compiles with the code; `T` is the type of their result."""
