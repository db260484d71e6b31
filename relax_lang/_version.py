"""The version, readable without importing anything."""

VERSION = "0.14.0"
