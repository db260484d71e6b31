"""Integer arithmetic over names: what dimensions and loop indices are computed and compared with."""
