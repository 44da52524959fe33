#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include "exporter/network/network_sources.h"
#include "exporter/source/c_text.h"
#include "exporter/source/sources.h"
#include "runtime/compiled_kernel.h"

namespace nestwright {
namespace {

std::string tensor_line(const NetworkTensor& tensor) {
  const std::string shape = tensor.type.shape.empty() ? "" : fmt::format("[{}]", fmt::join(tensor.type.shape, "]["));
  const std::string aligned =
      tensor.alignment > tensor.type.type.bytes() ? fmt::format(", aligned to {} bytes", tensor.alignment) : "";
  return fmt::format(" *   {:<9} {}: {}{}{}\n", tensor.is_input ? "reads" : "writes", tensor.parameter,
                     described_type(tensor.type.type), shape, aligned);
}

/// A name of the model between quotation marks of C.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    const bool is_plain = std::isprint(static_cast<unsigned char>(c)) != 0 && c != '"' && c != '\\' && c != '?';
    text += is_plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return text + "\"";
}

const char* place_name(StepBuffer::In in) {
  switch (in) {
    case StepBuffer::In::kInput:
      return "kInput";
    case StepBuffer::In::kOutput:
      return "kOutput";
    case StepBuffer::In::kArena:
      return "kArena";
    case StepBuffer::In::kWeights:
      return "kWeights";
    case StepBuffer::In::kNone:
      break;
  }
  return "kNone";
}

std::string place_text(const StepBuffer& buffer) {
  return fmt::format("{{{}, {}, {}}}", place_name(buffer.in), buffer.number, buffer.offset);
}

std::string tables(const ExportedNetwork& e) {
  const CompiledNetwork& network = *e.network;
  std::string kernels, places, steps, copies;
  std::vector<std::size_t> caller_places;
  for (const NetworkKernel& kernel : network.kernels) {
    kernels += fmt::format("__attribute__((visibility(\"hidden\"))) kernel {};\n", kernel.object.symbol);
    // It packed the weights, and is not called again.
    const std::string& preparation = kernel.object.preparation;
    if (!preparation.empty()) kernels += fmt::format("__asm__(\".hidden {}\");\n", preparation);
  }
  std::size_t first = 0;
  for (const CompiledStep& step : network.steps) {
    std::vector<std::string> texts;
    for (const StepBuffer& buffer : step.buffers) {
      const bool is_callers = buffer.in == StepBuffer::In::kInput || buffer.in == StepBuffer::In::kOutput;
      if (is_callers) caller_places.push_back(first + texts.size());
      texts.push_back(place_text(buffer));
    }
    places += fmt::format("    {},\n", fmt::join(texts, ", "));
    steps +=
        fmt::format("    {{{}, {}, {}}},\n", network.kernels[step.kernel].object.symbol, first, quoted(step.label));
    first += step.buffers.size();
  }
  if (network.steps.empty()) {
    places = "    {kNone, 0, 0},\n";
    steps = "    {0, 0, 0},\n";
  }
  const std::size_t caller_place_count = caller_places.size();
  if (caller_places.empty()) caller_places.push_back(0);  // C has no empty arrays
  for (const CompiledCopy& copy : network.copies) {
    copies += fmt::format("    {{{}, {}, {}}},\n", place_text(copy.from), place_text(copy.to), copy.bytes);
  }
  if (!copies.empty()) {
    copies = fmt::format("static const struct copy copies[] = {{\n{}}};\nenum {{ kCopies = {} }};\n", copies,
                         network.copies.size());
  }
  const auto inputs = std::count_if(e.tensors.begin(), e.tensors.end(), [](const auto& t) { return t.is_input; });
  return c_text("network/tables", {{"NAME", e.name},
                                   {"KERNELS", kernels},
                                   {"THREADS", std::to_string(e.threads())},
                                   {"INPUTS", std::to_string(inputs)},
                                   {"OUTPUTS", std::to_string(static_cast<std::ptrdiff_t>(e.tensors.size()) - inputs)},
                                   {"PLACES", places},
                                   {"STEPS", steps},
                                   {"CALLER_PLACES", fmt::format("{}", fmt::join(caller_places, ", "))},
                                   {"PLACE_COUNT", std::to_string(std::max<std::size_t>(first, 1))},
                                   {"CALLER_PLACE_COUNT", std::to_string(caller_place_count)},
                                   {"STEP_COUNT", std::to_string(network.steps.size())},
                                   {"COPIES", copies},
                                   {"WORKSPACE", std::to_string(e.workspace_bytes())},
                                   {"ARENA", std::to_string(network.plan.arena_bytes)},
                                   {"WEIGHT_BYTES", std::to_string(network.weights.size_bytes())},
                                   {"ID", std::to_string(e.id)}});
}

std::string pointers(const ExportedNetwork& e, bool inputs) {
  std::string text;
  for (const NetworkTensor& tensor : e.tensors) {
    if (tensor.is_input == inputs) text += fmt::format("(void*){}, ", tensor.parameter);
  }
  return text + "0";
}

std::string functions(const ExportedNetwork& e) {
  std::vector<std::string> usable;
  for (const NetworkTensor& tensor : e.tensors) {
    usable.push_back(fmt::format("usable({}, {})", tensor.parameter, tensor.alignment));
  }
  const bool has_pool = e.threads() > 1;
  const std::string copies =
      "  for (int c = 0; c < kCopies; ++c) {\n"
      "    const struct copy* const copy = &copies[c];\n"
      "    memcpy(address_of(&copy->to, network, inputs, outputs), address_of(&copy->from, network, inputs, outputs),\n"
      "           copy->bytes);\n"
      "  }\n";
  const std::string embedded = c_text("network/embedded", {{"NAME", e.name}, {"FILE", e.name + "_weights.bin"}});
  const std::string members = "  struct thread_pool pool;\n  struct pool_share shares[kThreads];\n";
  const std::string text =
      c_text("network/functions", {{"NAME", e.name},
                                   {"PARAMETERS", e.parameters()},
                                   {"POOL_MEMBERS", has_pool ? members : ""},
                                   {"TILES", uses_tiles(e.extensions()) ? "  if (!tiles_allowed()) return 4;\n" : ""},
                                   {"EMBEDDED", e.has_embedded_weights ? embedded : ""},
                                   {"USABLE", fmt::format("{}", fmt::join(usable, " && "))},
                                   {"INPUT_POINTERS", pointers(e, true)},
                                   {"OUTPUT_POINTERS", pointers(e, false)},
                                   {"RUN_COPIES", e.network->copies.empty() ? "" : copies}});
  // What starts and stops the threads stands between the structure and the functions.
  const std::size_t at = text.find("\nstatic uint64_t checksum_of");
  return text.substr(0, at) + c_text(has_pool ? "network/pool" : "network/no_pool", {{"NAME", e.name}}) +
         text.substr(at);
}

}  // namespace

