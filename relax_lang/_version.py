"""The version, readable without importing anything."""

VERSION = "0.4.0"
