"""The version, readable without importing anything."""

VERSION = "0.2.0"
