#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "exporter/source/sources.h"
#include "expression/passed_shape.h"
#include "support/base/error.h"

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
  return fmt::format(R"(
/* Prepacked constants. Call this once per set of constants, with a buffer of {1} bytes that the caller owns and that is
 * aligned to 64 bytes; then pass the buffer to every call. It contains no pointers: it may be copied, stored and mapped,
 * and any number of calls may read it at once. Returns the codes that a call returns. */
int {0}_prepare({2});
enum {{ {0}_prepared_bytes = {1} }};
)",
                     e.name, e.prepared_bytes(), c_preparation_parameters(e));
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
  std::string text = fmt::format(
      R"(/* {0}: {1}
 *
 * A kernel tuned by Nestwright for {2}.
 * Time of one call: {3}.
 *
 * Tensors are row-major, compact where no strides (in elements) are given, and aligned to their element type where
 * nothing else is said; 64-byte alignment is fastest:
{4} * {9}
 *
 * Returns 0, or, with nothing written,
 *   1  this CPU lacks instructions that the kernel needs
 *   2  no memory for the workspace ({5})
 *   3  a pointer is null or not aligned as it has to be
{8} *
 * Any number of threads may call it at once. Each keeps its workspace for its next call, until it calls {0}_release
 * or ends. After a fork the child may call it, too. The shared library stays in memory after dlclose.
 */
#ifndef {6}
#define {6}

{10}#ifdef __cplusplus
extern "C" {{
#endif

int {0}({7});

/* Frees the calling thread's workspace. */
void {0}_release(void);
)",
      e.name, e.task->workload.str(), e.task->target.str(), header_time(e), header_tensors(e),
      e.workspace_bytes() == 0 ? "this kernel has none" : fmt::format("{} bytes a calling thread", e.workspace_bytes()),
      header_guard(e.name), c_parameters(e),
      uses_tiles(e.object->extensions)
          ? " *   4  the operating system refuses the tile registers (AMX) to this process\n"
          : "",
      header_overlap(e), header_includes(e));
  if (e.has_preparation()) text += preparation_text(e);
  if (e.is_parallel) {
    text += fmt::format(R"(
/* The kernel's parallel loop runs on {1} threads: the caller's and a pool of pthreads of its own, which are started at the
 * first call, spin for 50 us after a loop and then sleep. It serves one caller at a time; another one that calls meanwhile
 * runs its loop alone.
 *
 * To run the loop on threads of your own, hand over a function that calls body(task, thread, closure) once for each task
 * in 0 .. tasks-1, with `thread` in 0 .. {2} and different for tasks that run at the same time, and returns when all are
 * done. It gets `threads` as you hand it over here, is called from as many threads at once as the kernel is, and must
 * not throw. Null: the kernel's own pool again. Not to be called while the kernel runs. */
typedef void (*{0}_body)(int task, int thread, void* closure);
typedef void (*{0}_parallel_for)(void* threads, int tasks, {0}_body body, void* closure);
void {0}_set_parallel_for(void* threads, {0}_parallel_for run);
)",
                        e.name, e.threads(), e.threads() - 1);
  }
  return text + R"(
#ifdef __cplusplus
}
#endif

#endif
)";
}

}  // namespace nestwright
