"""The version, readable without importing anything."""

VERSION = "0.6.0"
