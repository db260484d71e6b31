"""Why a name means nothing where it is, loaded when there is something to report."""
