"""Arguments of the kernels of this folder, by their size."""

from __future__ import annotations

import zlib

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.random import Generator


def arguments(name: str, n: int) -> list[object]:
    """Return arguments of a size `n`; kernels over one axis have n * n elements."""
    return _MAKE[name](n, np.random.default_rng(zlib.crc32(name.encode())))


def _image(n: int, m: int, rng: Generator) -> np.ndarray:
    return rng.random((n, m)).astype(np.float32)


def _bytes(rng: Generator, *shape: int) -> np.ndarray:
    return rng.integers(0, 256, shape).astype(np.uint8)


def _zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape)


def _unit(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).sum(1, keepdims=True))


def _tree(n: int, rng: Generator) -> list[object]:
    """Return a complete tree of 127 nodes over 8 features."""
    at = np.arange(127)
    inner = at < 63
    return [
        _image(n, 8, rng), np.where(inner, at % 8, -1), rng.random(127).astype(np.float32),
        np.where(inner, 2 * at + 1, 0), np.where(inner, 2 * at + 2, 0), np.zeros(n, np.int64),
    ]  # fmt: skip


def _rows(n: int, rng: Generator) -> list[object]:
    """Return a matrix of n rows of up to 15 elements."""
    lengths = rng.integers(0, 16, n)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    z = int(starts[-1])
    return [starts, rng.integers(0, n, z), rng.random(z), rng.random(n), _zeros(n)]


def _texts(n: int, rng: Generator) -> list[object]:
    """Return n rows of up to 15 bytes, with room for two numbers of each."""
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 16, n))])
    return [starts, _bytes(rng, int(starts[-1])), np.zeros(n, np.int64), np.zeros(n, np.int64)]


def _links(n: int, rng: Generator) -> list[object]:
    """Return links between n pages, how many leave each, and the ranks of the pages."""
    links = rng.integers(0, n, (n * 4, 2))
    return [links, np.bincount(links[:, 0], minlength=n), np.full(n, 1 / n), _zeros(n)]


