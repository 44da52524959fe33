// Models as compiled networks, called with arrays, and as exported libraries.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "conversions.h"
#include "forks.h"
#include "nestwright/error.h"
#include "nestwright/model/network.h"
#include "tuning/options.h"
#include "tuning/supervised.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

constexpr int kOutputAlignment = 64;  // in bytes: kernels may store outputs non-temporally

/// An input or an output of a network.
struct Port {
  std::string name;
  TensorType type;
};

std::vector<Port> ports_of_graph(const Graph& graph, const std::vector<GraphPort>& ports) {
  std::vector<Port> list;
  for (const GraphPort& port : ports) list.push_back({port.name, graph.type(port.value)});
  return list;
}

std::string list_text(const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports) text += (text.empty() ? "" : ", ") + port.name + ": " + port.type.str();
  return text;
}

/// An array of a call, and the aligned one that takes its place; null: it is used itself.
struct Lent {
  Lent(const nb::object& given, const std::string& name) : array(given), borrowed(given, name) {}

  nb::object array, copy = {};
  BorrowedArray borrowed;
  std::optional<BorrowedArray> borrowed_copy = {};

  void make_copy(const std::string& name) {
    copy = empty_array(borrowed.shape(), borrowed.type(), kOutputAlignment);
    borrowed_copy.emplace(copy, name);
  }
};

/// Without strides where the array is compact, as a network expects it. A dimension of one element may have any stride.
ArrayRef compact_ref(const BorrowedArray& array) {
  ArrayRef ref = array.ref();
  std::int64_t expected = 1;
  for (std::size_t d = ref.shape.size(); d-- > 0;) {
    if (ref.shape[d] != 1 && ref.strides[d] != expected) return ref;
    expected *= ref.shape[d];
  }
  ref.strides = {};
  return ref;
}

/// The memory of compact arrays overlaps.
bool overlap(const ArrayRef& a, const ArrayRef& b) {
  const auto bytes = [](const ArrayRef& array) {
    auto size = static_cast<std::uintptr_t>(array.type.bytes());
    for (const std::int64_t extent : array.shape) size *= static_cast<std::uintptr_t>(extent);
    return size;
  };
  const auto first = reinterpret_cast<std::uintptr_t>(a.data), second = reinterpret_cast<std::uintptr_t>(b.data);
  return first < second + bytes(b) && second < first + bytes(a);
}

/// A network of this process. Threads may share it: its calls take turns.
class PythonNetwork {
 public:
  PythonNetwork(Network network, std::vector<Port> inputs, std::vector<Port> outputs)
      : network_(std::make_unique<Network>(std::move(network))),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        one_call_(std::make_unique<std::mutex>()) {}

  const Network& network() const { return *network_; }

