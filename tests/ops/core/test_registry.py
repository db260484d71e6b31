"""The registry as a whole: every operator is declared completely, its example runs, nothing imports numpy."""

from __future__ import annotations

import subprocess
import sys

import pytest

from relax_lang.ops.core import documentation
from relax_lang.ops.core.families import FAMILIES, FAMILY_OF
from relax_lang.ops.core.registry import (
    BY_KERNEL,
    BY_RUNTIME,
    NOT_YET,
    OPERATORS,
    Family,
    Operator,
    all_operators,
    lookup,
    names,
)
from relax_lang.ops.core.signature import KINDS
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.values import RunFailure
from tests.ops.harness import evaluate, f32, run


def listed(text: str) -> list[str]:
    return text.split()


TIER_1 = listed("""
    abs add arange argmax argmin argsort assert_op astype broadcast_to call_dps_packed call_pure_packed
    call_tir ceil clip concat cos cumsum divide einsum equal erf exp expand_dims flatten floor floor_divide
    floor_mod full full_like greater greater_equal image.resize2d invoke_closure invoke_pure_closure less
    less_equal linear log logical_and logical_not logical_or make_closure matmul max maximum mean min
    minimum mod multiply negative nn.adaptive_avg_pool2d nn.attention nn.attention_bias nn.avg_pool2d
    nn.batch_norm nn.conv1d nn.conv2d nn.dropout nn.gelu nn.gelu_tanh nn.group_norm nn.layer_norm
    nn.leakyrelu nn.log_softmax nn.max_pool2d nn.pad nn.relu nn.rms_norm nn.silu nn.softmax not_equal
    null_value one_hot ones ones_like permute_dims power print prod repeat reshape round rsqrt shape_of
    shape_to_tensor sigmoid sign sin sort split sqrt square squeeze stack std strided_slice subtract sum
    take tanh tensor_to_shape tile topk tril triu unique variance where zeros zeros_like
""")

TIER_2 = listed("""
    acos acosh asin asinh atan atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor bucketize
    builtin.alloc_tensor call_inplace_packed call_tir_inplace call_tir_with_grad collapse_sum_like
    collapse_sum_to cosh cumprod dequantize dynamic_strided_slice ewise_fma eye eye_like flip
    gather_elements gather_nd hamming_window hint_on_device image.affine_grid image.grid_sample
    image.resize3d index_put index_tensor isfinite isinf isnan layout_transform left_shift log_add_exp
    logical_xor masked_fill median memory.view meshgrid multinomial_from_uniform nn.adaptive_avg_pool1d
    nn.adaptive_avg_pool3d nn.avg_pool1d nn.avg_pool3d nn.batch_flatten nn.conv1d_transpose
    nn.conv2d_transpose nn.conv3d nn.conv3d_transpose nn.cross_entropy_with_logits nn.instance_norm
    nn.max_pool1d nn.max_pool3d nn.nll_loss nn.pixel_shuffle nn.prelu nn.relu6 nn.selu nn.softplus nonzero
    outer quantize reverse_sequence right_shift scatter_elements scatter_nd shape_equals sinh size
    slice_scatter tan to_vdevice trunc
""")

TIER_3 = listed("""
    builtin.stop_lift_params call_builtin_with_ctx call_py_func ccl.allgather ccl.allreduce
    ccl.broadcast_from_worker0 ccl.scatter_from_worker0 dist.annotate_sharding dist.call_tir_local_view
    dist.redistribute dist.redistribute_replica_to_shard grad.avg_pool2d_backward grad.end_checkpoint
    grad.max_pool2d_backward grad.nll_loss_backward grad.no_grad grad.start_checkpoint grad.take_backward
    inspect.tensor_byte_offset inspect.tensor_dtype_bits inspect.tensor_dtype_code
    inspect.tensor_dtype_lanes inspect.tensor_elem_offset inspect.tensor_ndim inspect.tensor_shape_i
    inspect.tensor_stride_i memory.alloc_storage memory.alloc_tensor memory.ensure_zero_offset
    memory.kill_storage memory.kill_tensor nn.attention_var_len vision.all_class_non_max_suppression
    vision.get_valid_counts vision.multibox_transform_loc vision.non_max_suppression vision.roi_align
    vision.roi_pool vm.alloc_storage vm.alloc_tensor vm.call_tir_dyn vm.kill_object wrap_param
""")

IMPURE = listed("""
    print assert_op invoke_closure call_builtin_with_ctx memory.kill_storage memory.kill_tensor vm.kill_object
    vm.call_tir_dyn call_dps_packed""")

ALL = all_operators()
BY_NAME = {operator.name: operator for operator in ALL}


def test_every_operator_is_known() -> None:
    assert (len(TIER_1), len(TIER_2), len(TIER_3)) == (111, 80, 43)
    for tier, listed in ((1, TIER_1), (2, TIER_2), (3, TIER_3)):
        assert sorted(listed) == sorted(o.name for o in ALL if o.tier == tier)
    assert names() == sorted(TIER_1 + TIER_2 + TIER_3)


def test_families_list_what_their_modules_declare() -> None:
    for family, listed in FAMILIES.items():
        assert sorted(listed.split()) == sorted(o.name for o in ALL if o.family.name == family)
    assert set(FAMILY_OF) == set(OPERATORS)


