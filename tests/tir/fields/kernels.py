"""Kernels from fields that the corpus lacks, written before anybody looked at how they compile."""

from __future__ import annotations

from pathlib import Path

from relax_lang.syntax import tree
from tests.tir.support import prim_funcs

FOLDER = Path(__file__).parent
FIELDS = (
    "images", "simulation", "dynamic", "inference", "sparse", "signals", "ciphers", "games", "finance", "genomics",
    "graphics", "statistics", "text", "physics", "networks", "databases", "earth", "audio",
    "chemistry", "robotics", "geodesy", "compression", "cryptography", "optics", "elections", "typography",
    "meteorology", "traffic", "tomography", "linguistics", "manufacturing",
    "astronomy", "ecology", "geology", "sports", "molecules",
    "learning", "neurons", "mechanics", "sensing", "control",
)  # fmt: skip
FILES: dict[str, dict[str, tree.PrimFunc]] = {
    field: prim_funcs((FOLDER / f"{field}.rlx").read_text(encoding="utf-8")) for field in FIELDS
}
FIELD_OF = {name: field for field, funcs in FILES.items() for name in funcs}
KERNELS: dict[str, tree.PrimFunc] = {name: func for field in FILES.values() for name, func in field.items()}

LARGE = {
    "gravity": 800, "string_waves": 700, "common_subsequence": 500, "integral": 700, "knapsack": 400, "viterbi": 150,
    "chain_order": 90, "nearest_centre": 1500, "forward_algorithm": 400, "fourier": 900, "distances": 300,
    "coins": 500, "grouped_weights": 256, "csr": 700, "coo": 700, "ellpack": 700, "lines_of_five": 500,
    "ratings": 300, "random_numbers": 300, "biquad": 300, "checksum": 300, "adler": 300, "best_run": 300,
    "binomial_option": 800, "portfolio_risk": 300, "hamming": 150, "alignment": 400, "ranks": 800,
    "kernel_density": 800, "row_lengths": 700, "heat_rod": 700, "depth_test": 600,
    "waiting_times": 300, "token_bucket": 300, "great_circles": 500, "epidemic": 200,
    "lennard_jones": 600, "kalman_tracks": 700, "strongest_paths": 150, "line_breaks": 40, "structure_factors": 700,
    "smoothed_defects": 300, "bill_of_materials": 900, "projections": 700, "ramp_filter": 700, "cosines": 400,
    "clipped_means": 400, "kepler": 400, "dissimilarities": 300, "tanimoto": 400, "coulomb_matrix": 700,
    "alibi": 600, "experts": 400, "thermostat": 300, "riccati": 400, "intervals": 600, "plasticity": 700,
    "block_means": 300,
}  # fmt: skip
"""The large size of a kernel; 1000 where nothing else is said. The small one is 24."""
SMALL = 24
