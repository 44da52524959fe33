// Stage two of lowering: the list of its passes.
#include <fmt/format.h>

#include <chrono>

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

// Unrolling comes first: it decides most guards, so that only what is left of them becomes masks. Tiles are padded
// while their masks still have the form that vectorize gave them.
constexpr NamedPass kPasses[] = {
    {"unroll", [](const ir::Program& p, const Target&) { return each_kernel(p, expansion::unroll); }},
    {"vectorize",
     [](const ir::Program& p, const Target& target) {
       return each_kernel(p, [&](const ir::Stmt& body) { return expansion::vectorize(body, target); });
     }},
    {"register_tiles", [](const ir::Program& p, const Target&) { return each_kernel(p, expansion::register_tiles); }},
    {"simplify_vectors",
     [](const ir::Program& p, const Target&) {
       return each_kernel(p, [](const ir::Stmt& body) { return ir::simplify(body); });
     }},
    {"vector_math",
     [](const ir::Program& p, const Target& target) {
       return each_kernel(p, [&](const ir::Stmt& body) { return expansion::vector_math(body, target); });
     }},
    {"plan_storage", [](const ir::Program& p, const Target&) { return expansion::plan_storage(p); }},
};

// Until the loops are gone the program is in neither form: only the finished one is held to the vector form's rules.
void verify_expanded(const ir::Program& program) {
  const std::vector<std::string> problems = ir::verify(program, ir::Form::kVector);
  if (!problems.empty()) {
    throw InternalError(fmt::format("internal error: expanding {} broke it: {}", program.name, problems.front()));
  }
}

}  // namespace

ir::Program expand(const ir::Program& program, const Target& target, const LowerOptions& options) {
  ir::Program result = program;
  for (const NamedPass& pass : kPasses) {
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
  if (verify) verify_expanded(result);
  return result;
}

std::vector<std::string> expand_pass_names() {
  std::vector<std::string> names;
  for (const NamedPass& pass : kPasses) names.emplace_back(pass.name);
  return names;
}

}  // namespace nestwright
