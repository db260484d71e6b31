"""Diagnostics about models of ONNX: files that cannot be read, and models that have no counterpart in Relax."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic, Location, Rule

_SHOWN = 5


@rule("RLX1101", "onnx-unreadable", ERROR)
def unreadable(rule: Rule, path: str, why: str) -> Diagnostic:
    """A file that ends in `.onnx` cannot be read as a model.

    It is not a protocol buffer of ONNX, was cut off, or is larger than a message can be.

    ```console
    $ relax check broken.onnx
    error[RLX1101 onnx-unreadable]: `broken.onnx`: it is not an ONNX model, or it is damaged
    ```
    """
    return rule.at(None, f"`{path}`: {why}")


@rule("RLX1102", "onnx-not-installed", ERROR)
def not_installed(rule: Rule, path: str) -> Diagnostic:
    """Models of ONNX are read with the package `onnx`, which is not installed.

    ```console
    $ pip install 'relax-lang[onnx]'
    ```
    """
    found = rule.at(None, f"`{path}` is a model of ONNX, and the package `onnx` is not installed")
    return found.helped("pip install 'relax-lang[onnx]'")


@rule("RLX1103", "onnx-unsupported", ERROR)
def unsupported(rule: Rule, op: str, opset: int, why: str, place: str, others: Sequence[str]) -> Diagnostic:
    """A node of a model has no counterpart in Relax.

    All such nodes of a model are reported in one run, those of one operator and one reason together. Strings,
    optionals, sequences that leave the model, 8-bit floats and the decoding of images are outside of what Relax has.
    Of the domain `com.microsoft` those are imported that onnxruntime's optimizer makes of several operators:
    `FusedConv`, `FusedMatMul`, `Gelu`, `BiasGelu`, `FastGelu`, `QuickGelu` and `SkipLayerNormalization`.

    ```console
    $ relax import model.onnx
    error[RLX1103 onnx-unsupported]: node 3 `decode` (ImageDecoder): ImageDecoder of opset 20 is not supported
    ```
    """
    reason = f": {why}" if why else ""
    found = rule.at(None, f"{place}: {op} of opset {opset} is not supported{reason}")
    if op.startswith("com.microsoft."):
        found.helped(
            "onnxruntime's optimizer and quantizer write this operator: import the model as it was before"
        )
    if others:
        more = f", and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        found = found.note(f"so are {len(others)} others: {', '.join(others[:_SHOWN])}{more}")
    return found


@rule("RLX1104", "onnx-needs-value", ERROR)
def needs_value(
    rule: Rule, place: str, role: str, names: Sequence[str], givable: Sequence[str], inputs: Sequence[str]
) -> Diagnostic:
    """An operator needs the value of an input when the model is imported.

    Which axes are reduced, how many elements are taken and how an axis is split decide about shapes, so no readable
    program can leave them open. Give the value of a graph input with `--const`; it is not a parameter then. Where such
    a value is computed from inputs, those are named.

    ```console
    $ relax import model.onnx --const axes=axes.npy -o model.rlx
    ```
    """
    unknown = f"`{names[0]}` is not" if len(names) == 1 else "it is not"
    found = rule.at(None, f"{place}: {role} must be known when the model is imported, and {unknown}")
    if not givable:
        shown = ", ".join([f"`{one}`" for one in inputs[:_SHOWN]])
        return found.note(f"it follows from the elements of {shown}") if inputs else found
    found.data["inputs"] = list(givable)
    options = " ".join([f"`--const {one}=FILE.npy`" for one in givable])
    value = "the value" if len(givable) == 1 else "the values"
    if list(names) == list(givable):
        return found.helped(f"give {value} of the input: {options}")
    return found.helped(f"it is computed from inputs of the model; give {value}: {options}")


@rule("RLX1105", "onnx-invalid", ERROR)
def invalid(rule: Rule, place: str, why: str) -> Diagnostic:
    """A model breaks a rule of ONNX itself.

    Inputs that nothing computes, nodes in a cycle, weights whose bytes do not match their shape, operands whose shapes
    or dtypes an operator does not take.

    ```console
    $ relax check model.onnx
    error[RLX1105 onnx-invalid]: node 7 `add` (Add): its input `bias` is not known: nothing computes it
    ```
    """
    return rule.at(None, f"{place}: {why}")


@rule("RLX1106", "onnx-no-such-input", ERROR)
def no_such_input(rule: Rule, name: str, inputs: Sequence[str]) -> Diagnostic:
    """A shape or a value was given for an input that the model does not have.

    ```console
    $ relax import model.onnx --shape y=1,3
    error[RLX1106 onnx-no-such-input]: the model has no input `y`
    ```
    """
    shown = ", ".join([f"`{one}`" for one in inputs[:8]]) + (", …" if len(inputs) > 8 else "")
    return rule.at(None, f"the model has no input `{name}`").helped(
        f"it has {shown}" if inputs else "it has none"
    )


@rule("RLX1107", "onnx-unsupported-input", ERROR)
def unsupported_input(rule: Rule, place: str, why: str) -> Diagnostic:
    """An input of a model cannot be a parameter of a Relax program.

    Parameters are tensors of the dtypes that Relax has, and of a known rank.

    ```console
    $ relax import model.onnx
    error[RLX1107 onnx-unsupported-input]: input `words`: it has the dtype string, which Relax does not have
    ```
    """
    return rule.at(None, f"{place}: {why}")


@rule("RLX1108", "onnx-no-counterpart", ERROR)
def not_exported(rule: Rule, place: Location | None, what: str, why: str, more: int) -> Diagnostic:
    """A program has something that ONNX has no counterpart for, so that it cannot be written as a model.

    All of them are reported in one run, those of one operator and one reason together. PrimFuncs, packed functions,
    closures and recursion have none; of many operators only the usual layouts and options do.

    ```relax
    prim_func @relu(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = max(X[i], 0.0);
      }
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      call_tir(@relu, (x,)) -> Tensor[(n,), float32]
    }
    ```

    ```console
    $ relax export model.rlx --format onnx -o model.onnx
    error[RLX1108 onnx-no-counterpart]: `call_tir` has no counterpart in ONNX
    ```
    """
    reason = f": {why}" if why else ""
    found = rule.at(place, f"{what} has no counterpart in ONNX{reason}")
    return found.note(f"{more} more of the same") if more else found
