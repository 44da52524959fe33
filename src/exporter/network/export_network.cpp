#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "exporter/network/network_sources.h"
#include "exporter/package/output_folder.h"
#include "exporter/package/toolchain.h"
#include "exporter/source/c_text.h"
#include "exporter/source/function_name.h"
#include "exporter/source/parameter_names.h"
#include "exporter/source/sources.h"
#include "ir/core/elements.h"
#include "nestwright/error.h"
#include "nestwright/model/network.h"
#include "nestwright/tensor.h"
#include "network/network_run.h"
#include "reference/host_run.h"
#include "support/base/cpp_names.h"
#include "support/data/hash.h"

namespace nestwright {
namespace {

/// The words of the exported sources, which name other things in them.
const std::set<std::string>& own_names() {
  static const std::set<std::string> names = [] {
    std::set<std::string> words;
    for (const char* const text : {"network/embedded", "network/functions", "network/header", "network/pool",
                                   "network/self_test", "network/tables", "self_test/uniform", "thread_pool"}) {
      std::string word;
      for (const char c : std::string(embedded_text(text)) + " ") {
        const bool is_of_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        if (is_of_word) {
          word += c;
        } else if (!word.empty()) {
          words.insert(std::exchange(word, {}));
        }
      }
    }
    return words;
  }();
  return names;
}

/// The model's name with other characters than those of C replaced by underscores.
std::string c_name(const std::string& name, const std::string& library) {
  const std::string text = with_word_characters(name);
  const bool is_derived =
      text.starts_with(library + "_") || text == library || text.starts_with("expected") || text.ends_with("_kernel");
  const bool begins_badly = text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_';
  return is_derived || begins_badly || own_names().contains(text) ? "t_" + text : text;
}

/// The alignment that the kernels need of a tensor of the caller.
int alignment_of(const CompiledNetwork& network, StepBuffer::In in, std::size_t number, int element) {
  int alignment = element;
  for (const CompiledStep& step : network.steps) {
    for (std::size_t i = 0; i < step.buffers.size(); ++i) {
      if (step.buffers[i].in != in || step.buffers[i].number != number) continue;
      alignment = std::max(alignment, network.kernels[step.kernel].program.parameters[i].buffer->alignment);
    }
  }
  return alignment;
}

std::vector<NetworkTensor> tensors_of(const Graph& graph, const CompiledNetwork& network, const std::string& library) {
  std::vector<Tensor> named;  // c_parameter_names() chooses among them
  std::vector<NetworkTensor> tensors;
  const auto add = [&](const std::vector<GraphPort>& ports, StepBuffer::In in) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const TensorType& type = graph.type(ports[i].value);
      tensors.push_back(
          {ports[i].name, "", type, alignment_of(network, in, i, type.type.bytes()), in == StepBuffer::In::kInput});
      named.push_back(placeholder({1}, type.type, c_name(ports[i].name, library)));
    }
  };
  add(graph.inputs(), StepBuffer::In::kInput);
  add(graph.outputs(), StepBuffer::In::kOutput);
  const std::vector<std::string> names = c_parameter_names(named);
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].parameter = names[i];
  return tensors;
}

std::uint64_t id_of(const CompiledNetwork& network) {
  std::string text = std::to_string(network.weights.size_bytes());
  for (const CompiledStep& step : network.steps) {
    text += " " + network.kernels[step.kernel].object.code_fingerprint;
    for (const StepBuffer& buffer : step.buffers)
      text += fmt::format(" {}:{}", static_cast<int>(buffer.in), buffer.offset);
  }
  return stable_hash(text);
}

