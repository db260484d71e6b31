"""Comments: those for the toolchain, and those that translation keeps. [R.30] [R.38]"""

from __future__ import annotations

from relax_lang import api
from relax_lang.api.relay import translated
from relax_lang.base.source import RelayFile

COMMENTED = """\
#[version = "0.0.5"]
// What this is about.

// The identity of anything.
def @same[A](%x: A) -> A { %x }

/* The main function:
 * two layers. */
def @main(%x: Tensor[(2, 3), float32]) {
  // first turn it around
  let %y = transpose(%x, axes=None);
  let %z = transpose(nn.relu(%y), axes=None); // back again
  @same(%z) /* ty=Tensor[(2, 3), float32] */
}
// That is all.
"""
WITH_COMMENTS = """\
# What this is about.

# The main function:
# two layers.
def @main(x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
  dataflow {
    # first turn it around
    let y = permute_dims(x);
    # back again
    let gv_1 = nn.relu(y);
    let z = permute_dims(gv_1);
    output z;
  }
  let gv_3 = @same_Tensor_2_3_float32(z);
  gv_3
}

# The identity of anything.
def @same_Tensor_2_3_float32(x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
  x
}

# That is all.
"""


def slugs(text: str) -> list[str]:
    return [one.slug for one in api.check(RelayFile(text)).diagnostics]


def test_R_38_comments_are_kept():
    assert translated(RelayFile(COMMENTED)).text == WITH_COMMENTS
    assert api.check(WITH_COMMENTS).diagnostics == []


def test_R_30_a_comment_silences_a_finding():
    text = "def @main(%x: Tensor[(2), float32]) {{ transpose(%x) }}{}\n"
    assert slugs(text.format("")) == ["relay-attr-missing"]
    assert slugs(text.format(" // relax: ignore[relay-attr-missing]")) == []
    assert slugs("// relax: ignore[RLX1062]\n" + text.format("")) == []
    assert slugs("# relax: ignore-file[relay-attr-missing]\n" + text.format("")) == []


def test_R_30_comments_that_silence_nothing_are_reported():
    text = "def @main(%x: float32) {{ %x }} // relax: ignore[{}]\n"
    assert slugs(text.format("relay-attr-missing")) == ["unused-ignore"]
    assert slugs(text.format("relay-atr-missing")) == ["unknown-code"]


def test_R_29_mistakes_of_syntax_cannot_be_silenced():
    text = "def @main(%x: float32) { let x = 1; %x } // relax: ignore[relay-syntax]\n"
    assert slugs(text) == ["relay-syntax"]
