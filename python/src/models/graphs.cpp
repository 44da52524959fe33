// Graphs of tensor expressions: those of ONNX models, and those that Python writes.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "conversions.h"
#include "forks.h"
#include "nestwright/error.h"
#include "nestwright/model/network.h"
#include "nestwright/model/onnx.h"
#include "tuning/supervised.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

/// ("float32", (1, 3, 224, 224))
nb::tuple tuple_of(const TensorType& type) {
  nb::list shape;
  for (const std::int64_t extent : type.shape) shape.append(extent);
  return nb::make_tuple(type.type.str(), nb::tuple(shape));
}

/// The name and the type of each.
nb::list ports_of(const Graph& graph, const std::vector<GraphPort>& ports) {
  nb::list list;
  for (const GraphPort& port : ports) {
    const nb::tuple type = tuple_of(graph.type(port.value));
    list.append(nb::make_tuple(port.name, type[0], type[1]));
  }
  return list;
}

ValueId add_constant(Graph& graph, nb::handle array, const std::string& name) {
  const BorrowedArray lent(array, "a constant");
  const TensorType type{lent.type(), {lent.shape().begin(), lent.shape().end()}};
  return graph.add_constant(type, {static_cast<const std::byte*>(lent.ref().data), type.size_bytes()}, name);
}

std::vector<ValueId> apply_expression(Graph& graph, const std::string& op, const std::string& expression,
                                      const std::map<std::string, ValueId>& operands, const std::string& label) {
  std::vector<GraphOperand> list;
  for (const auto& [name, value] : operands) list.push_back({name, value});
  return graph.apply_all(op, expression, list, label);
}

/// Copies the elements of the constants, which Python owns.
ImportOptions import_options(const std::map<std::string, std::int64_t>& dims, const nb::dict& constants) {
  ImportOptions options{.dims = dims};
  for (const auto& [name, bytes] : constants) {
    const nb::bytes given(bytes);
    const auto* const first = reinterpret_cast<const std::byte*>(given.c_str());
    const auto memory = std::make_shared<const std::vector<std::byte>>(first, first + given.size());
    options.constants.emplace(nb::cast<std::string>(name), ConstantData{*memory, memory});
  }
  return options;
}

nb::dict import_model(const std::string& path, const std::map<std::string, std::int64_t>& dims,
                      const nb::dict& constants) {
  require_threads();
  const ImportOptions options = import_options(dims, constants);
  Supervised reading;
  ImportedModel model = reading.run([&] { return import_onnx(path, options); });
  nb::list missing;
  for (const MissingOperator& op : model.missing) missing.append(nb::make_tuple(op.op, op.reason, op.nodes));
  nb::dict dict;
  dict["graph"] = nb::cast(std::move(model.graph));
  dict["producer"] = model.producer;
  dict["opset"] = model.opset;
  dict["nodes"] = model.nodes;
  dict["missing"] = missing;
  dict["unreached"] = model.unreached;
  return dict;
}

/// The graph is copied, because other threads may add nodes meanwhile: constants are shared.
Graph kernels_of(const Graph& graph) {
  require_threads();
  const Graph copy = graph;
  Supervised rewriting;
  return rewriting.run([&] { return with_kernels(copy); });
}

nb::list tasks_of(const Graph& kernels) {
  nb::list list;
  for (const NetworkTask& task : network_tasks(kernels)) {
    nb::dict dict;
    dict["workload"] = task.workload;
    dict["label"] = task.label;
    dict["op"] = task.op;
    dict["count"] = task.nodes.size();
    dict["multiply_adds"] = task.multiply_adds;
    list.append(dict);
  }
  return list;
}

}  // namespace

void bind_graphs(nb::module_& m) {
  nb::class_<Graph>(m, "_Graph")
      .def(nb::init<>())
      .def(
          "add_input",
          [](Graph& graph, const std::string& name, nb::handle type, std::vector<std::int64_t> shape) {
            return graph.add_input(name, {type_from(type), std::move(shape)});
          },
          nb::arg("name"), nb::arg("dtype"), nb::arg("shape"))
      .def("add_constant", add_constant, nb::arg("array"), nb::arg("name"), "Copies the elements of a compact array.")
      .def("apply", apply_expression, nb::arg("op"), nb::arg("expression"), nb::arg("operands"), nb::arg("label"))
      .def(
          "reshape",
          [](Graph& graph, ValueId value, std::vector<std::int64_t> shape, const std::string& label) {
            return graph.reshape(value, std::move(shape), label);
          },
          nb::arg("value"), nb::arg("shape"), nb::arg("label"))
      .def(
          "add_output", [](Graph& graph, const std::string& name, ValueId value) { graph.add_output(name, value); },
          nb::arg("name"), nb::arg("value"))
      .def(
          "type_of", [](const Graph& graph, ValueId value) { return tuple_of(graph.type(value)); }, nb::arg("value"),
          nb::sig("def type_of(self, value: int) -> tuple[str, tuple[int, ...]]"))
      .def(
          "inputs", [](const Graph& graph) { return ports_of(graph, graph.inputs()); },
          nb::sig("def inputs(self) -> list[tuple[str, str, tuple[int, ...]]]"))
      .def(
          "outputs", [](const Graph& graph) { return ports_of(graph, graph.outputs()); },
          nb::sig("def outputs(self) -> list[tuple[str, str, tuple[int, ...]]]"))
      .def("kernels", kernels_of, "The graph that computes the same by kernels.")
      .def("tasks", tasks_of, nb::sig("def tasks(self) -> list[dict[str, typing.Any]]"),
           "The tuning tasks of a graph of kernels().");
  m.def("_import_onnx", import_model, nb::arg("path"), nb::arg("dims"), nb::arg("constants"),
        nb::sig("def _import_onnx(path: str, dims: dict[str, int], constants: dict[str, bytes]) -> "
                "dict[str, typing.Any]"));
}

}  // namespace nestwright::python
