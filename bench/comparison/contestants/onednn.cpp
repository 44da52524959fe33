// oneDNN 2 and 3: its gemm (of float32 and of bytes), or its matmul primitive made beforehand on plain layouts,
// whichever is faster here; with prepacked weights the primitive on the layout that it likes best. A build for SYCL has
// no primitives without a device of OpenCL: of that one, gemm alone runs.

#include <fmt/format.h>

#include <oneapi/dnnl/dnnl.hpp>

#include <array>
#include <optional>

#include "bench/comparison/contestants/matmul_sizes.h"
#include "bench/comparison/contestants/onednn_memory_bound.h"
#include "bench/comparison/sampling.h"
#include "support/error.h"

namespace nestwright::bench {
namespace {

using dnnl::memory;

using DataType = memory::data_type;

/// Of A, B and C.
struct DataTypes {
  DataType a, b, c;
};

std::optional<DataTypes> data_types(ir::Type dtype) {
  if (dtype == kFloat32) return DataTypes{DataType::f32, DataType::f32, DataType::f32};
  if (dtype == kBFloat16) return DataTypes{DataType::bf16, DataType::bf16, DataType::f32};
  if (dtype == kFloat16) return DataTypes{DataType::f16, DataType::f16, DataType::f16};
  if (dtype == kInt8) return DataTypes{DataType::s8, DataType::s8, DataType::s32};
  if (dtype == kUInt8) return DataTypes{DataType::u8, DataType::s8, DataType::s32};
  return std::nullopt;
}

memory::desc layout(memory::dim rows, memory::dim columns, DataType type, bool transposed) {
  return {{rows, columns}, type, transposed ? memory::format_tag::ba : memory::format_tag::ab};
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

Calls primitive_calls(const dnnl::engine& engine, const OperationRequest& request, const MatmulSizes& s,
                      const DataTypes& types) {
  dnnl::stream stream(engine);
  const memory::desc a = layout(s.m, s.k, types.a, s.ta), b = layout(s.k, s.n, types.b, s.tb),
                     c = layout(s.m, s.n, types.c, false);
  const bool prepacked = request.weights == Weights::kPrepacked;
  const memory::desc any({s.k, s.n}, types.b, memory::format_tag::any);
  const dnnl::matmul::primitive_desc description = describe(engine, a, prepacked ? any : b, c);
  const dnnl::matmul matmul(description);
  return calls_for(request.copies, [&](const Operands& operands) {
    memory source(a, engine, const_cast<void*>(operands.inputs[0])),
        weights(b, engine, const_cast<void*>(operands.inputs[1])), result(c, engine, operands.outputs[0]);
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

/// Of uint8 or int8 times int8.
Calls igemm_calls(const OperationRequest& request, const MatmulSizes& s, bool is_unsigned) {
  return calls_for(request.copies, [&](const Operands& operands) {
    return [s, is_unsigned, t = operands] {
      const char ta = s.ta ? 'T' : 'N', tb = s.tb ? 'T' : 'N';
      const std::int32_t none = 0;
      const auto* b = static_cast<const std::int8_t*>(t.inputs[1]);
      auto* c = static_cast<std::int32_t*>(t.outputs[0]);
      const dnnl_status_t status =
          is_unsigned
              ? dnnl_gemm_u8s8s32(ta, tb, 'F', s.m, s.n, s.k, 1.0f, static_cast<const std::uint8_t*>(t.inputs[0]),
                                  s.lda(), 0, b, s.ldb(), 0, 0.0f, c, s.ldc(), &none)
              : dnnl_gemm_s8s8s32(ta, tb, 'F', s.m, s.n, s.k, 1.0f, static_cast<const std::int8_t*>(t.inputs[0]),
                                  s.lda(), 0, b, s.ldb(), 0, 0.0f, c, s.ldc(), &none);
      if (status != dnnl_success) throw Error("dnnl_gemm of bytes failed");
    };
  });
}

/// The routine beside the primitive; empty where the type has none.
Calls gemm_calls(const OperationRequest& request, const MatmulSizes& sizes, ir::Type dtype) {
  if (dtype == kFloat32) return sgemm_calls(request, sizes);
  if (dtype == kInt8 || dtype == kUInt8) return igemm_calls(request, sizes, dtype == kUInt8);
  return {};
}

Operation made_of(Calls calls, const std::string& routine) {
  const dnnl_version_t* version = dnnl_version();
  const auto isa = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
  return {
      .detail = fmt::format("{}.{}.{}, {}, isa {:#x}", version->major, version->minor, version->patch, routine, isa),
      .runs_avx512 = (isa & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core,
      .calls = std::move(calls)};
}

}  // namespace

std::variant<Operation, CannotDo> make_operation(const OperationRequest& request) {
  const auto sizes = matmul_sizes(request.workload);
  const ir::Type dtype = sizes ? request.workload.type("dtype") : kFloat32;
  const auto types = data_types(dtype);
  const std::optional<dnnl::engine> engine = find_engine();
  if (!sizes && engine) {
    if (auto other = memory_bound_calls(*engine, request)) {
      return made_of(std::move(other->calls), other->primitive + " primitive");
    }
  }
  if (!sizes || !types) return CannotDo{"has no primitive for it, or not of this type"};
  const bool plain = request.weights == Weights::kPlain;
  if (!engine && !plain) return CannotDo{"has no primitives in this build: no engine"};
  Calls gemm = plain ? gemm_calls(request, *sizes, dtype) : Calls();
  if (!engine && gemm.empty()) return CannotDo{"has no primitives in this build: no engine"};
  Calls primitive;
  try {
    if (engine) primitive = primitive_calls(*engine, request, *sizes, *types);
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented || !gemm.empty()) throw;
    return CannotDo{"has no primitive of these types on this processor"};
  }
  const bool takes_gemm = !engine || (!gemm.empty() && quick_time_ns(gemm) <= quick_time_ns(primitive));
  const char* routine = !engine ? "gemm (no engine for primitives)" : takes_gemm ? "gemm" : "matmul primitive";
  return made_of(std::move(takes_gemm ? gemm : primitive), routine);
}

}  // namespace nestwright::bench
