"""The compiled engine: functions in normal form as Python source. See ARCHITECTURE.md, "Two engines"."""
