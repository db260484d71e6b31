"""The version, readable without importing anything."""

VERSION = "0.15.0"
