// Stage two of lowering: the list of its passes.
#include <fmt/format.h>

#include <chrono>
#include <span>

#include "ir/simplify.h"
#include "ir/verify.h"
#include "lower/expand_passes.h"
#include "lower/lower.h"
#include "support/error.h"

namespace nestwright {
namespace {

using Pass = ir::Program (*)(const ir::Program&, const Target&);

template <class F>
ir::Program each_kernel(ir::Program program, const F& pass) {
  for (ir::Kernel& kernel : program.kernels) kernel.body = pass(kernel.body);
  return program;
}

struct NamedPass {
  const char* name;
  Pass run;
};

ir::Program simplify_vectors(const ir::Program& program, const Target&) {
  return each_kernel(program, [](const ir::Stmt& body) { return ir::simplify(body); });
}
ir::Program vectorize(const ir::Program& program, const Target& target) {
  return each_kernel(program, [&](const ir::Stmt& body) { return expansion::vectorize(body, target); });
}
ir::Program plan_storage(const ir::Program& program, const Target&) { return expansion::plan_storage(program); }

// Unrolling comes first: it decides most guards, so that only what is left of them becomes masks. Tiles are padded
// while their masks still have the form that vectorize gave them.
constexpr NamedPass kCpuPasses[] = {
    {"unroll", [](const ir::Program& p, const Target&) { return each_kernel(p, expansion::unroll); }},
    {"vectorize", vectorize},
    {"register_tiles", [](const ir::Program& p, const Target&) { return each_kernel(p, expansion::register_tiles); }},
    {"simplify_vectors", simplify_vectors},
    {"vector_math",
     [](const ir::Program& p, const Target& target) {
       return each_kernel(p, [&](const ir::Stmt& body) { return expansion::vector_math(body, target); });
     }},
    {"plan_storage", plan_storage},
};

// A device's compiler unrolls and keeps registers itself, and has functions of its own: the source stays small and a
// person can read it.
constexpr NamedPass kDevicePasses[] = {
    {"warp_shuffles",
     [](const ir::Program& p, const Target& target) {
       return each_kernel(p, [&](const ir::Stmt& body) { return expansion::warp_shuffles(body, target); });
     }},
    {"virtual_threads", [](const ir::Program& p, const Target&) { return each_kernel(p, expansion::virtual_threads); }},
    {"vectorize", vectorize},
    {"simplify_vectors", simplify_vectors},
    {"unrolled_registers",
     [](const ir::Program& p, const Target&) { return each_kernel(p, expansion::unrolled_registers); }},
    {"plan_storage", plan_storage},
};

std::span<const NamedPass> passes_for(DeviceKind device) {
  if (device == DeviceKind::kCpu) return kCpuPasses;
  return kDevicePasses;
}

// Until the loops are gone the program is in neither form: only the finished one is held to the vector form's rules.
void verify_expanded(const ir::Program& program, const Target& target) {
  const ir::Form form = target.device == DeviceKind::kCpu ? ir::Form::kVector : ir::Form::kDeviceVector;
  const std::vector<std::string> problems = ir::verify(program, form);
  if (!problems.empty()) {
    throw InternalError(fmt::format("internal error: expanding {} broke it: {}", program.name, problems.front()));
  }
}

}  // namespace

ir::Program expand(const ir::Program& program, const Target& target, const LowerOptions& options) {
  ir::Program result = program;
  for (const NamedPass& pass : passes_for(target.device)) {
    const auto start = std::chrono::steady_clock::now();
    result = pass.run(result, target);
    const auto ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
    if (options.after_pass) options.after_pass(pass.name, result, ns);
  }
#ifdef NDEBUG
  const bool verify = options.verify;
#else
  const bool verify = true;
#endif
  if (verify) verify_expanded(result, target);
  return result;
}

std::vector<std::string> expand_pass_names(DeviceKind device) {
  std::vector<std::string> names;
  for (const NamedPass& pass : passes_for(device)) names.emplace_back(pass.name);
  return names;
}

}  // namespace nestwright