def _neighbours(n: int, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the two ends of 8 n bars between neighbours in a ring."""
    first = rng.integers(0, n, n * 8)
    return first, (first + 1) % n


_MAKE = {
    "sobel": lambda n, r: [_image(n + 2, n + 2, r), np.zeros((n, n), np.float32)],
    "box_blur": lambda n, r: [_image(n, n, r), np.zeros((n, n), np.float32)],
    "histogram": lambda n, r: [r.integers(0, 256, (n, n)), np.zeros(256, np.int64)],
    "double_size": lambda n, r: [_image(n, n, r), np.zeros((2 * n, 2 * n), np.float32)],
    "erode": lambda n, r: [_bytes(r, n, n), np.zeros((n, n), np.uint8)],
    "gray": lambda n, r: [r.random((n, n, 3)).astype(np.float32), np.zeros((n, n), np.float32)],
    "tone_curve": lambda n, r: [r.integers(0, 256, (n, n)), _image(1, 256, r)[0], np.zeros((n, n), np.float32)],
    "rotate": lambda n, r: [_image(n, n + 1, r), np.zeros((n + 1, n), np.float32)],
    "median_of_three": lambda n, r: [_image(n, n + 2, r), np.zeros((n, n), np.float32)],
    "integral": lambda n, r: [r.random((n, n)), _zeros(n + 1, n + 1)],
    "diffuse": lambda n, r: [r.random((n, n)), _zeros(n, n)],
    "gravity": lambda n, r: [r.random((n, 2)), r.random(n), _zeros(n, 2)],
    "string_waves": lambda n, r: [np.concatenate([r.random((2, n)), _zeros(n - 2, n)])],
    "upwind": lambda n, r: [r.random(n * n), r.random(n * n) - 0.5, _zeros(n * n)],
    "random_numbers": lambda n, r: [np.array([n], np.uint64), np.zeros(n * n, np.uint64)],
    "bins": lambda n, r: [r.random(n * n), r.random(n * n), np.zeros(n, np.int64), _zeros(n)],
    "knapsack": lambda n, r: [
        r.integers(1, 99, n), r.integers(1, 40, n), np.zeros((n + 1, 2 * n + 1), np.int64)
    ],
    "common_subsequence": lambda n, r: [
        r.integers(0, 4, n).astype(np.int32), r.integers(0, 4, n).astype(np.int32),
        np.zeros((n + 1, n + 1), np.int32),
    ],
    "viterbi": lambda n, r: [r.random((n, n)), r.random((n, n)), np.concatenate([_zeros(1, n), _zeros(n, n)])],
    "coins": lambda n, r: [
        np.arange(1, 21), np.concatenate([[1], np.zeros(n * n // 8, np.int64)])
    ],
    "best_run": lambda n, r: [r.random(n * n) - 0.5, _zeros(n * n + 1), _zeros(1)],
    "chain_order": lambda n, r: [r.integers(1, 50, n + 1), np.zeros((n, n), np.int64)],
    "nearest_centre": lambda n, r: [
        _image(n, 16, r), _image(32, 16, r), np.zeros((n, 32), np.float32), np.zeros(n, np.int64)
    ],
    "forward_algorithm": lambda n, r: [r.random((n, 64)), r.random((64, 64)) / 32, np.ones((n + 1, 64))],
    "decision_tree": lambda n, r: _tree(n * n // 8, r),
    "log_sum_exp": lambda n, r: [_image(n, n, r), np.zeros(n, np.float32), np.zeros(n, np.float32)],
    "grouped_weights": lambda n, r: [
        _image(n, 128, r), r.integers(-127, 128, (128, n)).astype(np.int8), _image(4, n, r),
        np.zeros((n, n), np.float32),
    ],
    "csr": lambda n, r: _rows(n * n // 8, r),
    "coo": lambda n, r: [
        r.integers(0, n * 8, n * n), r.integers(0, n * 8, n * n), r.random(n * n), r.random(n * 8), _zeros(n * 8)
    ],
    "segment_sums": lambda n, r: [
        r.integers(0, n // 4, n), _image(n, n, r), np.zeros((n // 4, n), np.float32)
    ],
    "ellpack": lambda n, r: [
        r.integers(-3, n * 8, (n * 8, 12)), r.random((n * 8, 12)), r.random(n * 8), _zeros(n * 8)
    ],
    "degrees": lambda n, r: [r.integers(0, n, (n * n, 2)), np.zeros(n, np.int64)],
    "fir": lambda n, r: [r.random(n * n + 31), r.random(32), _zeros(n * n)],
    "biquad": lambda n, r: [r.random(n * n), np.array([0.2, 0.3, 0.1, -0.5, 0.2]), _zeros(n * n)],
    "fourier": lambda n, r: [r.random(n), _zeros(n), _zeros(n)],
    "haar": lambda n, r: [r.random(n * n * 2), _zeros(n * n), _zeros(n * n)],
    "autocorrelation": lambda n, r: [r.random(n * n), _zeros(n)],
    "frames": lambda n, r: [r.random(n * 4 * 64 + 192), r.random(256), _zeros(n * 4, 256)],
    "moving_average": lambda n, r: [r.random((n, n)), _zeros(n, n)],
    "xor_stream": lambda n, r: [_bytes(r, n * n), _bytes(r, 16), np.zeros(n * n, np.uint8)],
    "adler": lambda n, r: [_bytes(r, n * n), np.array([1, 0])],
    "rotate_words": lambda n, r: [
        r.integers(0, 1 << 32, n * n).astype(np.uint32), r.integers(0, 1 << 32, n * n).astype(np.uint32),
        np.zeros(n * n, np.uint32),
    ],
    "checksum": lambda n, r: [
        _bytes(r, n * n), r.integers(0, 1 << 32, 256).astype(np.uint32), np.array([1], np.uint32)
    ],
    "substitute": lambda n, r: [_bytes(r, n, 16), _bytes(r, 16), _bytes(r, 256), np.zeros((n, 16), np.uint8)],
    "life": lambda n, r: [
        r.integers(0, 2, (n, n)).astype(np.int32), np.zeros((n, n), np.int32), np.zeros((n, n), np.int32)
    ],
    "distances": lambda n, r: [
        r.random((n, n)) < 0.2, np.where(np.arange(n * n).reshape(n, n) < n, 0, 9999).astype(np.int32)
    ],
    "lines_of_five": lambda n, r: [
        r.integers(0, 2, (n + 4, n + 4)).astype(np.int32), np.zeros((3, n, n), np.int32)
    ],
    "binomial_option": lambda n, r: [
        np.exp(np.linspace(-1, 1, n + 1)), np.array([1.0]), np.array([0.52, 0.48, 0.999]), _zeros(n + 1)
    ],
    "drawdown": lambda n, r: [r.random(n * n) + 0.5, _zeros(n * n), _zeros(n * n)],
    "order_book": lambda n, r: [
        r.integers(0, n, n * n), r.integers(1, 9, n * n), np.zeros(n, np.int64), np.zeros(n, np.int64)
    ],
    "portfolio_risk": lambda n, r: [r.random((n, n)), np.eye(n) + 0.1, _zeros(n)],
    "pair_counts": lambda n, r: [r.integers(0, 4, n * n + 1), np.zeros((4, 4), np.int64)],
    "hamming": lambda n, r: [
        r.integers(0, 4, (n, 64)).astype(np.uint8), r.integers(0, 4, (n + 1, 64)).astype(np.uint8),
        np.zeros((n, n + 1), np.int32),
    ],
    "alignment": lambda n, r: [
        r.integers(0, 4, n).astype(np.uint8), r.integers(0, 4, n).astype(np.uint8),
        np.zeros((n + 1, n + 1), np.int32),
    ],
    "codons": lambda n, r: [r.integers(0, 4, 3 * n * n), _bytes(r, 64), np.zeros(n * n, np.uint8)],
    "depth_test": lambda n, r: [
        _image(n, n, r), np.zeros((n, n, 3), np.uint8), _image(n, n, r), _bytes(r, n, n, 3)
    ],
    "alpha_over": lambda n, r: [
        r.random((n, n, 4)).astype(np.float32), r.random((n, n, 4)).astype(np.float32),
        np.zeros((n, n, 4), np.float32),
    ],
    "dither": lambda n, r: [_image(n, n + 4, r), _image(4, 4, r), np.zeros((n, n + 4), np.uint8)],
    "face_normals": lambda n, r: [
        _image(n * 8, 3, r), r.integers(0, n * 8, (n * n // 4, 3)), np.zeros((n * n // 4, 3), np.float32)
    ],
    "sharpen": lambda n, r: [_image(n, n, r), np.zeros((n, n), np.float32)],
    "ranks": lambda n, r: [r.integers(0, n, n).astype(float), np.zeros(n, np.int64)],
    "standardize": lambda n, r: [r.random((n, n)), _zeros(n), _zeros(n), _zeros(n, n)],
    "group_means": lambda n, r: [
        r.integers(0, n // 4, n), r.random((n, n)), np.zeros(n // 4, np.int64), _zeros(n // 4, n)
    ],
    "kernel_density": lambda n, r: [r.random(n), r.random(n + 1), _zeros(n + 1)],
    "row_lengths": lambda n, r: _texts(n * n // 8, r),
    "rolling_hash": lambda n, r: [_bytes(r, n * n + 7), np.zeros(n * n, np.uint32)],
    "most_frequent": lambda n, r: [r.integers(0, 256, n * n), np.zeros(256, np.int64), np.ones(1, np.int64)],
    "ising": lambda n, r: [
        r.integers(0, 2, (n, n)).astype(np.int32) * 2 - 1, np.zeros((n, n), np.int32)
    ],
    "springs": lambda n, r: [r.integers(0, n, n * 8), r.integers(0, n, n * 8), r.random(n), _zeros(n)],
    "heat_rod": lambda n, r: [r.random(n), _zeros(n), np.full(n, 0.2)],
    "waiting_times": lambda n, r: [r.random(n * n), r.random(n * n), _zeros(n * n + 1)],
    "token_bucket": lambda n, r: [
        r.integers(0, 12, n * n), np.full(n * n + 1, 100), np.zeros(n * n, np.int64)
    ],
    "page_rank": lambda n, r: _links(n * 8, r),
    "filtered_sum": lambda n, r: [
        r.integers(0, 100, n * n).astype(np.int32), r.random(n * n), np.array([20, 70], np.int32), _zeros(2)
    ],
    "left_join": lambda n, r: [r.integers(-n, n * 4, n * n), r.random(n * 4), r.random(n * n), _zeros(n * n)],
    "delta_decode": lambda n, r: [r.integers(-9, 9, n * n).astype(np.int32), np.zeros(n * n, np.int32)],
    "unpack_nibbles": lambda n, r: [_bytes(r, n * n), np.zeros(2 * n * n, np.uint8)],
    "great_circles": lambda n, r: [r.random((n, 2)), r.random((n + 1, 2)), _zeros(n, n + 1)],
    "hill_shade": lambda n, r: [_image(n + 2, n + 3, r), np.zeros((n, n + 1), np.float32)],
    "epidemic": lambda n, r: [
        r.random((n, n)) / n, r.random(n), np.concatenate([r.random((1, 3, n)), np.zeros((n, 3, n))])
    ],
    "zero_crossings": lambda n, r: [_image(n, n, r) - np.float32(0.5), np.zeros(n, np.int32)],
    "envelope": lambda n, r: [r.random((n, n)) - 0.5, _zeros(n, n)],
    "mix_stereo": lambda n, r: [
        r.integers(-32768, 32768, n * n).astype(np.int16), r.integers(-32768, 32768, n * n).astype(np.int16),
        np.array([0.7, 1.5], np.float32), np.zeros(2 * n * n, np.int16),
    ],
    "spectral_flux": lambda n, r: [_image(n, n, r), np.zeros(n, np.float32)],
    "lennard_jones": lambda n, r: [r.random((n, 3)) * 8.0, _zeros(n)],
    "reaction_rates": lambda n, r: [
        r.integers(0, n, n * 8), r.integers(0, n, n * 8), r.integers(0, n, n * 8), r.random(n * 8), r.random(n),
        _zeros(n),
    ],
    "structure_factors": lambda n, r: [
        r.integers(-5, 6, (n, 3)).astype(float), r.random((n + 1, 3)), r.random(n + 1), _zeros(n, 2)
    ],
    "arm_positions": lambda n, r: [
        r.random((n * n // 8, 7)), r.random(7), _zeros(n * n // 8, 7), _zeros(n * n // 8, 8), _zeros(n * n // 8, 8)
    ],
    "kalman_tracks": lambda n, r: [
        r.random((n, n)), np.array([0.01, 0.1]), _zeros(n + 1, n), np.ones((n + 1, n))
    ],
    "occupancy_grid": lambda n, r: [_image(n * n, 2, r) * np.float32(n * 0.6) - 1, np.zeros((n, n), np.float32)],
    "earth_centred": lambda n, r: [r.random((n * n, 3)), _zeros(n * n, 3)],
    "polygon_areas": lambda n, r: [r.random((n, n)), r.random((n, n)), _zeros(n)],
    "run_starts": lambda n, r: [
        np.repeat(_bytes(r, n * n // 4 + 1), 4), np.zeros(n * n + 4, np.int64), np.zeros(1, np.int64)
    ],
    "code_offsets": lambda n, r: [_bytes(r, n * n), r.integers(1, 16, 256), np.zeros(n * n + 1, np.int64)],
    "block_rounds": lambda n, r: [
        r.integers(0, 1 << 32, (n * n // 2, 2)).astype(np.uint32), r.integers(0, 1 << 32, 4).astype(np.uint32)
    ],
    "field_products": lambda n, r: [
        _bytes(r, n * n), _bytes(r, n * n), r.integers(0, 255, 256), _bytes(r, 255), np.zeros(n * n, np.uint8)
    ],
    "ray_spheres": lambda n, r: [
        _unit(r.standard_normal((n * 4, 3))), r.random((n, 4)) + np.array([2.0, 2.0, 2.0, 0.0]), np.full(n * 4, np.inf)
    ],
    "strongest_paths": lambda n, r: [
        r.permuted(np.tile(np.arange(n), (n + 1, 1)), axis=1), np.zeros((n, n), np.int64),
        np.zeros((n, n), np.int64),
    ],
    "line_breaks": lambda n, r: [
        np.concatenate([[0], np.cumsum(r.integers(2, 12, n * n // 2))]),
        np.concatenate([[0], np.full(n * n // 2, 1 << 40)]), np.zeros(n * n // 2 + 1, np.int64),
    ],
    "ratings": lambda n, r: [r.integers(0, n, n * 8), r.integers(0, n, n * 8), np.full(n, 1500.0)],
    "wind_chill": lambda n, r: [
        _image(1, n * n, r)[0] * 30, _image(1, n * n, r)[0] * 20, np.zeros(n * n, np.float32)
    ],
    "degree_days": lambda n, r: [_image(n * n // 8, 24, r) * 30, 12.0, np.zeros(n * n // 8, np.float32)],
    "rain_spells": lambda n, r: [_image(1, n * n, r)[0] - np.float32(0.4), np.zeros(n * n, np.int64)],
    "monthly_means": lambda n, r: [
        r.random(n * n), r.integers(0, 12, n * n), _zeros(12), np.zeros(12, np.int64), _zeros(12)
    ],
    "car_following": lambda n, r: [
        np.sort(r.choice(n * n * 4, n * n, replace=False)), r.integers(0, 6, n * n), n * n * 4,
        np.zeros(n * n, np.int64),
    ],
    "travel_times": lambda n, r: [
        r.random(n * 4), r.random(n * 4) + 1, r.integers(0, n * 4, (n * n // 16, 16)), r.integers(0, 17, n * n // 16),
        _zeros(n * n // 16),
    ],
    "trips": lambda n, r: [r.integers(0, 30, n * n), r.integers(0, 30, n * n), r.random(n * n), _zeros(30, 30)],
    "queue_lengths": lambda n, r: [r.integers(0, 9, n * n), r.integers(0, 9, n * n), np.zeros(n * n, np.int64)],
    "projections": lambda n, r: [r.random((n, n)), _zeros(n), _zeros(n), _zeros(2 * n - 1)],
    "back_projection": lambda n, r: [_image(1, n, r)[0], _image(1, n, r)[0], np.zeros((n, n), np.float32)],
    "ramp_filter": lambda n, r: [_image(n, n, r), _image(1, 17, r)[0], np.zeros((n, n), np.float32)],
    "outside_circle": lambda n, r: [_image(n, n, r), float(n)],
    "tf_idf": lambda n, r: [
        r.integers(0, 3, (n, n)).astype(np.float32), np.zeros(n, np.float32), np.zeros(n, np.float32),
        np.zeros((n, n), np.float32),
    ],
    "longest_run": lambda n, r: [r.random(n * n) < 0.7, np.zeros(n * n, np.int64), np.zeros(1, np.int64)],
    "sound_codes": lambda n, r: [_bytes(r, n * n), _bytes(r, 256) % 7, np.zeros(n * n, np.uint8)],
    "cosines": lambda n, r: [_image(n, 64, r), _image(n, 64, r), np.zeros((n, n), np.float32)],
    "control_chart": lambda n, r: [
        r.random((n * n // 5, 5)), np.array([0.4, 0.6]), _zeros(n * n // 5), _zeros(n * n // 5),
        np.zeros(n * n // 5, np.bool_),
    ],
    "smoothed_defects": lambda n, r: [r.random(n * n), 0.2, _zeros(n * n)],
    "bill_of_materials": lambda n, r: [r.random((n, n)) / n, np.ones(n)],
    "tool_paths": lambda n, r: [_image(n * n, 3, r), _image(1, n * n, r)[0] + 1, np.zeros(n * n, np.float32)],
    "aperture_sums": lambda n, r: [
        _image(n + 10, n + 10, r), r.integers(5, n + 5, (n, 2)), _image(1, n, r)[0], np.zeros(n, np.float32)
    ],
    "clipped_means": lambda n, r: [r.random((8, n, n)).astype(np.float32) ** 4, np.zeros((n, n), np.float32)],
    "kepler": lambda n, r: [r.random(n * n) * 6, 0.3, _zeros(n * n), _zeros(n * n)],
    "phase_fold": lambda n, r: [
        np.sort(r.random(n * n)) * 100, r.random(n * n), 0.37, _zeros(50), np.zeros(50, np.int64)
    ],
    "diversity": lambda n, r: [
        np.maximum(r.integers(-3, 20, (n, n)), 0).astype(float), _zeros(n), np.zeros(n, np.int64)
    ],
    "dissimilarities": lambda n, r: [r.integers(0, 20, (n, 32)).astype(float), _zeros(n, n)],
    "age_classes": lambda n, r: [
        r.random(n) * 2 / n, r.random(n - 1), np.concatenate([r.random((1, n)), _zeros(n, n)])
    ],
    "forest_fire": lambda n, r: [
        r.choice(3, (n, n + 1), p=[0.3, 0.6, 0.1]).astype(np.uint8), r.random((n, n + 1)) < 0.01,
        np.zeros((n, n + 1), np.uint8),
    ],
    "arrival_ratios": lambda n, r: [r.random(n * n) - 0.5, _zeros(n * n + 1), _zeros(n * n)],
    "flow_directions": lambda n, r: [_image(n + 2, n + 3, r), np.zeros((n, n + 1), np.uint8)],
    "normal_moveout": lambda n, r: [
        _image(n, n + 1, r), np.linspace(1500, 4000, n + 1).astype(np.float32), 10.0, 0.004,
        np.zeros((n, n + 1), np.float32),
    ],
    "synthetic_trace": lambda n, r: [
        r.random(n * n) + 1, r.random(n * n) + 2, r.random(41) - 0.5, _zeros(n * n + 39)
    ],
    "league_table": lambda n, r: [
        r.integers(0, 10, n * n), r.integers(10, 20, n * n), r.integers(0, 5, n * n), r.integers(0, 5, n * n),
        np.zeros(20, np.int64), np.zeros(20, np.int64),
    ],
    "recent_form": lambda n, r: [_image(n, n, r), np.zeros((n, n), np.float32)],
    "positions": lambda n, r: [r.random((24, n * 4)), _zeros(24, n * 4), np.zeros((24, n * 4), np.int64)],
    "shot_map": lambda n, r: [
        r.random((n * n, 2)).astype(np.float32), r.random(n * n) < 0.1, np.zeros((10, 15, 2), np.int32)
    ],
    "tanimoto": lambda n, r: [
        r.random((n, 128)) < 0.3, r.random((n + 1, 128)) < 0.3, np.zeros((n, n + 1), np.float32)
    ],
    "partial_charges": lambda n, r: [
        r.integers(0, n, n * 8), r.integers(0, n, n * 8), r.random(n), r.random(n) - 0.5
    ],
    "atom_codes": lambda n, r: [
        r.integers(-1, n * n // 4, (n * n // 4, 4)), r.integers(0, 1 << 32, n * n // 4).astype(np.uint32),
        np.zeros(n * n // 4, np.uint32),
    ],
    "coulomb_matrix": lambda n, r: [r.integers(1, 9, n).astype(float), r.random((n, 3)) * 9, _zeros(n, n)],
    "rotary": lambda n, r: [
        r.random((n, 4, 64)).astype(np.float32), _image(n, 32, r), _image(n, 32, r), np.zeros((n, 4, 64), np.float32)
    ],
    "alibi": lambda n, r: [
        r.random((4, n, 32)).astype(np.float32), r.random((4, n, 32)).astype(np.float32), _image(1, 4, r)[0],
        np.zeros((4, n, n), np.float32),
    ],
    "experts": lambda n, r: [
        _image(n * n // 4, 8, r), np.zeros(n * n // 4, np.int64), np.zeros(8, np.int64), np.zeros(n * n // 4, np.int64)
    ],
    "fake_quantize": lambda n, r: [
        _image(n, n, r) - np.float32(0.5), np.zeros(n, np.float32), np.zeros((n, n), np.float32)
    ],
    "integrate_and_fire": lambda n, r: [
        _image(n, n, r) / 4, np.zeros(n, np.float32), np.zeros(n, np.int32), np.zeros((n, n), np.bool_)
    ],
    "plasticity": lambda n, r: [
        _image(1, n, r)[0], _image(1, n + 1, r)[0], r.random(n) < 0.3, r.random(n + 1) < 0.3, _image(n, n + 1, r)
    ],
    "intervals": lambda n, r: [r.random((n, n)) < 0.2, np.zeros(n, np.int64), np.zeros((n, 20), np.int32)],
    "coincidences": lambda n, r: [r.random(n * n) < 0.2, r.random(n * n) < 0.2, np.zeros(31, np.int64)],
    "principal_stresses": lambda n, r: [r.random((n * n, 3)) - 0.5, _zeros(n * n, 2), _zeros(n * n)],
    "truss": lambda n, r: [
        r.random((n, 2)), r.random((n, 2)), np.stack(_neighbours(n, r), 1),
        r.random(n * 8), _zeros(n * 8), _zeros(n, 2),
    ],
    "oscillators": lambda n, r: [r.random(n), r.random(n) * 9, _zeros(n, n), _zeros(n), _zeros(n)],
    "beam": lambda n, r: [r.random(n * n) - 0.5, _zeros(n * n + 1), _zeros(n * n + 1), _zeros(n * n + 1)],
    "vegetation": lambda n, r: [
        r.integers(0, 3000, (n, n)).astype(np.uint16), r.integers(0, 3000, (n, n)).astype(np.uint16),
        r.random((n, n)) < 0.1, np.zeros((n, n), np.int16),
    ],
    "cloud_fill": lambda n, r: [_image(n, n, r), r.random((n, n)) < 0.3, np.zeros((n, n), np.float32)],
    "block_means": lambda n, r: [_image(4 * n, 4 * n + 4, r) - np.float32(0.2), np.zeros((n, n + 1), np.float32)],
    "ruggedness": lambda n, r: [_image(n, n + 1, r), np.zeros((n, n + 1), np.float32)],
    "pid_loops": lambda n, r: [
        r.random((n, n)) * 9, np.array([0.5, 0.1, 0.2]), _zeros(n), _zeros(n), _zeros(n), _zeros(n, n)
    ],
    "riccati": lambda n, r: [r.random((n, n)) / n, r.random(n), np.eye(n), _zeros(n)],
    "state_space": lambda n, r: [
        r.random((8, 8)) / 8, r.random(8), r.random(8), r.random(n * 4), _zeros(n * 4 + 1, 8), _zeros(n * 4)
    ],
    "thermostat": lambda n, r: [
        (r.random(n * n) * 4 + 18).astype(np.float32), np.zeros(n * n + 1, np.bool_), np.zeros(1, np.int64)
    ],
}  # fmt: skip
