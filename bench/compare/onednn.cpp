// oneDNN: its sgemm, or its matmul primitive made beforehand, whichever is faster here.

#include <fmt/format.h>

#include <oneapi/dnnl/dnnl.hpp>

#include "bench/compare/product.h"
#include "support/error.h"

namespace nestwright::bench {
namespace {

using dnnl::memory;

std::function<void()> primitive_call(const ProductRequest& r) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto matrix = [&](memory::dim rows, memory::dim columns, const float* data) {
    return memory({{rows, columns}, memory::data_type::f32, memory::format_tag::ab}, engine, const_cast<float*>(data));
  };
  const memory a = matrix(r.problem.m, r.problem.k, r.a), b = matrix(r.problem.k, r.problem.n, r.b),
               c = matrix(r.problem.m, r.problem.n, r.c);
  const dnnl::matmul matmul(
      dnnl::matmul::primitive_desc(dnnl::matmul::desc(a.get_desc(), b.get_desc(), c.get_desc()), engine));
  return [=]() mutable {
    matmul.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
    stream.wait();
  };
}

std::function<void()> sgemm_call(const ProductRequest& r) {
  const dnnl_dim_t m = r.problem.m, n = r.problem.n, k = r.problem.k;
  return [=, a = r.a, b = r.b, c = r.c] {
    const dnnl_status_t status = dnnl_sgemm('N', 'N', m, n, k, 1.0f, a, k, b, n, 0.0f, c, n);
    if (status != dnnl_success) throw Error("dnnl_sgemm failed");
  };
}

}  // namespace

Product make_product(const ProductRequest& request) {
  const auto sgemm = sgemm_call(request), primitive = primitive_call(request);
  const bool takes_sgemm = quick_time_ns(sgemm) <= quick_time_ns(primitive);
  const dnnl_version_t* version = dnnl_version();
  const auto isa = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
  return {.detail = fmt::format("{}.{}.{}, {}, isa {:#x}", version->major, version->minor, version->patch,
                                takes_sgemm ? "sgemm" : "matmul primitive", isa),
          .runs_avx512 = (isa & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core,
          .call = takes_sgemm ? sgemm : primitive};
}

}  // namespace nestwright::bench
