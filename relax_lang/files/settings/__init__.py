"""The settings of projects, the plugins that they name, and whether code of settings may run."""
