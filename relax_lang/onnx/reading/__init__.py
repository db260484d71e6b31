"""Files of ONNX, decoded."""
