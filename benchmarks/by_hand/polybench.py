"""The kernels of PolyBench/C 4.2 in NumPy, as a person writes them who knows NumPy well.

Each takes the parameters of the PrimFunc of its name in `tests/tir/polybench/` in order, and stores in the same arrays.
"""

from __future__ import annotations

import math

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray

# ---- linear algebra: kernels and BLAS


def gemm(alpha: float, beta: float, a: Array, b: Array, c: Array) -> None:
    """Multiply matrices and add."""
    c *= beta
    c += alpha * (a @ b)


def gemver(  # noqa: PLR0913 - as the kernel has it
    alpha: float, beta: float, u1: Array, v1: Array, u2: Array, v2: Array, y: Array, z: Array, a: Array, x: Array,
    w: Array,
) -> None:  # fmt: skip
    """Add products of vectors to a matrix, and multiply it with vectors."""
    a += np.outer(u1, v1)
    a += np.outer(u2, v2)
    x += beta * (y @ a) + z
    w += alpha * (a @ x)


def gesummv(alpha: float, beta: float, a: Array, b: Array, x: Array, y: Array) -> None:
    """Multiply two matrices with a vector."""
    y[...] = alpha * (a @ x) + beta * (b @ x)


def symm(alpha: float, beta: float, a: Array, b: Array, c: Array) -> None:
    """Multiply a symmetric matrix of which the lower half is there."""
    lower = np.tril(a, -1)
    whole = lower + lower.T + np.diag(np.diag(a))
    # A row is scaled before the rows below it are added to it, as in the loops.
    c[...] = beta * c + alpha * (whole @ b)


def syrk(alpha: float, beta: float, a: Array, c: Array) -> None:
    """Multiply a matrix with its own rows; the lower half."""
    lower = np.tril(np.ones(c.shape, bool))
    np.copyto(c, beta * c + alpha * (a @ a.T), where=lower)


def syr2k(alpha: float, beta: float, a: Array, b: Array, c: Array) -> None:
    """Multiply two matrices with each other's rows; the lower half."""
    lower = np.tril(np.ones(c.shape, bool))
    product = a @ b.T
    np.copyto(c, beta * c + alpha * (product + product.T), where=lower)


def trmm(alpha: float, a: Array, b: Array) -> None:
    """Multiply a triangular matrix with ones in its diagonal."""
    b[...] = alpha * (b + np.tril(a, -1).T @ b)


def two_mm(alpha: float, beta: float, a: Array, b: Array, c: Array, d: Array) -> None:
    """Two products."""
    d *= beta
    d += alpha * (a @ b) @ c


def three_mm(a: Array, b: Array, c: Array, d: Array, g: Array) -> None:
    """Three products."""
    np.matmul(a @ b, c @ d, out=g)


def atax(a: Array, x: Array, y: Array) -> None:
    """Multiply with a matrix and with its transpose."""
    np.matmul(a @ x, a, out=y)


def bicg(a: Array, p: Array, r: Array, s: Array, q: Array) -> None:
    """Multiply vectors from both sides."""
    np.matmul(r, a, out=s)
    np.matmul(a, p, out=q)


def mvt(a: Array, y1: Array, y2: Array, x1: Array, x2: Array) -> None:
    """Add products with a matrix and its transpose."""
    x1 += a @ y1
    x2 += y2 @ a


def doitgen(c: Array, a: Array) -> None:
    """Multiply the rows of a stack of matrices."""
    a[...] = a @ c


# ---- linear algebra: solvers


def cholesky(a: Array) -> None:
    """Factor a matrix; the lower half."""
    for i in range(len(a)):
        a[i, i] = math.sqrt(a[i, i] - a[i, :i] @ a[i, :i])
        a[i + 1 :, i] -= a[i + 1 :, :i] @ a[i, :i]
        a[i + 1 :, i] /= a[i, i]


def durbin(r: Array, y: Array) -> None:
    """Solve the equations of Yule and Walker."""
    if not len(r):
        return
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, len(r)):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + r[:k][::-1] @ y[:k]) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha


def gramschmidt(a: Array, r: Array, q: Array) -> None:
    """Make columns orthogonal."""
    for k in range(a.shape[1]):
        r[k, k] = math.sqrt(a[:, k] @ a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])


def lu(a: Array) -> None:
    """Factor a matrix without pivots."""
    for k in range(len(a)):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])


def ludcmp(b: Array, a: Array, x: Array, y: Array) -> None:
    """Factor a matrix and solve."""
    lu(a)
    n = len(a)
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]


def trisolv(lower: Array, b: Array, x: Array) -> None:
    """Solve with a lower triangle."""
    for i in range(len(b)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]


# ---- data mining and others


def correlation(x: Array, c: Array) -> None:
    """Correlate columns."""
    if not x.size:
        np.fill_diagonal(c, 1.0)
        return
    deviation = x.std(0)
    deviation[deviation <= 0.1] = 1.0
    scaled = (x - x.mean(0)) / (math.sqrt(len(x)) * deviation)
    np.matmul(scaled.T, scaled, out=c)
    np.fill_diagonal(c, 1.0)


