"""The version, readable without importing anything."""

VERSION = "0.19.0"
