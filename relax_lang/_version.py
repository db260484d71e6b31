"""The version, readable without importing anything."""

VERSION = "0.9.0"
