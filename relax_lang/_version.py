"""The version, readable without importing anything."""

VERSION = "0.5.0"
