"""Lints are silent about a unit of which a part could not be read: it may hold the use of a name."""

from relax_lang import api
from relax_lang.base.source import PythonFile

UNIT = """from tvm.script import relax as R

@R.function
def main(x: R.Tensor((2,), "float32")):
    y = R.add(x, missing)
    return y

@R.function
def whole(x: R.Tensor((2,), "float32"), z: R.Tensor((2,), "float32")):
    return x
"""


def test_what_could_not_be_read_may_use_a_name() -> None:
    found = api.check(PythonFile(UNIT, "model.py"), lints=["unused-parameter"]).diagnostics
    assert [(one.slug, UNIT[one.pos : one.end]) for one in found] == [
        ("tvmscript-captured-name", "missing"),
        ("unused-parameter", "z"),
    ]
