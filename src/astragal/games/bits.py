"""What Numba has no name for: bit scans, and memory by its address.

Inside a kernel an array costs more than its use: Numba counts every reference to it, with two
atomic instructions a function. An address is a number. Where one is used, its array must be held
by the caller, and all arithmetic with it is unsigned: Numba makes a float of a signed and an
unsigned number, and checks the sign of every signed index.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_BYTE = ir.IntType(8).as_pointer()


def _pointer(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, _BYTE)


@intrinsic
def lowest_bit(context: Any, word: Any) -> Any:
    """The number of the lowest bit that is set in a uint64 which is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return (types.uint64(types.uint64), generate) if word == types.uint64 else None


@intrinsic
def highest_bit(context: Any, word: Any) -> Any:
    """The number of the highest bit that is set in a uint64 which is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return (types.uint64(types.uint64), generate) if word == types.uint64 else None


@intrinsic
def count_bits(context: Any, word: Any) -> Any:
    """How many bits of a uint64 are set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return (types.uint64(types.uint64), generate) if word == types.uint64 else None


@intrinsic
def bits_of_float(context: Any, number: Any) -> Any:
    """The bits of a float32, as an int32."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.int32(types.float32), generate


@intrinsic
def float_of_bits(context: Any, bits: Any) -> Any:
    """The float32 that has the bits of this int32."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.int32), generate


@intrinsic
def address_of(context: Any, array: Any) -> Any:
    """Where the first number of an array lies that lies in one piece."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return types.uint64(array), generate


@intrinsic
def peek(context: Any, address: Any) -> Any:
    """The int8 at the address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(builder, arguments[0]))

    return (types.int8(types.uint64), generate) if address == types.uint64 else None


@intrinsic
def peek_word(context: Any, address: Any) -> Any:
    """The eight bytes at the address, as a uint64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.load(pointer, align=1)

    return (types.uint64(types.uint64), generate) if address == types.uint64 else None


@intrinsic
def poke(context: Any, address: Any, number: Any) -> Any:
    """Puts an int8 at the address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[1], _pointer(builder, arguments[0]))
        return context.get_dummy_value()

    return types.void(types.uint64, types.int8), generate


@intrinsic
def copy_bytes(context: Any, target: Any, source: Any, count: Any) -> Any:
    """Copies so many bytes between addresses; the two stretches do not overlap."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, source = (_pointer(builder, address) for address in arguments[:2])
        cgutils.raw_memcpy(builder, target, source, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.uint64), generate


def _element(builder: Any, address: Any, index: Any, kind: Any) -> Any:
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])


def _whole(index: Any) -> bool:
    return isinstance(index, types.Integer) and index.bitwidth == 64


@intrinsic
def float_at(context: Any, address: Any, index: Any) -> Any:
    """The float32 with this number among those from the address on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_element(builder, arguments[0], arguments[1], ir.FloatType()))

    return (types.float32(types.uint64, index), generate) if _whole(index) else None


@intrinsic
def put_float(context: Any, address: Any, index: Any, number: Any) -> Any:
    """Sets the float32 with this number among those from the address on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _element(builder, arguments[0], arguments[1], ir.FloatType()))
        return context.get_dummy_value()

    return (types.void(types.uint64, index, types.float32), generate) if _whole(index) else None


@intrinsic
def word_at(context: Any, address: Any, index: Any) -> Any:
    """The uint64 with this number among those from the address on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_element(builder, arguments[0], arguments[1], ir.IntType(64)))

    return (types.uint64(types.uint64, index), generate) if _whole(index) else None


@intrinsic
def put_word(context: Any, address: Any, index: Any, number: Any) -> Any:
    """Sets the uint64 with this number among those from the address on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _element(builder, arguments[0], arguments[1], ir.IntType(64)))
        return context.get_dummy_value()

    return (types.void(types.uint64, index, types.uint64), generate) if _whole(index) else None


@intrinsic
def double_at(context: Any, address: Any, index: Any) -> Any:
    """The float64 with this number among those from the address on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_element(builder, arguments[0], arguments[1], ir.DoubleType()))

    return (types.float64(types.uint64, index), generate) if _whole(index) else None


@intrinsic
def put_double(context: Any, address: Any, index: Any, number: Any) -> Any:
    """Sets the float64 with this number among those from the address on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _element(builder, arguments[0], arguments[1], ir.DoubleType()))
        return context.get_dummy_value()

    return (types.void(types.uint64, index, types.float64), generate) if _whole(index) else None
