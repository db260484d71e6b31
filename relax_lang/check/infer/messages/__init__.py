"""Messages of inference, loaded only when there is something to report."""
