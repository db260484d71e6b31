"""The version, readable without importing anything."""

VERSION = "0.17.0"
