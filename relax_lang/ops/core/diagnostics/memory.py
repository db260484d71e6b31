"""Diagnostics of explicit memory: RLX1405 to RLX1407. Found by the checker where it can be, else by the run."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX1405", "storage-exceeded", ERROR)
def storage_exceeded(rule: Rule, place: Location, message: str, storage: Location) -> Diagnostic:
    """A tensor is made in a storage in which it has no room.

    `memory.alloc_tensor` takes the bytes of a storage from an offset on; all of them must be there. The size of a
    storage is in bytes: the elements of the tensor times the size of one.

    ```relax wrong
    def @main() -> Tensor[(4,), float32] {
      let storage = memory.alloc_storage(shape(4), 0);
      memory.alloc_tensor(storage, 0, shape(4), dtype=float32)
    }
    ```

    ```relax right
    def @main() -> Tensor[(4,), float32] {
      let storage = memory.alloc_storage(shape(16), 0);
      memory.alloc_tensor(storage, 0, shape(4), dtype=float32)
    }
    ```
    """
    found = rule.at(place, message, "does not fit")
    found.label(storage, "the storage")
    return found


@rule("RLX1406", "use-after-kill", ERROR)
def use_after_kill(rule: Rule, place: Location, name: str, killed: Location) -> Diagnostic:
    """A value is used after its life was ended.

    `memory.kill_tensor`, `memory.kill_storage` and `vm.kill_object` state that nothing uses their argument any more,
    under whatever name, so that its memory can serve other tensors. A storage may be killed before the
    tensors in it, which keep its memory.

    ```relax wrong
    impure def @main() -> Tensor[(4,), float32] {
      let storage = memory.alloc_storage(shape(16), 0);
      memory.kill_storage(storage);
      memory.alloc_tensor(storage, 0, shape(4), dtype=float32)
    }
    ```

    ```relax right
    impure def @main() -> Tensor[(4,), float32] {
      let storage = memory.alloc_storage(shape(16), 0);
      let x = memory.alloc_tensor(storage, 0, shape(4), dtype=float32);
      memory.kill_storage(storage);
      x
    }
    ```
    """
    found = rule.at(place, f"`{name}` is used after it was killed", "used here")
    found.label(killed, "killed here")
    return found.helped("move the kill behind the last use, or leave it out")


@rule("RLX1407", "heap-slot-unwritten", ERROR)
def heap_slot_unwritten(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A slot of a shape heap is read, and nothing was stored in it before.

    `vm.match_shape` stores the dimensions of a value in slots, and PrimFuncs that get the heap compute others. Order
    matters: a size is stored before `vm.make_shape` reads it.

    ```relax wrong
    impure def @main(x: Tensor[ndim=1, float32]) -> Shape[ndim=1] {
      let heap = vm.alloc_shape_heap(size=1);
      vm.make_shape(heap, codes=["slot"], operands=[0])
    }
    ```

    ```relax right
    impure def @main(x: Tensor[ndim=1, float32]) -> Shape[ndim=1] {
      let heap = vm.alloc_shape_heap(size=1);
      vm.match_shape(x, heap, codes=["store"], operands=[0]);
      vm.make_shape(heap, codes=["slot"], operands=[0])
    }
    ```
    """
    return rule.at(place, message, "read here")
