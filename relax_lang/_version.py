"""The version, readable without importing anything."""

VERSION = "0.20.0"
