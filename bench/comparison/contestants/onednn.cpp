// oneDNN 2 and 3: its sgemm, or its matmul primitive made beforehand on plain layouts, whichever is faster here; with
// prepacked weights the primitive on the layout that it likes best. A build for SYCL has no primitives without a device
// of OpenCL: of that one, sgemm alone runs.

#include <fmt/format.h>

#include <oneapi/dnnl/dnnl.hpp>

#include <array>
#include <optional>

#include "bench/comparison/contestants/matmul_sizes.h"
#include "bench/comparison/sampling.h"
#include "support/error.h"

namespace nestwright::bench {
namespace {

using dnnl::memory;

memory::desc layout(memory::dim rows, memory::dim columns, bool transposed) {
  return {{rows, columns}, memory::data_type::f32, transposed ? memory::format_tag::ba : memory::format_tag::ab};
}

dnnl::matmul::primitive_desc describe(const dnnl::engine& engine, const memory::desc& a, const memory::desc& b,
                                      const memory::desc& c) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, a, b, c};
#else
  return {dnnl::matmul::desc(a, b, c), engine};
#endif
}

std::optional<dnnl::engine> find_engine() {
  try {
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
}

Calls primitive_calls(const dnnl::engine& engine, const OperationRequest& request, const MatmulSizes& s) {
  dnnl::stream stream(engine);
  const memory::desc a = layout(s.m, s.k, s.ta), b = layout(s.k, s.n, s.tb), c = layout(s.m, s.n, false);
  const bool prepacked = request.weights == Weights::kPrepacked;
  const memory::desc any({s.k, s.n}, memory::data_type::f32, memory::format_tag::any);
  const dnnl::matmul::primitive_desc description = describe(engine, a, prepacked ? any : b, c);
  const dnnl::matmul matmul(description);
  return calls_for(request.copies, [&](const Operands& operands) {
    const MatmulOperands t = matmul_operands(operands);
    memory source(a, engine, const_cast<float*>(t.a)), weights(b, engine, const_cast<float*>(t.b)),
        result(c, engine, t.c);
    if (prepacked) {
      memory packed(description.weights_desc(), engine);
      dnnl::reorder(weights, packed).execute(stream, weights, packed);
      stream.wait();
      weights = packed;
    }
    // By the C interface, with its list of arguments made beforehand: the one in C++ makes two of them in every call.
    const std::array<dnnl_exec_arg_t, 3> arguments = {
        {{DNNL_ARG_SRC, source.get()}, {DNNL_ARG_WEIGHTS, weights.get()}, {DNNL_ARG_DST, result.get()}}};
    return [matmul, stream, source, weights, result, arguments] {
      const dnnl_status_t status = dnnl_primitive_execute(matmul.get(), stream.get(), 3, arguments.data());
      if (status != dnnl_success || dnnl_stream_wait(stream.get()) != dnnl_success) throw Error("matmul failed");
    };
  });
}

Calls sgemm_calls(const OperationRequest& request, const MatmulSizes& s) {
  return calls_for(request.copies, [&](const Operands& operands) {
    return [s, t = matmul_operands(operands)] {
      const dnnl_status_t status = dnnl_sgemm(s.ta ? 'T' : 'N', s.tb ? 'T' : 'N', s.m, s.n, s.k, 1.0f, t.a, s.lda(),
                                              t.b, s.ldb(), 0.0f, t.c, s.ldc());
      if (status != dnnl_success) throw Error("dnnl_sgemm failed");
    };
  });
}

}  // namespace

std::variant<Operation, CannotDo> make_operation(const OperationRequest& request) {
  const auto sizes = float32_matmul(request.workload);
  if (!sizes) return CannotDo{"float32 matmul only"};
  const std::optional<dnnl::engine> engine = find_engine();
  const bool plain = request.weights == Weights::kPlain;
  if (!engine && !plain) return CannotDo{"has no primitives in this build: no engine"};
  Calls primitive = engine ? primitive_calls(*engine, request, *sizes) : Calls();
  Calls sgemm = plain ? sgemm_calls(request, *sizes) : Calls();
  const bool takes_sgemm = !engine || (plain && quick_time_ns(sgemm) <= quick_time_ns(primitive));
  const char* routine = !engine ? "sgemm (no engine for primitives)" : takes_sgemm ? "sgemm" : "matmul primitive";
  const dnnl_version_t* version = dnnl_version();
  const auto isa = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
  return Operation{
      .detail = fmt::format("{}.{}.{}, {}, isa {:#x}", version->major, version->minor, version->patch, routine, isa),
      .runs_avx512 = (isa & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core,
      .calls = std::move(takes_sgemm ? sgemm : primitive)};
}

}  // namespace nestwright::bench
