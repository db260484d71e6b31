"""The version, readable without importing anything."""

VERSION = "0.13.0"
