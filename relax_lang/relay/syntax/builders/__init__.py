"""The callbacks of the grammar of Relay: one method per production, each makes a node."""