/// Runs the network on the samples, and returns the largest error of an output as a share of its tolerance. Throws
/// Error if the result of a kernel, or an output, is wrong.
double check_network(const Graph& graph, const CompiledNetwork& compiled, const NetworkSamples& samples) {
  std::vector<Array> outputs;
  std::vector<ArrayRef> given, taken;
  for (const Array& input : samples.inputs) given.emplace_back(input);
  for (const GraphPort& port : graph.outputs()) {
    outputs.push_back(Array::empty(graph.type(port.value).type, graph.type(port.value).shape));
  }
  for (Array& output : outputs) taken.emplace_back(output);
  const auto refuse = [](const std::string& what) {
    throw Error("the network was not exported, because its results differ from the model's: " + what);
  };
  NetworkRun run(compiled, graph);
  run(given, taken, [&](std::size_t step, std::span<void* const> buffers) {
    const GraphNode& node = graph.nodes()[compiled.plan.steps[step].node];
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      const TensorType& type = graph.type(node.outputs[o]);
      std::vector<double> values(static_cast<std::size_t>(type.elements()));
      ir::decode_elements(type.type, buffers[node.inputs.size() + o], 0, 1, values);
      if (!samples.results.at(node.outputs[o]).error_of(values)) {
        refuse(fmt::format("those of the kernel {} ({})", compiled.steps[step].label,
                           compiled.kernels[compiled.steps[step].kernel].task.workload.str()));
      }
    }
  });
  double worst = 0;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const std::optional<double> error = samples.outputs[o].error_of(doubles_of(outputs[o]));
    if (!error) refuse("the output " + graph.outputs()[o].name);
    worst = std::max(worst, *error);
  }
  return worst;
}

void write_network(const ExportedNetwork& e, const NetworkSamples* samples, const Toolchain& tools, OutputFolder& out) {
  const std::string& name = e.name;
  out.write(name + ".h", network_header(e));
  out.write(name + ".c", network_source(e));
  out.write(name + "_weights.bin", network_weights(e));
  out.write(name + "_manifest.json", network_manifest(e));
  Exported package;
  package.name = name;
  out.write(name + "Config.cmake", cmake_config(package));
  if (samples != nullptr) out.write(name + "_selftest.c", network_self_test(e, *samples));

  std::vector<std::string> objects;
  for (std::size_t k = 0; k < e.network->kernels.size(); ++k) {
    const std::string file = fmt::format("{}_kernel{}.o", name, k);
    out.write(file, e.network->kernels[k].object.object);
    objects.push_back(out.path(file));
  }
  const std::string launcher = out.path(name + "_launcher.o");
  tools.compile(out.path(name + ".c"), launcher);
  objects.push_back(launcher);
  tools.archive(objects, out.add("lib" + name + ".a"));
  tools.link_shared(objects, out.add("lib" + name + ".so"));
  std::error_code ignored;
  std::filesystem::remove(launcher, ignored);
}

}  // namespace

NetworkExport export_network(const Graph& graph, const Target& target, const TuningLog* log,
                             const NetworkExportOptions& options) {
  check_function_name(options.name);
  if (graph.outputs().empty()) throw UsageError("the model has no outputs that are computed: nothing is exported");
  const Toolchain tools = Toolchain::find();
  if (tools.is_reserved(options.name)) refuse_taken_name(options.name);

  const CompiledNetwork compiled = compile_network(graph, target, log, options.name, options.compile);
  NetworkExport result{.name = options.name,
                       .arena_bytes = compiled.plan.arena_bytes,
                       .least_arena_bytes = compiled.plan.live_bytes,
                       .weight_bytes = compiled.weights.size_bytes(),
                       .kernels = compiled.kernels.size(),
                       .steps = compiled.steps.size()};
  for (const NetworkKernel& kernel : compiled.kernels) result.tuned += kernel.found.match == MatchKind::kExact ? 1 : 0;
  std::optional<NetworkSamples> samples;
  if (!options.unchecked) {
    samples = make_samples(graph, SamplesOf::kKernels);
    result.error_of_tolerance = check_network(graph, compiled, *samples);
  }

  const ExportedNetwork exported{options.name,  options.model.empty() ? options.name : options.model,
                                 &compiled,     tensors_of(graph, compiled, options.name),
                                 options.embed, id_of(compiled)};
  OutputFolder out(options.directory);
  write_network(exported, samples ? &*samples : nullptr, tools, out);
  std::error_code ignored;
  result.library_bytes = std::filesystem::file_size(out.path("lib" + options.name + ".so"), ignored);
  result.files = std::move(out).files();
  return result;
}

}  // namespace nestwright
