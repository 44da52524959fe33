// Our kernel as a program gets it: looked up in the database, compiled, called.

#include <fmt/format.h>

#include <memory>

#include "bench/compare/product.h"
#include "exporter/apply_best.h"

namespace nestwright::bench {

Product make_product(const ProductRequest& request) {
  Target target = Target::host();
  target.threads = request.threads;
  auto applied =
      std::make_shared<AppliedKernel>(apply_best(parse_workload(request.problem.workload()), target, request.database));
  const auto& [m, n, k] = request.problem;
  const ArrayView a(request.a, kFloat32, {m, k}), b(request.b, kFloat32, {k, n}), c(request.c, kFloat32, {m, n});
  return {.detail = fmt::format("{} configuration: {}", match_name(applied->found.match), applied->found.config.str()),
          .runs_avx512 = target.isa == CpuIsa::kAvx512,
          .call = [applied, a, b, c] { applied->function(a, b, c); }};
}

}  // namespace nestwright::bench
