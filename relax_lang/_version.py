"""The version, readable without importing anything."""

VERSION = "0.12.0"