  /// Calls the network with its inputs by place or by name. `out` is None, an array, or a sequence of them. Returns the
  /// outputs: one array, or a tuple. Throws UsageError.
  nb::any call(const nb::args& arrays, nb::handle out, const nb::kwargs& named) const {
    require_threads();
    std::deque<Lent> lent;
    std::vector<ArrayRef> inputs, outputs;
    for (const nb::object& array : placed(arrays, named)) inputs.push_back(lend_input(array, inputs.size(), lent));
    const std::vector<nb::object> given = outputs_from(out);
    for (const nb::object& array : given) outputs.push_back(lend_output(array, outputs.size(), lent));
    require_disjoint(inputs, outputs);
    for (std::size_t o = 0; o < outputs.size(); ++o) align(outputs[o], lent[inputs.size() + o], o);
    {
      const nb::gil_scoped_release unlocked;
      const std::scoped_lock one_at_a_time(*one_call_);
      network_->run(inputs, outputs);
    }
    nb::list results;
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      const Lent& result = lent[inputs_.size() + o];
      if (result.copy) copy_elements(result.array, result.copy);
      results.append(result.array);
    }
    return any_of(results.size() == 1 ? nb::object(results[0]) : nb::object(nb::tuple(results)));
  }

 private:
  std::string signature() const { return "the model takes " + list_text(inputs_); }

  std::vector<nb::object> placed(const nb::args& arrays, const nb::kwargs& named) const {
    std::vector<nb::object> placed(inputs_.size());
    if (arrays.size() > placed.size()) throw UsageError("too many arguments: " + signature());
    for (std::size_t i = 0; i < arrays.size(); ++i) placed[i] = arrays[i];
    for (const auto& [key, array] : named) {
      const auto name = nb::cast<std::string>(key);
      const auto port = std::ranges::find(inputs_, name, &Port::name);
      if (port == inputs_.end()) throw UsageError("there is no input '" + name + "': " + signature());
      nb::object& place = placed[static_cast<std::size_t>(port - inputs_.begin())];
      if (place) throw UsageError(name + " is given by its place and by its name");
      place = nb::borrow(array);
    }
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (!placed[i]) throw UsageError("the input " + inputs_[i].name + " is missing: " + signature());
    }
    return placed;
  }

  /// The arrays for the outputs, which are made where none is given.
  std::vector<nb::object> outputs_from(nb::handle out) const {
    std::vector<nb::object> given;
    if (is_list(out)) {
      for (nb::handle each : nb::borrow<nb::sequence>(out)) given.push_back(nb::borrow(each));
    } else if (!out.is_none()) {
      given.push_back(nb::borrow(out));
    }
    if (given.size() > outputs_.size()) throw UsageError("out= has more arrays than there are outputs");
    given.resize(outputs_.size());
    for (std::size_t o = 0; o < given.size(); ++o) {
      const TensorType& type = outputs_[o].type;
      if (!given[o]) given[o] = empty_array(type.shape, type.type, kOutputAlignment);
    }
    return given;
  }

  ArrayRef lend_input(const nb::object& array, std::size_t number, std::deque<Lent>& lent) const {
    Lent& input = lent.emplace_back(array, inputs_[number].name);
    const ArrayRef given = compact_ref(input.borrowed);
    if (input.borrowed.is_at_multiple_of(given.type.bytes()) || !given.strides.empty()) return given;
    input.make_copy(inputs_[number].name);
    copy_elements(input.copy, array);
    return compact_ref(*input.borrowed_copy);
  }

  /// The array itself, which require_disjoint() takes.
  ArrayRef lend_output(const nb::object& array, std::size_t number, std::deque<Lent>& lent) const {
    const std::string& name = outputs_[number].name;
    Lent& output = lent.emplace_back(array, name);
    if (!output.borrowed.is_writable()) throw UsageError(name + ": expected an array that may be written");
    return compact_ref(output.borrowed);
  }

  /// What the kernels write: another array in the place of one at an address that they do not take.
  void align(ArrayRef& output, Lent& lent, std::size_t number) const {
    if (lent.borrowed.is_at_multiple_of(kOutputAlignment) || !output.strides.empty()) return;
    lent.make_copy(outputs_[number].name);
    output = compact_ref(*lent.borrowed_copy);
  }

  void require_disjoint(const std::vector<ArrayRef>& inputs, const std::vector<ArrayRef>& outputs) const {
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const auto refuse = [&](const Port& other) {
        throw UsageError("the arrays of " + outputs_[o].name + " and " + other.name +
                         " overlap: give each memory of its own");
      };
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (overlap(outputs[o], inputs[i])) refuse(inputs_[i]);
      }
      for (std::size_t other = 0; other < o; ++other) {
        if (overlap(outputs[o], outputs[other])) refuse(outputs_[other]);
      }
    }
  }

  std::unique_ptr<Network> network_;
  std::vector<Port> inputs_, outputs_;
  std::unique_ptr<std::mutex> one_call_;
};

/// nullopt: there is no database.
std::optional<TuningLog> log_of(const std::optional<std::string>& database) {
  return database ? std::optional(TuningLog::open(*database, OpenMode::kRead)) : std::nullopt;
}

/// Ends the compilation once the user interrupts it.
NetworkOptions network_options(CacheState caches, const Supervised& supervised) {
  return {.caches = caches, .progress = [&supervised](std::size_t, std::size_t) {
            if (supervised.interrupt()) throw Error("the compilation was interrupted");
          }};
}

