"""The kernels of `tests/tir/fields` in NumPy, as a person writes them who knows it well; loops where it has no form.

Each takes the parameters of the PrimFunc of its name in order, and stores in the same arrays.
"""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray

# ---- images


def sobel(x: Array, y: Array) -> None:
    """Find edges by two filters."""
    across = x[:, 2:] - x[:, :-2]
    gx = across[:-2] + 2 * across[1:-1] + across[2:]
    down = x[2:] - x[:-2]
    gy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    np.sqrt(gx * gx + gy * gy, out=y)


def box_blur(x: Array, y: Array) -> None:
    """Average over squares of 5 by 5; borders are repeated."""
    padded = np.pad(x, 2, mode="edge")
    n, m = x.shape
    rows = sum([padded[at : at + n] for at in range(1, 5)], padded[:n])
    y[...] = sum([rows[:, at : at + m] for at in range(1, 5)], rows[:, :m])
    y *= np.float32(0.04)


def histogram(x: Array, h: Array) -> None:
    """Count values."""
    h += np.bincount(x.ravel(), minlength=256)


def double_size(x: Array, y: Array) -> None:
    """Put a mean between neighbours."""
    padded = np.pad(x, ((0, 1), (0, 1)), mode="edge")
    a, b, c, d = padded[:-1, :-1], padded[:-1, 1:], padded[1:, :-1], padded[1:, 1:]
    half = np.float32(0.5)
    y[::2, ::2] = a
    y[::2, 1::2] = above = (a + b) * half
    y[1::2, ::2] = (a + c) * half
    y[1::2, 1::2] = (above + (c + d) * half) * half


def erode(x: Array, y: Array) -> None:
    """Take the least of squares of 3 by 3."""
    padded = np.pad(x, 1, mode="edge")
    rows = np.minimum(np.minimum(padded[:-2], padded[1:-1]), padded[2:])
    np.minimum(np.minimum(rows[:, :-2], rows[:, 1:-1]), rows[:, 2:], out=y)


def gray(x: Array, y: Array) -> None:
    """Weigh colours."""
    np.matmul(x, np.array([0.299, 0.587, 0.114], np.float32), out=y)


def tone_curve(x: Array, table: Array, y: Array) -> None:
    """Look values up."""
    np.take(table, x, out=y, mode="clip")


def rotate(x: Array, y: Array) -> None:
    """Turn an image."""
    y[...] = np.rot90(x, -1)


def median_of_three(x: Array, y: Array) -> None:
    """Take medians along rows."""
    a, b, c = x[:, :-2], x[:, 1:-1], x[:, 2:]
    np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c), out=y)


def integral(x: Array, s: Array) -> None:
    """Sum over all above and to the left."""
    s[1:, 1:] = x.cumsum(0).cumsum(1)


# ---- simulation


def diffuse(x: Array, y: Array) -> None:
    """Make a step of diffusion on a torus."""
    y[...] = x + 0.1 * (np.roll(x, -1, 0) + np.roll(x, 1, 0) + np.roll(x, -1, 1) + np.roll(x, 1, 1) - 4 * x)


def gravity(p: Array, m: Array, a: Array) -> None:
    """Sum forces between all pairs."""
    d = p[None] - p[:, None]
    r = (d * d).sum(-1) + 0.01
    f = m / (r * np.sqrt(r))
    a += np.einsum("ij,ijk->ik", f, d)


def string_waves(u: Array) -> None:
    """Move a string."""
    for s in range(2, len(u)):
        a, b = u[s - 1], u[s - 2]
        u[s, 1:-1] = 2 * a[1:-1] - b[1:-1] + 0.25 * (a[2:] - 2 * a[1:-1] + a[:-2])


def upwind(x: Array, v: Array, y: Array) -> None:
    """Move a profile with the wind."""
    padded = np.pad(x, 1, mode="edge")
    y[...] = x - v * np.where(v > 0, x - padded[:-2], padded[2:] - x)


def random_numbers(s: Array, y: Array) -> None:
    """Draw numbers one after the other."""
    state, mask, out = int(s[0]), (1 << 64) - 1, []
    for _ in range(len(y)):
        state = (state * 6364136223846793005 + 1442695040888963407) & mask
        out.append(state >> 33)
    y[...] = out
    s[0] = state


def bins(p: Array, w: Array, c: Array, m: Array) -> None:
    """Count particles and their weights per cell."""
    cell = np.minimum((p * len(c)).astype(np.int64), len(c) - 1)
    c += np.bincount(cell, minlength=len(c))
    m += np.bincount(cell, w, len(c))


# ---- dynamic programming


