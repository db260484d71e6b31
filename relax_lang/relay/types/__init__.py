"""Types of Relay: forms, unification, the queue of relations, inference, exhaustiveness."""
