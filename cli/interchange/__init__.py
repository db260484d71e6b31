"""Commands that read and write other formats: TVMScript, Relay, ONNX."""
