#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "exporter/source/c_text.h"
#include "exporter/source/sources.h"
#include "nestwright/error.h"
#include "nestwright/tensor.h"

namespace nestwright {
namespace {

std::string shape_text(const Tensor& tensor) {
  const ir::Buffer& buffer = tensor.buffer();
  std::vector<std::string> extents;
  for (const ir::Expr& extent : passed_shape(tensor)) {
    const std::int64_t* value = ir::as_const_int(extent);
    if (value == nullptr)
      throw UsageError("a kernel with symbolic extents cannot be exported yet: give constant sizes");
    extents.push_back(std::to_string(*value));
  }
  std::string text = described_type(buffer->element);
  text += extents.empty() ? ", one element" : fmt::format("[{}]", fmt::join(extents, "]["));
  if (buffer->strides.empty()) return text;
  return text + fmt::format(", strides {}", fmt::join(ir::constants_of(buffer->strides), ", "));
}

std::string c_parameter(const Exported& e, std::size_t argument) {
  const bool is_input = static_cast<int>(argument) < e.definition->inputs;
  return fmt::format("{}{}* {}", is_input ? "const " : "", c_type(e.definition->args[argument].dtype()),
                     e.parameters[argument]);
}

std::string preparation_text(const Exported& e) {
  return "\n" + c_text("library/preparation_header", {{"NAME", e.name},
                                                      {"BYTES", std::to_string(e.prepared_bytes())},
                                                      {"PARAMETERS", c_preparation_parameters(e)}});
}

}  // namespace

std::string c_type(ir::Type type) {
  if (type == kFloat32) return "float";
  if (type == kFloat64) return "double";
  if (type.is_narrow_float()) return "unsigned short";  // its bits, because C11 does not have the type
  if (type.is_bool()) return "unsigned char";           // 0 or 1, because bool is another name in C++ than in C
  const bool is_signed = type.code == ir::TypeCode::kInt;
  switch (type.bits) {
    case 8:
      return is_signed ? "signed char" : "unsigned char";
    case 16:
      return is_signed ? "short" : "unsigned short";
    case 32:
      return is_signed ? "int" : "unsigned int";
    case 64:
      return is_signed ? "int64_t" : "uint64_t";
    default:
      throw UsageError("tensors of type " + type.str() + " cannot be exported to C");
  }
}

std::string described_type(ir::Type type) {
  if (type.is_bool()) return "bool (0 or 1)";
  return type.is_narrow_float() ? type.str() : c_type(type);
}

std::string header_includes(const Exported& e) {
  const bool has_wide = std::any_of(e.definition->args.begin(), e.definition->args.end(), [](const Tensor& tensor) {
    return tensor.dtype().is_int() && tensor.dtype().bits == 64;
  });
  return has_wide ? "#include <stdint.h>\n\n" : "";
}

std::string c_parameters(const Exported& e) {
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    if (static_cast<int>(i) == e.definition->inputs && e.has_preparation()) {
      parameters.emplace_back("const void* prepared");
    }
    if (!e.is_constant(i)) parameters.push_back(c_parameter(e, i));
  }
  return fmt::format("{}", fmt::join(parameters, ", "));
}

std::string c_preparation_parameters(const Exported& e) {
  std::string parameters;
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    if (e.is_constant(i)) parameters += c_parameter(e, i) + ", ";
  }
  return parameters + "void* prepared";
}

std::string header_overlap(const Exported& e) {
  std::string text = "Inputs and outputs must not overlap";
  if (e.program == nullptr) return text + ".";
  for (std::size_t i = 0; i < e.program->parameters.size(); ++i) {
    const int input = e.program->parameters[i].in_place_of;
    if (input < 0) continue;
    text += fmt::format(", but {} and {} may be the same pointer", e.parameters[static_cast<std::size_t>(input)],
                        e.parameters[i]);
  }
  return text + ".";
}

std::string header_time(const Exported& e) {
  const auto& record = e.found->record;
  if (!record || e.found->match == MatchKind::kNearest) return "not measured for this shape";
  return fmt::format("{:.4g} us, undisturbed processes {:.4g} .. {:.4g} us, {:.1f} GFLOP/s on {}{}",
                     record->timing.median_ns * 1e-3, record->timing.low_ns * 1e-3, record->timing.high_ns * 1e-3,
                     record->gflops(), record->task.machine,
                     e.found->hint.empty() ? "" : "; the time is a hint, for the reason in the manifest");
}

std::string header_guard(const std::string& function) {
  std::string upper = function;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return upper + "_H";
}

std::string header_tensors(const Exported& e) {
  std::string tensors;
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    const Tensor& tensor = e.definition->args[i];
    const int alignment = e.alignment(i);
    tensors +=
        fmt::format(" *   {:<7} {:<23} {}{}\n", e.parameters[i], shape_text(tensor),
                    e.is_constant(i)                             ? "read by the preparation"
                    : static_cast<int>(i) < e.definition->inputs ? "read"
                                                                 : "written, need not be initialised",
                    alignment > tensor.dtype().bytes() ? fmt::format("; at a multiple of {} bytes", alignment) : "");
  }
  return tensors;
}

std::string header_source(const Exported& e) {
  const std::string workspace =
      e.workspace_bytes() == 0 ? "this kernel has none" : fmt::format("{} bytes a calling thread", e.workspace_bytes());
  const std::string tiles = " *   4  the operating system refuses the tile registers (AMX) to this process\n";
  std::string text = c_text("library/header", {{"NAME", e.name},
                                               {"WORKLOAD", e.task->workload.str()},
                                               {"TARGET", e.task->target.str()},
                                               {"TIME", header_time(e)},
                                               {"TENSORS", header_tensors(e)},
                                               {"OVERLAP", header_overlap(e)},
                                               {"WORKSPACE", workspace},
                                               {"TILES", uses_tiles(e.object->extensions) ? tiles : ""},
                                               {"GUARD", header_guard(e.name)},
                                               {"INCLUDES", header_includes(e)},
                                               {"DECLARATION", c_parameters(e)}});
  if (e.has_preparation()) text += preparation_text(e);
  if (e.is_parallel) {
    text += "\n" + c_text("library/parallel_header", {{"NAME", e.name},
                                                      {"THREADS", std::to_string(e.threads())},
                                                      {"LAST", std::to_string(e.threads() - 1)}});
  }
  return text + "\n" + c_text("library/header_end");
}

}  // namespace nestwright
