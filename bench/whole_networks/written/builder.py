"""Writes ONNX models node by node, with seeded weights."""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64}


class Builder:
    """A graph that grows. Nodes are named as PyTorch's exporter names them: by the module, then the operator."""

    def __init__(self, name, opset, seed):
        self.random = numpy.random.default_rng(seed)
        self._name, self._opset = name, opset
        self._nodes, self._weights, self._inputs, self._outputs = [], [], [], []
        self._names = set()

    def input(self, name, kind, shape):
        self._inputs.append(helper.make_tensor_value_info(name, TYPES[kind], shape))
        return name

    def output(self, value, name, shape):
        self._nodes.append(helper.make_node("Identity", [value], [name], name=f"/{name}/Identity"))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def weight(self, name, array, kind=numpy.float32):
        """An initializer."""
        self._weights.append(numpy_helper.from_array(numpy.ascontiguousarray(array, kind), name))
        return name

    def gaussian(self, name, shape, deviation):
        """An initializer of normally distributed numbers."""
        return self.weight(name, self.random.standard_normal(shape, numpy.float32) * numpy.float32(deviation))

    def constant(self, values, kind=numpy.float32):
        """The result of a Constant node."""
        return self.node("Constant", [], value=numpy_helper.from_array(numpy.array(values, kind)))

    def node(self, op, inputs, at="", **attributes):
        """Adds a node of the module `at` and returns its result's name."""
        base = f"{at}/{op}"
        name, number = base, 0
        while name in self._names:
            number += 1
            name = f"{base}_{number}"
        self._names.add(name)
        self._nodes.append(helper.make_node(op, inputs, [f"{name}_output_0"], name=name, **attributes))
        return f"{name}_output_0"

    def save(self, path):
        graph = helper.make_graph(self._nodes, self._name, self._inputs, self._outputs, self._weights)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self._opset)], producer_name="bench/networks"
        )
        model.ir_version = 8
        onnx.save(model, path)
