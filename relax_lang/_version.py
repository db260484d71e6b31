"""The version, readable without importing anything."""

VERSION = "0.8.0"
