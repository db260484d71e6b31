"""Tensor expressions: PrimFuncs written as functions of indices.

    >>> n = dim("n")
    >>> x = placeholder((n, 4), "float32", "x")
    >>> k = reduce_axis(4, "k")
    >>> total = compute((n,), lambda i: sum(x[i, k], axis=k), "total")
    >>> from relax_lang.format.printer import show
    >>> print(show(create_prim_func([x, total], "row_sums")))
    prim_func @row_sums(x: Buffer[(n, 4), float32], total: Buffer[(n,), float32]) {
      for i, k in grid(n, 4) {
        block total (vi = spatial(i), vk = reduce(k)) {
          init { total[vi] = 0; }
          total[vi] += x[vi, vk];
        }
      }
    }

Nothing runs: `create_prim_func` returns a tree, as a text would give it. Dtypes are those of PrimFuncs.
"""

from __future__ import annotations

from relax_lang.te import statements as statements
from relax_lang.te.expr import Expr as Expr
from relax_lang.te.expr import cast as cast
from relax_lang.te.expr import const as const
from relax_lang.te.expr import dim as dim
from relax_lang.te.expr import if_then_else as if_then_else
from relax_lang.te.expr import max_value as max_value
from relax_lang.te.expr import maximum as maximum
from relax_lang.te.expr import min_value as min_value
from relax_lang.te.expr import minimum as minimum
from relax_lang.te.expr import select as select
from relax_lang.te.expr import truncdiv as truncdiv
from relax_lang.te.math import abs as abs  # noqa: A004 - here and below: names of intrinsics and reductions
from relax_lang.te.math import acos as acos
from relax_lang.te.math import acosh as acosh
from relax_lang.te.math import asin as asin
from relax_lang.te.math import asinh as asinh
from relax_lang.te.math import atan as atan
from relax_lang.te.math import atan2 as atan2
from relax_lang.te.math import atanh as atanh
from relax_lang.te.math import ceil as ceil
from relax_lang.te.math import clz as clz
from relax_lang.te.math import copysign as copysign
from relax_lang.te.math import cos as cos
from relax_lang.te.math import cosh as cosh
from relax_lang.te.math import erf as erf
from relax_lang.te.math import exp as exp
from relax_lang.te.math import exp2 as exp2
from relax_lang.te.math import exp10 as exp10
from relax_lang.te.math import expm1 as expm1
from relax_lang.te.math import floor as floor
from relax_lang.te.math import fmod as fmod
from relax_lang.te.math import hypot as hypot
from relax_lang.te.math import isfinite as isfinite
from relax_lang.te.math import isinf as isinf
from relax_lang.te.math import isnan as isnan
from relax_lang.te.math import ldexp as ldexp
from relax_lang.te.math import log as log
from relax_lang.te.math import log1p as log1p
from relax_lang.te.math import log2 as log2
from relax_lang.te.math import log10 as log10
from relax_lang.te.math import nearbyint as nearbyint
from relax_lang.te.math import nextafter as nextafter
from relax_lang.te.math import popcount as popcount
from relax_lang.te.math import pow as pow  # noqa: A004
from relax_lang.te.math import reinterpret as reinterpret
from relax_lang.te.math import round as round  # noqa: A004
from relax_lang.te.math import rsqrt as rsqrt
from relax_lang.te.math import sigmoid as sigmoid
from relax_lang.te.math import sin as sin
from relax_lang.te.math import sinh as sinh
from relax_lang.te.math import sqrt as sqrt
from relax_lang.te.math import tan as tan
from relax_lang.te.math import tanh as tanh
from relax_lang.te.math import trunc as trunc
from relax_lang.te.prim_func import create_prim_func as create_prim_func
from relax_lang.te.prim_func import scalar_names as scalar_names
from relax_lang.te.reduce import all as all  # noqa: A004
from relax_lang.te.reduce import any as any  # noqa: A004
from relax_lang.te.reduce import max as max  # noqa: A004
from relax_lang.te.reduce import min as min  # noqa: A004
from relax_lang.te.reduce import prod as prod
from relax_lang.te.reduce import reduce as reduce
from relax_lang.te.reduce import reduce_axis as reduce_axis
from relax_lang.te.reduce import sum as sum  # noqa: A004
from relax_lang.te.tensor import Tensor as Tensor
from relax_lang.te.tensor import compute as compute
from relax_lang.te.tensor import extern as extern
from relax_lang.te.tensor import placeholder as placeholder