def test_lookup_knows_nothing_else() -> None:
    assert lookup("matmul") is BY_NAME["matmul"]
    assert lookup("nn.matmul") is None
    assert lookup("") is None


@pytest.mark.parametrize("operator", ALL, ids=repr)
def test_O_11_declared_completely(operator: Operator) -> None:
    assert len(operator.doc) > 15
    assert operator.doc.endswith(".")
    assert "{" not in operator.doc.replace("`{}`", "")
    assert all(param.kind in KINDS for param in operator.params)
    assert len({p.name for p in operator.params} | {a.name for a in operator.attrs}) == len(
        operator.params
    ) + len(operator.attrs)
    assert (operator.kernel is not None) == (operator.evaluated == BY_KERNEL)
    assert (operator.evaluated == NOT_YET) == (operator.tier == 3)
    assert set(operator.aliases) <= {param.name for param in operator.params}
    optional = [param.optional for param in operator.params]
    assert optional == sorted(optional), "what may be left out comes last"
    assert not any(param.variadic for param in operator.params[:-1])


@pytest.mark.parametrize("operator", ALL, ids=repr)
def test_P_3_purity(operator: Operator) -> None:
    assert operator.pure == (operator.name not in IMPURE)


@pytest.mark.parametrize("operator", [o for o in ALL if o.evaluated == BY_KERNEL], ids=repr)
def test_example_runs(operator: Operator, capsys: pytest.CaptureFixture[str]) -> None:
    parsed = parse(operator.example, start="expr")
    assert isinstance(parsed.tree, tree.Call)
    assert isinstance(parsed.tree.op, tree.Op)
    assert parsed.tree.op.op_name == operator.name
    evaluate(operator.example)


@pytest.mark.parametrize("operator", [o for o in ALL if o.evaluated == BY_RUNTIME], ids=repr)
def test_example_of_the_runtime_parses(operator: Operator) -> None:
    parsed = parse(operator.example, start="expr")
    assert not parsed.diagnostics
    assert isinstance(parsed.tree, tree.Call)
    assert isinstance(parsed.tree.op, tree.Op)
    assert parsed.tree.op.op_name == operator.name


@pytest.mark.parametrize("operator", [o for o in ALL if o.evaluated != BY_KERNEL], ids=repr)
def test_what_has_no_kernel_says_so(operator: Operator) -> None:
    required = {spec.name: _some(spec.type) for spec in operator.attrs if spec.required}
    with pytest.raises(RunFailure) as caught:
        operator.run([None] * len(operator.params), required)
    assert caught.value.slug == "operator-not-evaluated"
    assert operator.name in caught.value.message


def _some(type_: str) -> object:
    from relax_lang.ops.core.signature import DTypeName

    return {"i": 1, "f": 1.0, "s": "x", "d": DTypeName("float32")}[type_[0]]


@pytest.mark.parametrize("operator", ALL, ids=repr)
def test_described(operator: Operator) -> None:
    text = documentation.describe(operator)
    assert operator.signature in text
    assert ("impure" in text) == (not operator.pure)
    assert all(len(line) <= 90 or line.startswith((operator.name, "  ")) for line in text.splitlines())


def test_markdown_has_every_operator_once() -> None:
    page = documentation.markdown()
    assert [line[4:] for line in page.splitlines() if line.startswith("### ")] == [
        name for listed in FAMILIES.values() for name in sorted(listed.split())
    ]
    assert page == documentation.markdown()


def test_names_signatures_and_documentation_need_no_numpy() -> None:
    program = (
        "import sys; from relax_lang.ops.core import documentation, registry; documentation.markdown(); "
        "from relax_lang.ops.core.attributes import check_call; "
        "[check_call(o, 1, {}) for o in registry.all_operators()]; "
        "bad = {'numpy', 'dataclasses', 'typing', 'enum', 'inspect'} & set(sys.modules); "
        "sys.exit(' '.join(sorted(bad)) or 0)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_declaring_twice_is_refused() -> None:
    family = Family("elementwise", "x")
    with pytest.raises(ValueError, match="twice"):
        family.declare("abs", "x: tensor", doc="", example="")
    with pytest.raises(ValueError, match=r"families\.py"):
        family.declare("brand_new", "x: tensor", doc="", example="")
    assert "brand_new" not in OPERATORS


def test_what_a_kernel_raises_becomes_a_failure() -> None:
    family = Family("outside", "An operator of a user")

    @family.operator("user.broken", "x: tensor", example="")
    def broken(x: object) -> None:
        """Fail, and fail badly."""
        raise IndexError(f"no {type(x).__name__}")

    @family.operator("user.huge", "x: tensor", example="")
    def huge(x: object) -> None:
        """Need more memory than there is."""
        raise MemoryError

    try:
        for name, slug in (("user.broken", "op-runtime-value"), ("user.huge", "out-of-memory")):
            with pytest.raises(RunFailure, match=name) as caught:
                run(name, f32(1.0))
            assert caught.value.slug == slug
    finally:
        del OPERATORS["user.broken"], OPERATORS["user.huge"]
