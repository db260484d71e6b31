"""The version, readable without importing anything."""

VERSION = "0.10.0"