int ExportedNetwork::threads() const {
  const auto is_parallel = [](const NetworkKernel& kernel) { return kernel.is_parallel; };
  const std::vector<NetworkKernel>& kernels = network->kernels;
  const bool any = std::any_of(kernels.begin(), kernels.end(), is_parallel);
  return any ? kernels.front().task.target.threads : 1;
}

std::int64_t ExportedNetwork::workspace_bytes() const {
  std::int64_t bytes = 0;
  for (const NetworkKernel& kernel : network->kernels) {
    bytes = std::max(bytes, nestwright::workspace_bytes(kernel.object.workspace, threads()));
  }
  return (bytes + 63) / 64 * 64;
}

std::string ExportedNetwork::parameters() const {
  std::vector<std::string> texts;
  for (const NetworkTensor& tensor : tensors) {
    texts.push_back(
        fmt::format("{}{}* {}", tensor.is_input ? "const " : "", c_type(tensor.type.type), tensor.parameter));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<std::string> ExportedNetwork::extensions() const {
  std::set<std::string> all;
  for (const NetworkKernel& kernel : network->kernels) {
    all.insert(kernel.object.extensions.begin(), kernel.object.extensions.end());
  }
  return {all.begin(), all.end()};
}

std::string network_header(const ExportedNetwork& e) {
  std::string tensors;
  for (const NetworkTensor& tensor : e.tensors) tensors += tensor_line(tensor);
  const std::string embedded = "\n" + c_text("network/embedded_header", {{"NAME", e.name}});
  const std::string target = e.network->kernels.empty() ? "any CPU" : e.network->kernels.front().task.target.str();
  const auto memory = static_cast<std::int64_t>(e.network->plan.arena_bytes) + e.workspace_bytes();
  return c_text("network/header", {{"NAME", e.name},
                                   {"MODEL", e.model},
                                   {"TARGET", target},
                                   {"KERNELS", std::to_string(e.network->kernels.size())},
                                   {"TENSORS", tensors},
                                   {"ARENA", std::to_string(memory)},
                                   {"GUARD", header_guard(e.name)},
                                   {"EMBEDDED", e.has_embedded_weights ? embedded : ""},
                                   {"PARAMETERS", e.parameters()}});
}

std::string network_source(const ExportedNetwork& e) {
  const CpuIsa isa = e.network->kernels.empty() ? CpuIsa::kX86_64 : e.network->kernels.front().task.target.isa;
  const std::string loops =
      e.threads() > 1 ? "\n" + std::string(embedded_text("thread_pool")) : "\n" + c_text("library/serial_loop");
  return c_text("network/network",
                {{"NAME", e.name}, {"CPUID", isa == CpuIsa::kX86_64 ? "" : "#include <cpuid.h>\n"}}) +
         loops + tables(e) + cpu_check_source(isa, e.extensions()) + functions(e);
}

std::string network_weights(const ExportedNetwork& e) {
  const Array& weights = e.network->weights;
  const std::size_t bytes = weights.size_bytes();
  std::string file(64, '\0');
  file.append(static_cast<const char*>(weights.data()), bytes);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, &file[64 + i], 8);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
    sum ^= sum >> 32;
  }
  const std::uint64_t header[] = {1, e.id, bytes, sum};
  std::memcpy(file.data(), "NWWEIGHT", 8);
  std::memcpy(file.data() + 8, header, sizeof header);
  return file;
}

}  // namespace nestwright
