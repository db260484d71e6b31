"""The version, readable without importing anything."""

VERSION = "0.16.0"
