"""Attention alone: 12 heads of 64 elements, without a mask, from rows of 768 to rows of 768. One file has it in the
operators of ONNX, as exporters write it; rivals get theirs, with the operator that each has for attention."""

import onnx
from onnx import helper

from written.builder import Builder

WIDTH, HEADS = 768, 12
EACH = WIDTH // HEADS
NAMES = ("query", "key", "value")


def write_plain(tokens, path):
    g = Builder("attention", 17, 5)
    shape = [1, tokens, WIDTH]

    def heads(name, order):
        split = g.constant([1, tokens, HEADS, EACH], "int64")
        return g.node("Transpose", [g.node("Reshape", [g.input(name, "float32", shape), split])], perm=order)

    query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
    scores = g.node("Div", [g.node("MatMul", [query, key]), g.constant(EACH**0.5)])
    mixed = g.node("MatMul", [g.node("Softmax", [scores], axis=-1), value])
    rows = g.node("Transpose", [mixed], perm=[0, 2, 1, 3])
    g.output(g.node("Reshape", [rows, g.constant(shape, "int64")]), "output", shape)
    g.save(path)


def write_for_onnxruntime(tokens, path):
    tensors = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [1, tokens, WIDTH]) for n in (*NAMES, "output")]
    node = helper.make_node("MultiHeadAttention", NAMES, ["output"], domain="com.microsoft", num_heads=HEADS)
    graph = helper.make_graph([node], "attention", tensors[:3], tensors[3:])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="bench/attention")
    model.ir_version = 8
    onnx.save(model, path)


def write_for_openvino(tokens, path):
    import numpy
    import openvino
    from openvino import opset13

    inputs = [opset13.parameter([1, tokens, WIDTH], numpy.float32, name) for name in NAMES]
    for tensor, name in zip(inputs, NAMES):
        tensor.output(0).get_tensor().set_names({name})  # by which it is bound

    def swapped(x):
        return opset13.transpose(x, numpy.array([0, 2, 1, 3]))

    def heads(x):
        return swapped(opset13.reshape(x, numpy.array([1, tokens, HEADS, EACH]), False))

    mixed = opset13.scaled_dot_product_attention(*map(heads, inputs), causal=False)
    rows = opset13.reshape(swapped(mixed), numpy.array([1, tokens, WIDTH]), False)
    openvino.save_model(openvino.Model([rows], inputs, "attention"), path, compress_to_fp16=False)


def write_attention(tokens):
    """Writes model.onnx, onnxruntime.onnx and, where OpenVINO is installed, openvino.xml."""

    def write(path):
        write_plain(tokens, path)
        write_for_onnxruntime(tokens, path.with_name("onnxruntime.onnx"))
        try:
            write_for_openvino(tokens, path.with_name("openvino.xml"))
        except ImportError:  # it is no rival of this call
            pass

    return write
