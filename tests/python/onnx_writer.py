"""Writes ONNX models without the package onnx: the fields of its protobuf messages that tests need."""

import numpy as np

FLOAT, INT64 = 1, 7
TYPES = {np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64}


def varint(value):
    value &= 2**64 - 1
    text = b""
    while value >= 128:
        text += bytes([value % 128 + 128])
        value //= 128
    return text + bytes([value])


def field(number, value):
    """One field: an integer, or bytes, text or a message with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, array):
    dims = b"".join(field(1, extent) for extent in array.shape)
    return dims + field(2, TYPES[array.dtype]) + field(8, name) + field(9, array.tobytes())


def port(name, shape, element=FLOAT):
    """An input or an output; an extent may be a symbol."""
    dims = b"".join(field(1, field(1 if isinstance(extent, int) else 2, extent)) for extent in shape)
    return field(1, name) + field(2, field(1, field(1, element) + field(2, dims)))


def node(op, inputs, outputs, **integers):
    """A node, whose attributes are integers or lists of them."""
    text = b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs)
    text += field(3, outputs[0] + "_" + op) + field(4, op)
    for name, value in integers.items():
        values = b"".join(field(8, each) for each in value) + field(20, 7) if isinstance(value, list) else field(3, value) + field(20, 2)
        text += field(5, field(1, name) + values)
    return text


def model(nodes, inputs, outputs, constants, opset=17):
    """The bytes of a file. Inputs and outputs are ports, constants arrays by their names."""
    graph = b"".join(field(1, each) for each in nodes) + field(2, "test")
    graph += b"".join(field(5, tensor(name, array)) for name, array in constants.items())
    graph += b"".join(field(11, each) for each in inputs) + b"".join(field(12, each) for each in outputs)
    return field(1, 8) + field(7, graph) + field(8, field(2, opset))