def covariance(x: Array, c: Array) -> None:
    """Covariance of columns."""
    centred = x - x.mean(0)
    np.matmul(centred.T, centred, out=c)
    c /= len(x) - 1.0


def deriche(alpha: float, x: Array, y: Array) -> None:
    """Smooth an image by recursive filters, along rows and then along columns."""
    e = math.exp(-alpha)
    k = (1 - e) ** 2 / (1 + 2 * alpha * e - math.exp(2 * alpha))
    forward = k, k * e * (alpha - 1), 2 * e, -(e**2)
    backward = k * e * (alpha + 1), -k * e**2, 2 * e, -(e**2)
    y[...] = _smoothed(_smoothed(x.T, forward, backward).T, forward, backward)


def _smoothed(x: Array, forward: tuple[float, ...], backward: tuple[float, ...]) -> Array:
    """Smooth along the first axis."""
    a0, a1, b1, b2 = forward
    f, g = a0 * x, np.zeros_like(x)
    f[1:] += a1 * x[:-1]
    for i in range(1, len(x)):
        f[i] += b1 * f[i - 1]
        if i >= 2:
            f[i] += b2 * f[i - 2]
    a0, a1, b1, b2 = backward
    g[:-1] += a0 * x[1:]
    g[:-2] += a1 * x[2:]
    for i in range(len(x) - 2, -1, -1):
        g[i] += b1 * g[i + 1]
        if i + 2 < len(x):
            g[i] += b2 * g[i + 2]
    return f + g


def floyd_warshall(paths: Array) -> None:
    """Shortest paths between all pairs."""
    for k in range(len(paths)):
        np.minimum(paths, paths[:, k, None] + paths[k], out=paths)


def nussinov(s: Array, table: Array) -> None:
    """Fold a sequence."""
    n = len(s)
    table[...] = 0
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i, j - 1], table[i + 1, j])
            paired = int(s[i] + s[j] == 3) if i < j - 1 else 0
            best = max(best, table[i + 1, j - 1] + paired)
            if j > i + 1:
                best = max(best, (table[i, i + 1 : j] + table[i + 2 : j + 1, j]).max())
            table[i, j] = best


# ---- stencils


def adi(steps: int, u: Array) -> None:
    """Alternating directions: implicit in one, explicit in the other."""
    n = len(u)
    if n < 3:
        return
    mul1, mul2 = 2.0 * n * n / steps, float(n) * n / steps
    v, q = np.zeros_like(u), np.zeros_like(u)
    for _ in range(steps):
        _sweep(u.T, v.T, q, mul1, mul2)
        _sweep(v, u, q, mul2, mul1)


def _sweep(given: Array, made: Array, q: Array, implicit: float, explicit: float) -> None:
    """Solve along the rows of `made`, from its neighbours across in `given`."""
    n = len(given)
    # The coefficients are the same in every row.
    p = np.zeros(n)
    for j in range(1, n - 1):
        p[j] = implicit / 2 / (-implicit / 2 * p[j - 1] + 1 + implicit)
    side = explicit / 2 * (given[:-2] + given[2:]) + (1 - explicit) * given[1:-1]
    q[1:-1, 0] = 1.0
    for j in range(1, n - 1):
        q[1:-1, j] = (side[:, j] + implicit / 2 * q[1:-1, j - 1]) / (-implicit / 2 * p[j - 1] + 1 + implicit)
    made[1:-1, 0] = made[1:-1, n - 1] = 1.0
    for j in range(n - 2, 0, -1):
        made[1:-1, j] = p[j] * made[1:-1, j + 1] + q[1:-1, j]


def fdtd_2d(fict: Array, ex: Array, ey: Array, hz: Array) -> None:
    """Electric and magnetic fields in turn."""
    for value in fict:
        ey[0] = value
        ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def heat_3d(steps: int, a: Array, b: Array) -> None:
    """Heat in a cube."""
    for _ in range(steps):
        for x, y in ((a, b), (b, a)):
            c = x[1:-1, 1:-1, 1:-1]
            near = x[2:, 1:-1, 1:-1] + x[:-2, 1:-1, 1:-1] + x[1:-1, 2:, 1:-1]
            near += x[1:-1, :-2, 1:-1]
            near += x[1:-1, 1:-1, 2:]
            near += x[1:-1, 1:-1, :-2]
            y[1:-1, 1:-1, 1:-1] = 0.125 * near + 0.25 * c


def jacobi_1d(steps: int, a: Array, b: Array) -> None:
    """Means of three neighbours."""
    for _ in range(steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])


def jacobi_2d(steps: int, a: Array, b: Array) -> None:
    """Means of five neighbours."""
    for _ in range(steps):
        for x, y in ((a, b), (b, a)):
            y[1:-1, 1:-1] = 0.2 * (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1])


def seidel_2d(steps: int, a: Array) -> None:
    """Means of nine neighbours, in place: what is right and below, as it was; left and above, as it is now."""
    n = len(a)
    for _ in range(steps):
        for i in range(1, n - 1):
            above = a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:]
            below = a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
            known = (above + a[i, 1:-1] + a[i, 2:] + below).tolist()
            left = float(a[i, 0])
            for at, value in enumerate(known):
                known[at] = left = (value + left) / 9.0
            a[i, 1:-1] = known
