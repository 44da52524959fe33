// Our kernel as a program gets it: looked up in the database, compiled, called.

#include <fmt/format.h>

#include <memory>

#include "bench/compare/product.h"
#include "exporter/apply_best.h"
#include "support/error.h"

namespace nestwright::bench {

Product make_product(const ProductRequest& request) {
  Target target = Target::host();
  target.threads = request.threads;
  auto applied =
      std::make_shared<AppliedKernel>(apply_best(parse_workload(request.problem.workload()), target, request.database));
  void* const buffers[] = {const_cast<float*>(request.a), const_cast<float*>(request.b), request.c};
  return {.detail = fmt::format("{} configuration: {}", match_name(applied->found.match), applied->found.config.str()),
          .runs_avx512 = target.isa == CpuIsa::kAvx512,
          .call = [applied, a = buffers[0], b = buffers[1], c = buffers[2]] {
            void* const tensors[] = {a, b, c};
            check(applied->kernel.call(tensors) == 0, "the kernel returned an error");
          }};
}

}  // namespace nestwright::bench
