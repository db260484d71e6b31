"""The command line of relax-lang: commands and renderers. Installed as `relax_lang.cli`."""
