"""The version, readable without importing anything."""

VERSION = "0.11.0"