PythonNetwork compile(const Graph& kernels, const std::optional<std::string>& database, const std::string& target,
                      const std::string& caches) {
  require_threads();
  Supervised compiling;
  Network network = compiling.run([&] {
    const TargetAndCaches found = target_and_caches(target, caches);
    const std::optional<TuningLog> log = log_of(database);
    return Network(kernels, found.target, log ? &*log : nullptr, network_options(found.caches, compiling));
  });
  return {std::move(network), ports_of_graph(kernels, kernels.inputs()), ports_of_graph(kernels, kernels.outputs())};
}

nb::dict export_library(const Graph& kernels, const std::optional<std::string>& database, const std::string& target,
                        const std::string& caches, const std::string& directory, const std::string& name,
                        const std::string& model, bool embed, bool check) {
  require_threads();
  Supervised exporting;
  const NetworkExport result = exporting.run([&] {
    const TargetAndCaches found = target_and_caches(target, caches);
    const std::optional<TuningLog> log = log_of(database);
    return export_network(kernels, found.target, log ? &*log : nullptr,
                          {.directory = directory,
                           .name = name,
                           .model = model,
                           .embed = embed,
                           .unchecked = !check,
                           .compile = network_options(found.caches, exporting)});
  });
  nb::dict dict;
  dict["name"] = result.name;
  dict["files"] = result.files;
  dict["kernels"] = result.kernels;
  dict["tuned"] = result.tuned;
  dict["steps"] = result.steps;
  dict["arena_bytes"] = result.arena_bytes;
  dict["least_arena_bytes"] = result.least_arena_bytes;
  dict["weight_bytes"] = result.weight_bytes;
  dict["library_bytes"] = result.library_bytes;
  dict["error_of_tolerance"] = result.error_of_tolerance ? nb::cast(*result.error_of_tolerance) : nb::none();
  return dict;
}

}  // namespace

void bind_networks(nb::module_& m) {
  nb::class_<PythonNetwork>(m, "Network",
                            "A compiled model. Threads may share it: its calls take turns. Model.compile() makes one, "
                            "with memory and threads of its own; different networks run beside each other.")
      .def(
          "__call__", &PythonNetwork::call, nb::arg("arrays"), nb::arg("out") = nb::none(), nb::arg("named"),
          "Runs the network with its inputs, by position or by name, arrays of the model's types and shapes without "
          "gaps. Returns the outputs: one array, or a tuple in the model's order; out: arrays to write them to. Raises "
          "UsageError for arrays that do not fit. The interpreter's lock is released meanwhile.")
      .def_prop_ro(
          "arena_bytes", [](const PythonNetwork& n) { return n.network().arena_bytes(); },
          "Bytes of memory for the tensors between inputs and outputs.")
      .def_prop_ro(
          "least_arena_bytes", [](const PythonNetwork& n) { return n.network().least_arena_bytes(); },
          "The largest sum of the sizes of tensors that are needed at one time, in bytes.")
      .def_prop_ro(
          "weight_bytes", [](const PythonNetwork& n) { return n.network().weight_bytes(); },
          "Bytes of the weights, as the kernels read them.")
      .def_prop_ro(
          "kernels", [](const PythonNetwork& n) { return n.network().kernels(); }, "The number of different kernels.")
      .def_prop_ro("steps", [](const PythonNetwork& n) { return n.network().steps(); }, "Calls of kernels in a run.");
  m.def("_compile_network", compile, nb::arg("kernels"), nb::arg("database").none(), nb::arg("target"),
        nb::arg("caches"));
  m.def("_export_network", export_library, nb::arg("kernels"), nb::arg("database").none(), nb::arg("target"),
        nb::arg("caches"), nb::arg("directory"), nb::arg("name"), nb::arg("model"), nb::arg("embed"), nb::arg("check"),
        nb::sig("def _export_network(kernels: _Graph, database: str | None, target: str, caches: str, directory: str, "
                "name: str, model: str, embed: bool, check: bool) -> dict[str, typing.Any]"));
}

}  // namespace nestwright::python
