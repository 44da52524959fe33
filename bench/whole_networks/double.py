"""The result of a model in double precision, by the reference implementation of the package onnx (numpy): neither our
code nor a rival's."""

import numpy
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

# Three operators are wrong in the reference of onnx 1.23.2: it takes versions 6 and 9 of BatchNormalization for training,
# normalizes as many channels as there are images in LRN, and reduces a wrong dimension in GlobalMaxPool of anything but
# images.


class BatchNormalization(OpRun):
    def _run(self, x, scale, bias, mean, variance, epsilon=None, **_):
        scale, bias, mean, variance = (v.reshape(-1, *[1] * (x.ndim - 2)) for v in (scale, bias, mean, variance))
        return (scale * (x - mean) / numpy.sqrt(variance + epsilon) + bias,)


class LRN(OpRun):
    def _run(self, x, alpha=None, beta=None, bias=None, size=None):
        before = (size - 1) // 2
        squares = numpy.pad(x * x, [(0, 0), (before, size - 1 - before), (0, 0), (0, 0)])
        sums = sum(squares[:, i : i + x.shape[1]] for i in range(size))
        return (x / (bias + alpha / size * sums) ** beta,)


class GlobalMaxPool(OpRun):
    def _run(self, x):
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


def in_double(tensor):
    if tensor.data_type == TensorProto.FLOAT:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(numpy.float64), tensor.name))


def convert_value(value):
    if value.type.tensor_type.elem_type == TensorProto.FLOAT:
        value.type.tensor_type.elem_type = TensorProto.DOUBLE


def convert_attribute(node, attribute):
    if node.op_type == "Cast" and attribute.name == "to" and attribute.i == TensorProto.FLOAT:
        attribute.i = TensorProto.DOUBLE
    elif attribute.type == AttributeProto.TENSOR:
        in_double(attribute.t)
    elif attribute.type == AttributeProto.GRAPH:
        convert(attribute.g)
    elif node.op_type == "Constant" and attribute.name in ("value_float", "value_floats"):
        values = numpy.array(helper.get_attribute_value(attribute), numpy.float64)
        attribute.CopyFrom(helper.make_attribute("value", numpy_helper.from_array(values)))


def convert(graph):
    """Makes every float32 of the graph a float64."""
    for tensor in graph.initializer:
        in_double(tensor)
    del graph.value_info[:]
    for value in (*graph.input, *graph.output):
        convert_value(value)
    for node in graph.node:
        if node.op_type == "ConstantOfShape" and not node.attribute:
            zero = numpy_helper.from_array(numpy.zeros(1, numpy.float32))
            node.attribute.append(helper.make_attribute("value", zero))
        for attribute in node.attribute:
            convert_attribute(node, attribute)


class DoubleModel:
    def __init__(self, path):
        model = onnx.load(path)
        convert(model.graph)
        self._outputs = [value.name for value in model.graph.output]
        self._evaluator = ReferenceEvaluator(model, new_ops=[BatchNormalization, LRN, GlobalMaxPool])

    def run(self, inputs):
        """The outputs. Fails where any number on the way had single precision only."""
        doubles = {name: x.astype(numpy.float64) if x.dtype == numpy.float32 else x for name, x in inputs.items()}
        with numpy.errstate(all="ignore"):  # its sigmoid computes both branches
            values = self._evaluator.run(None, doubles, intermediate=True)
        single = [name for name, x in values.items() if getattr(x, "dtype", None) == numpy.float32]
        if single:
            raise RuntimeError(f"the reference computes {single[0]} in single precision")
        return [values[name] for name in self._outputs]
