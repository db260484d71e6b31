"""Legal forms: the PrimFunc that computes what a kernel computes, written as tensor expressions.

A module for each family of `ops.definitions`, under the same name: `FORMS` maps the name of an
operator to its form, `WITHOUT` to the reason why it has none. Loaded only where calls are to be legalized.
"""