def knapsack(v: Array, w: Array, b: Array) -> None:
    """Fill a knapsack."""
    for i in range(len(v)):
        b[i + 1] = b[i]
        if w[i] < b.shape[1]:
            np.maximum(b[i, w[i] :], b[i, : b.shape[1] - w[i]] + v[i], out=b[i + 1, w[i] :])


def common_subsequence(a: Array, b: Array, table: Array) -> None:
    """Compute rows by running maxima."""
    for i in range(len(a)):
        found = np.where(a[i] == b, table[i, :-1] + 1, table[i, 1:])
        np.maximum.accumulate(found, out=table[i + 1, 1:])


def viterbi(e: Array, t: Array, s: Array) -> None:
    """Find the best path to each state."""
    for at in range(len(e)):
        s[at + 1] = (s[at][:, None] + t).max(0) + e[at]


def coins(c: Array, w: Array) -> None:
    """Count ways to pay."""
    for coin in c:
        rows = -(-len(w) // coin)
        padded = np.zeros(rows * coin, w.dtype)
        padded[: len(w)] = w
        w[...] = padded.reshape(rows, coin).cumsum(0).ravel()[: len(w)]


def best_run(x: Array, e: Array, b: Array) -> None:
    """Find the largest sum of neighbours."""
    sums = np.concatenate([[0.0], x.cumsum()])
    e[1:] = sums[1:] - np.minimum.accumulate(sums)[:-1]
    b[0] = max(b[0], e[1:].max())


def chain_order(d: Array, c: Array) -> None:
    """Find the cheapest order of a product of matrices."""
    n = len(c)
    for length in range(1, n):
        for i in range(n - length):
            k = np.arange(i, i + length)
            c[i, i + length] = (c[i, k] + c[k + 1, i + length] + d[i] * d[k + 1] * d[i + length + 1]).min()


# ---- inference


def nearest_centre(x: Array, c: Array, d: Array, a: Array) -> None:
    """Compute distances by a product."""
    d[...] = (x * x).sum(1)[:, None] - 2 * (x @ c.T) + (c * c).sum(1)
    d.argmin(1, out=a)


def forward_algorithm(e: Array, t: Array, s: Array) -> None:
    """Sum over all paths."""
    for at in range(len(e)):
        s[at + 1] = (s[at] @ t) * e[at][: len(t)]


def decision_tree(x: Array, f: Array, s: Array, left: Array, right: Array, y: Array) -> None:
    """Walk down with all rows at once."""
    y[...] = 0
    rows = np.arange(len(y))
    while True:
        feature = f[y]
        inner = feature >= 0
        if not inner.any():
            return
        chosen = np.where(x[rows, feature] < s[y], left[y], right[y])
        y[...] = np.where(inner, chosen, y)


def log_sum_exp(x: Array, m: Array, y: Array) -> None:
    """Sum exponentials safely."""
    x.max(1, out=m)
    y[...] = np.log(np.exp(x - m[:, None]).sum(1)) + m


def grouped_weights(x: Array, q: Array, s: Array, y: Array) -> None:
    """Multiply with weights that have a scale per group."""
    y += x @ (q.astype(np.float32) * np.repeat(s, 32, 0))


# ---- sparse matrices


def csr(p: Array, c: Array, v: Array, x: Array, y: Array) -> None:
    """Multiply rows; empty ones give nothing."""
    products = v * x[c]
    filled = p[:-1] < p[1:]
    y[filled] += np.add.reduceat(products, p[:-1][filled])


def coo(r: Array, c: Array, v: Array, x: Array, y: Array) -> None:
    """Multiply elements in any order."""
    y += np.bincount(r, v * x[c], len(y))


def segment_sums(s: Array, x: Array, y: Array) -> None:
    """Sum rows by key."""
    order = s.argsort(kind="stable")
    keys, starts = np.unique(s[order], return_index=True)
    y[keys] += np.add.reduceat(x[order], starts)


def ellpack(c: Array, v: Array, x: Array, y: Array) -> None:
    """Multiply rows of one length; negative columns are none."""
    y += np.where(c >= 0, v * x[np.maximum(c, 0)], 0.0).sum(1)


def degrees(e: Array, d: Array) -> None:
    """Count the edges of nodes."""
    d += np.bincount(e.ravel(), minlength=len(d))


# ---- signals


def fir(x: Array, h: Array, y: Array) -> None:
    """Filter."""
    y += np.correlate(x, h, "valid")


def biquad(x: Array, b: Array, y: Array) -> None:
    """Filter with feedback, in plain Python."""
    fed = (b[0] * x[2:] + b[1] * x[1:-1] + b[2] * x[:-2]).tolist()
    before, last, c, d = float(y[0]), float(y[1]), float(b[3]), float(b[4])
    out = []
    for value in fed:
        before, last = last, value - c * last - d * before
        out.append(last)
    y[2:] = out


def fourier(x: Array, re: Array, im: Array) -> None:
    """Transform by the matrix of all angles."""
    n = np.arange(len(x))
    angle = 6.283185307179586 * (np.outer(n, n) % len(x)) / len(x)
    re += np.cos(angle) @ x
    im -= np.sin(angle) @ x


def haar(x: Array, a: Array, d: Array) -> None:
    """Split into sums and differences."""
    np.multiply(x[::2] + x[1::2], 0.7071067811865476, out=a)
    np.multiply(x[::2] - x[1::2], 0.7071067811865476, out=d)


def autocorrelation(x: Array, r: Array) -> None:
    """Multiply a signal with itself, shifted."""
    for lag in range(len(r)):
        r[lag] += x[: len(x) - lag] @ x[lag:]


def frames(x: Array, w: Array, f: Array) -> None:
    """Cut overlapping frames."""
    np.multiply(np.lib.stride_tricks.sliding_window_view(x, 256)[::64], w, out=f)


def moving_average(x: Array, y: Array) -> None:
    """Smooth columns."""
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.9 * y[i - 1] + 0.1 * x[i]


# ---- ciphers and checksums


def xor_stream(x: Array, k: Array, y: Array) -> None:
    """Apply a key again and again."""
    np.bitwise_xor(x, np.resize(k, len(x)), out=y)


def adler(x: Array, s: Array) -> None:
    """Sum sums."""
    sums = s[0] + np.cumsum(x, dtype=np.int64)
    s[1] = (s[1] + int(sums.sum())) % 65521
    s[0] = sums[-1] % 65521


def rotate_words(x: Array, k: Array, y: Array) -> None:
    """Rotate bits, and mix."""
    np.bitwise_xor((x << np.uint32(7)) | (x >> np.uint32(25)), k, out=y)


def checksum(x: Array, t: Array, c: Array) -> None:
    """Go through a table byte by byte, in plain Python."""
    table, state = t.tolist(), int(c[0])
    for byte in x.tolist():
        state = table[(state ^ byte) & 255] ^ (state >> 8)
    c[0] = state


def substitute(x: Array, k: Array, s: Array, y: Array) -> None:
    """Move, mix and replace bytes."""
    y[...] = s[x[:, np.arange(16) * 5 % 16] ^ k]


# ---- games


def life(x: Array, c: Array, y: Array) -> None:
    """Make a step of the game of life on a torus."""
    rows = np.roll(x, 1, 0) + x + np.roll(x, -1, 0)
    c[...] = np.roll(rows, 1, 1) + rows + np.roll(rows, -1, 1) - x
    y[...] = (c == 3) | ((c == 2) & (x == 1))


def distances(w: Array, d: Array) -> None:
    """Go over a board once, by anti-diagonals."""
    n, m = d.shape
    flat, walls = d.reshape(-1), w.reshape(-1)
    for t in range(2, n + m - 1):
        first, last = max(1, t - m + 1), min(n - 1, t - 1)
        at = np.arange(first, last + 1) * (m - 1) + t
        found = np.minimum(flat[at], np.minimum(flat[at - m], flat[at - 1]) + 1)
        flat[at] = np.where(walls[at], flat[at], found)


def lines_of_five(b: Array, s: Array) -> None:
    """Count stones on lines."""
    n = s.shape[1]
    for k in range(5):
        s[0] += b[:n, k : k + n]
        s[1] += b[k : k + n, :n]
        s[2] += b[k : k + n, k : k + n]


def ratings(w: Array, lost: Array, r: Array) -> None:
    """Rate players after each game, in plain Python."""
    from math import exp

    rating = r.tolist()
    for a, b in zip(w.tolist(), lost.tolist(), strict=True):
        step = 16.0 * (1.0 - 1.0 / (1.0 + exp((rating[b] - rating[a]) / 400.0)))
        rating[a] += step
        rating[b] -= step
    r[...] = rating


# ---- finance


def binomial_option(s: Array, k: Array, p: Array, v: Array) -> None:
    """Price an option on a tree, level by level."""
    np.maximum(k[0] - s, 0.0, out=v)
    for size in range(len(v) - 1, 0, -1):
        v[:size] = p[2] * (p[0] * v[1 : size + 1] + p[1] * v[:size])


def drawdown(x: Array, m: Array, d: Array) -> None:
    """Find how far below its maximum so far a price is."""
    np.maximum.accumulate(x, out=m)
    np.divide(m - x, m, out=d)


def order_book(s: Array, q: Array, b: Array, d: Array) -> None:
    """Add orders at each price, and sum up over prices."""
    b += np.bincount(s, q, len(b)).astype(np.int64)
    np.cumsum(b, out=d)


def portfolio_risk(w: Array, c: Array, r: Array) -> None:
    """Compute standard deviations of portfolios."""
    r += ((w @ c) * w).sum(1)
    np.sqrt(r, out=r)


# ---- genomics


def pair_counts(s: Array, c: Array) -> None:
    """Count neighbours of each kind."""
    c += np.bincount(s[:-1] * 4 + s[1:], minlength=16).reshape(4, 4)


def hamming(a: Array, b: Array, d: Array) -> None:
    """Count places where sequences differ."""
    for i, row in enumerate(a):
        d[i] += (row != b).sum(1, dtype=np.int32)


def alignment(a: Array, b: Array, h: Array) -> None:
    """Align two sequences, by anti-diagonals."""
    n, m = len(a), len(b)
    flat = h.reshape(-1)
    for t in range(n + m - 1):
        i = np.arange(max(0, t - m + 1), min(n, t + 1))
        j = t - i
        at = i * (m + 1) + j
        found = flat[at] + np.where(a[i] == b[j], 2, -1)
        found = np.maximum(np.maximum(found, flat[at + 1] - 1), np.maximum(flat[at + m + 1] - 1, 0))
        flat[at + m + 2] = found


def codons(s: Array, t: Array, p: Array) -> None:
    """Translate triples."""
    p[...] = t[s[::3] * 16 + s[1::3] * 4 + s[2::3]]


# ---- graphics


def depth_test(z: Array, c: Array, t: Array, d: Array) -> None:
    """Draw what is nearer."""
    nearer = t < z
    z[nearer] = t[nearer]
    c[nearer] = d[nearer]


def alpha_over(a: Array, b: Array, y: Array) -> None:
    """Put one picture over another one."""
    np.multiply(b, 1 - a[..., 3:], out=y)
    y += a


def dither(x: Array, b: Array, y: Array) -> None:
    """Compare with a pattern that repeats."""
    n, m = x.shape
    y[...] = x > np.tile(b, (n // 4 + 1, m // 4 + 1))[:n, :m]


def face_normals(v: Array, f: Array, out: Array) -> None:
    """Compute normals of triangles."""
    a, b, c = v[f[:, 0]], v[f[:, 1]], v[f[:, 2]]
    out[...] = np.cross(b - a, c - a)


def sharpen(x: Array, y: Array) -> None:
    """Sharpen; borders are repeated."""
    p = np.pad(x, 1, mode="edge")
    y[...] = 5 * x - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]


# ---- statistics


def ranks(x: Array, r: Array) -> None:
    """Rank values by sorting."""
    r[x.argsort(kind="stable")] += np.arange(len(x))


def standardize(x: Array, m: Array, s: Array, y: Array) -> None:
    """Subtract means and divide by deviations."""
    m += x.mean(0)
    np.subtract(x, m, out=y)
    s += (y * y).mean(0)
    y /= np.sqrt(s + 0.00001)


def group_means(g: Array, x: Array, c: Array, y: Array) -> None:
    """Compute means of groups of rows."""
    c += np.bincount(g, minlength=len(c))
    order = g.argsort(kind="stable")
    keys, starts = np.unique(g[order], return_index=True)
    y[keys] += np.add.reduceat(x[order], starts)
    y /= np.maximum(c, 1)[:, None]


def kernel_density(x: Array, t: Array, y: Array) -> None:
    """Sum bells around points."""
    d = t[:, None] - x
    y += np.exp(-0.5 * d * d).sum(1)


# ---- text


def row_lengths(p: Array, c: Array, u: Array, lengths: Array) -> None:
    """Find length and greatest byte of each row."""
    lengths += np.diff(p)
    filled = p[:-1] < p[1:]
    u[filled] = np.maximum(u[filled], np.maximum.reduceat(c, p[:-1][filled]))


def rolling_hash(x: Array, h: Array) -> None:
    """Hash all windows of eight bytes."""
    for k in range(8):
        h[...] = h * np.uint32(31) + x[k : k + len(h)]


def most_frequent(x: Array, c: Array, b: Array) -> None:
    """Count, and find the value that occurs most often."""
    c += np.bincount(x, minlength=256)
    b[0] = c.argmax()


# ---- physics


def ising(s: Array, e: Array) -> None:
    """Compute energies of spins on a torus."""
    np.multiply(-s, np.roll(s, -1, 0) + np.roll(s, -1, 1), out=e)


def springs(a: Array, b: Array, x: Array, f: Array) -> None:
    """Add the forces of springs."""
    force = x[b] - x[a]
    f += np.bincount(a, force, len(f)) - np.bincount(b, force, len(f))


def heat_rod(u: Array, v: Array, k: Array) -> None:
    """Let heat flow along a rod."""
    for step in k:
        p = np.pad(u, 1, mode="edge")
        v[...] = u + step * (p[:-2] - 2 * u + p[2:])
        u[...] = v


# ---- networks


def waiting_times(a: Array, s: Array, w: Array) -> None:
    """Wait in a queue, in plain Python."""
    wait, out = float(w[0]), []
    for step in (s - a).tolist():
        wait = max(wait + step, 0.0)
        out.append(wait)
    w[1:] = out


def token_bucket(x: Array, b: Array, d: Array) -> None:
    """Let packets pass while there are tokens, in plain Python."""
    tokens, before = int(b[0]), []
    for wanted in x.tolist():
        before.append(tokens)
        tokens = min(max(tokens - wanted, 0) + 5, 100)
    b[:-1], b[-1] = before, tokens
    np.maximum(x - b[:-1], 0, out=d)


def page_rank(e: Array, d: Array, r: Array, out: Array) -> None:
    """Make a step of ranking pages."""
    share = 0.85 * r / np.maximum(d, 1)
    out[...] = 0.15 / len(out) + np.bincount(e[:, 1], share[e[:, 0]], len(out))


# ---- databases


def filtered_sum(k: Array, v: Array, limits: Array, s: Array) -> None:
    """Sum up and count what is between two limits."""
    chosen = (k >= limits[0]) & (k < limits[1])
    s += v[chosen].sum(), np.count_nonzero(chosen)


def left_join(k: Array, p: Array, q: Array, t: Array) -> None:
    """Multiply by prices that are looked up."""
    t[...] = np.where(k >= 0, p[k] * q, 0.0)


def delta_decode(d: Array, y: Array) -> None:
    """Sum differences up."""
    np.cumsum(d, dtype=y.dtype, out=y)


def unpack_nibbles(p: Array, y: Array) -> None:
    """Unpack two numbers from each byte."""
    np.bitwise_and(p, 15, out=y[::2])
    np.right_shift(p, 4, out=y[1::2])


# ---- earth


def great_circles(a: Array, b: Array, d: Array) -> None:
    """Compute distances on a sphere."""
    u, v = np.sin((b[:, 0] - a[:, :1]) * 0.5), np.sin((b[:, 1] - a[:, 1:]) * 0.5)
    np.multiply(12742.0, np.arcsin(np.sqrt(u * u + np.cos(a[:, :1]) * np.cos(b[:, 0]) * v * v)), out=d)


def hill_shade(z: Array, s: Array) -> None:
    """Light hills from one side."""
    dx, dy = (z[1:-1, 2:] - z[1:-1, :-2]) * 0.5, (z[2:, 1:-1] - z[:-2, 1:-1]) * 0.5
    np.maximum((1 - dx + dy) / (np.sqrt(1 + dx * dx + dy * dy) * np.float32(1.7320508)), 0, out=s)


def epidemic(c: Array, g: Array, x: Array) -> None:
    """Let an infection spread among groups."""
    for at, rate in enumerate(g):
        healthy, ill, immune = x[at]
        fresh = np.minimum(rate * (c @ ill) * healthy, healthy)
        x[at + 1] = healthy - fresh, 0.9 * ill + fresh, immune + 0.1 * ill


# ---- audio


def zero_crossings(x: Array, c: Array) -> None:
    """Count changes of the sign."""
    negative = x < 0
    c += np.count_nonzero(negative[:, 1:] != negative[:, :-1], axis=1).astype(np.int32)


def envelope(x: Array, e: Array) -> None:
    """Follow the loudness, column by column."""
    loud = np.abs(x)
    e[:, 0] = loud[:, 0]
    for j in range(1, x.shape[1]):
        np.maximum(loud[:, j], 0.95 * e[:, j - 1], out=e[:, j])


def mix_stereo(a: Array, b: Array, g: Array, y: Array) -> None:
    """Interleave two channels, each with a gain."""
    y[::2] = np.clip(a * g[0], -32768, 32767)
    y[1::2] = np.clip(b * g[1], -32768, 32767)


def spectral_flux(s: Array, f: Array) -> None:
    """Sum up how much spectra rise."""
    f[1:] += np.maximum(s[1:] - s[:-1], 0).sum(1)
