"""No gradients of quantization."""

from __future__ import annotations

WITHOUT: dict[str, str] = dict.fromkeys(("dequantize", "quantize"), "its results go in steps")
