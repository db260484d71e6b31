"""The standard library of Relay: texts that programs import by `import "std/prelude.relay"`. They are data."""
