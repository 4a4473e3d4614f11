"""Sums of many rows at once, with as many numbers in the processor's registers as there are.

Written for the machine itself: what Numba makes of a loop over rows loads and stores the sum for
every row, which takes most of the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
"""Rows are a multiple of this many numbers long."""
_BLOCKS = (5, 1)  # vectors of so many numbers that are summed side by side

_FUSED = ("contract",)  # a product and a sum may be one instruction
_WORD, _FLOAT = ir.IntType(64), ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)


@intrinsic
def add_rows(
    context: Any,
    sums: Any,
    rows: Any,
    length: Any,
    numbers: Any,
    amounts: Any,
    count: Any,
) -> Any:
    """Adds to the sums [length] each of so many rows [length], by its number, times its amount.

    All but `length` and `count` are addresses: of float32, but of uint64 for the numbers.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _generate_sums(builder, *arguments)
        return context.get_dummy_value()

    word = types.uint64
    return types.void(word, word, word, word, word, word), generate


@intrinsic
def rectified_total(
    context: Any,
    sums: Any,
    rows: Any,
    length: Any,
    numbers: Any,
    amounts: Any,
    count: Any,
    weights: Any,
) -> Any:
    """What `add_rows` would make of the sums, each of them if it is above 0 times its weight.

    The sums stay as they are: nothing leaves the registers but the total.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _generate_total(builder, *arguments)

    word = types.uint64
    return types.float32(word, word, word, word, word, word, word), generate


def _generate_sums(builder: Any, sums: Any, *rows: Any) -> None:
    sums_at = builder.inttoptr(sums, _FLOAT.as_pointer())
    for begin, block in _blocks_of_sums(builder, sums_at, *rows):
        for i, total in enumerate(block):
            _store(builder, sums_at, begin, i, builder.load(total))


def _generate_total(builder: Any, sums: Any, *rows_and_weights: Any) -> Any:
    *rows, weights = rows_and_weights
    sums_at = builder.inttoptr(sums, _FLOAT.as_pointer())
    weights_at = builder.inttoptr(weights, _FLOAT.as_pointer())
    zeros = ir.Constant(_VECTOR, [0.0] * LANES)
    result = cgutils.alloca_once_value(builder, zeros)
    for begin, block in _blocks_of_sums(builder, sums_at, *rows):
        for i, total in enumerate(block):
            value = builder.load(total)
            value = builder.select(builder.fcmp_ordered(">", value, zeros), value, zeros)
            product = builder.fmul(value, _load(builder, weights_at, begin, i), flags=_FUSED)
            builder.store(builder.fadd(product, builder.load(result), flags=_FUSED), result)
    return _across(builder, builder.load(result))


def _blocks_of_sums(
    builder: Any, sums_at: Any, rows: Any, length: Any, numbers: Any, amounts: Any, count: Any
) -> Iterator[tuple[Any, list[Any]]]:
    """Where each block of sums begins, and its vectors with the rows added; in a loop's body."""
    rows_at = builder.inttoptr(rows, _FLOAT.as_pointer())
    numbers_at = builder.inttoptr(numbers, _WORD.as_pointer())
    amounts_at = builder.inttoptr(amounts, _FLOAT.as_pointer())
    done = cgutils.alloca_once_value(builder, ir.Constant(_WORD, 0))
    for vectors in _BLOCKS:
        step = ir.Constant(_WORD, vectors * LANES)
        with _WhileLoop(builder, lambda step=step: _fits(builder, done, step, length)):
            begin = builder.load(done)
            block = [
                cgutils.alloca_once_value(builder, _load(builder, sums_at, begin, i))
                for i in range(vectors)
            ]
            with cgutils.for_range(builder, count, intp=_WORD) as loop:
                number = builder.load(builder.gep(numbers_at, [loop.index]))
                amount = _spread(builder, builder.load(builder.gep(amounts_at, [loop.index])))
                row = builder.add(builder.mul(number, length), begin)
                for i, total in enumerate(block):
                    part = _load(builder, rows_at, row, i)
                    product = builder.fmul(amount, part, flags=_FUSED)
                    builder.store(builder.fadd(product, builder.load(total), flags=_FUSED), total)
            yield begin, block
            builder.store(builder.add(begin, step), done)


def _across(builder: Any, vector: Any) -> Any:
    """The sum of a vector's numbers."""
    width = LANES
    while width > 1:
        width //= 2
        other = [(i + width) % LANES for i in range(LANES)]
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), other)
        moved = builder.shuffle_vector(vector, vector, mask)
        vector = builder.fadd(vector, moved)
    return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


class _WhileLoop:
    """The body is repeated as long as the condition holds."""

    def __init__(self, builder: Any, condition: Any) -> None:
        self._builder, self._condition = builder, condition

    def __enter__(self) -> None:
        builder = self._builder
        self._test = builder.append_basic_block("test")
        body = builder.append_basic_block("body")
        self._end = builder.append_basic_block("end")
        builder.branch(self._test)
        builder.position_at_end(self._test)
        builder.cbranch(self._condition(), body, self._end)
        builder.position_at_end(body)

    def __exit__(self, *fault: object) -> None:
        self._builder.branch(self._test)
        self._builder.position_at_end(self._end)


def _fits(builder: Any, done: Any, step: Any, length: Any) -> Any:
    end = builder.add(builder.load(done), step)
    return builder.icmp_unsigned("<=", end, length)


def _spread(builder: Any, number: Any) -> Any:
    first = builder.insert_element(
        ir.Constant(_VECTOR, ir.Undefined), number, ir.Constant(ir.IntType(32), 0)
    )
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), zeros)


def _vector_at(builder: Any, numbers: Any, begin: Any, i: int) -> Any:
    at = builder.gep(numbers, [builder.add(begin, ir.Constant(_WORD, i * LANES))])
    return builder.bitcast(at, _VECTOR.as_pointer())


def _load(builder: Any, numbers: Any, begin: Any, i: int) -> Any:
    return builder.load(_vector_at(builder, numbers, begin, i), align=4)


def _store(builder: Any, numbers: Any, begin: Any, i: int, vector: Any) -> None:
    builder.store(vector, _vector_at(builder, numbers, begin, i), align=4)
