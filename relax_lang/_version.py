"""The version, readable without importing anything."""

VERSION = "0.18.0"
