"""Programs as models of ONNX: the operators that both have, the rest refused with the list."""
