"""The version, readable without importing anything."""

VERSION = "0.3.0"
