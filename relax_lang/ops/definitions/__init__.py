"""The operators, one module for each family: signature, struct info rule, kernel and documentation in one place.

A new operator is one declaration in the module of its family. `make generate` then writes it into the index and the
documentation. The rooms follow the folders of TVM's `relax/op`, so that the prefix of a name leads to its file: `nn.*`
and `image.*` are in `nn`; operators without a prefix are in `tensor`, or, if they call, print or assert, in `program`.
`tensor.manipulate` has those that only move elements, as TVM's `tensor/manipulate.cc` does.
Rules that are long are in the module of the same name in `ops.shape_rules`.
"""

from __future__ import annotations

ROOMS = ("tensor", "nn", "program")
"""In the order in which the documentation has them."""
