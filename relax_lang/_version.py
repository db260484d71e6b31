"""The version, readable without importing anything."""

VERSION = "0.7.0"
