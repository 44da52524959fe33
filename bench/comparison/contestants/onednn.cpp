// oneDNN 2 and 3: the faster of its gemm (float32 and bytes) and its matmul primitive on plain layouts; with prepacked
// weights, the primitive on the layout that it prefers. Batches are one primitive; epilogues are its bias and
// post-operations. A build for SYCL has no primitives without an OpenCL device, so that only gemm runs.

#include <fmt/format.h>

#include <oneapi/dnnl/dnnl.hpp>

#include <optional>
#include <vector>

#include "bench/comparison/contestants/matmul_sizes.h"
#include "bench/comparison/contestants/onednn_convolution.h"
#include "bench/comparison/contestants/onednn_memory_bound.h"
#include "bench/comparison/timing/sampling.h"
#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

using dnnl::memory;

using DataType = memory::data_type;

/// The types of A, B and C.
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

/// `rows` x `columns` of each product as the product reads them; stored transposed where `transposed` is set.
memory::desc layout(const MatmulSizes& s, memory::dim rows, memory::dim columns, DataType type, bool transposed,
                    memory::dim leading, memory::dim step) {
  memory::dims sizes{rows, columns}, strides{transposed ? 1 : leading, transposed ? leading : 1};
  if (s.batch > 1) {
    sizes.insert(sizes.begin(), s.batch);
    strides.insert(strides.begin(), step);
  }
  return {sizes, type, strides};
}

/// A tensor that the epilogue reads: its argument, and its index among the inputs.
struct Extra {
  memory::desc desc;
  int argument;
  std::size_t input;
};

/// The primitive's attributes and the tensors that it reads in addition to A and B.
struct After {
  dnnl::primitive_attr attributes;
  std::optional<memory::desc> bias;
  std::vector<Extra> extras;
};

void append_eltwise(dnnl::post_ops& operations, dnnl::algorithm algorithm, float alpha) {
#if DNNL_VERSION_MAJOR >= 3
  operations.append_eltwise(algorithm, alpha, 0);
#else
  operations.append_eltwise(1, algorithm, alpha, 0);
#endif
}

After after(const MatmulSizes& s, const memory::desc& c) {
  After result;
  dnnl::post_ops operations;
  std::size_t input = 2;
  const auto add = [&] {
    operations.append_binary(dnnl::algorithm::binary_add, c);
    result.extras.push_back({c, DNNL_ARG_ATTR_MULTIPLE_POST_OP(operations.len() - 1) | DNNL_ARG_SRC_1, input++});
  };
  if (s.epilogue.alpha != 1) append_eltwise(operations, dnnl::algorithm::eltwise_linear, s.alpha);
  if (s.epilogue.beta != 0) add();
  if (s.epilogue.bias) {
    memory::dims sizes(s.batch > 1 ? 3 : 2, 1);
    sizes.back() = s.n;
    result.bias =
        memory::desc(sizes, memory::data_type::f32, s.batch > 1 ? memory::format_tag::abc : memory::format_tag::ab);
    result.extras.push_back({*result.bias, DNNL_ARG_BIAS, input++});
  }
  if (s.epilogue.residual) add();
  if (s.epilogue.activation == Epilogue::Activation::kRelu)
    append_eltwise(operations, dnnl::algorithm::eltwise_relu, 0);
  if (s.epilogue.activation == Epilogue::Activation::kGelu)
    append_eltwise(operations, dnnl::algorithm::eltwise_gelu_erf, 0);
  result.attributes.set_post_ops(operations);
  return result;
}

dnnl::matmul::primitive_desc describe(const dnnl::engine& engine, const memory::desc& a, const memory::desc& b,
                                      const memory::desc& c, const After& after) {
#if DNNL_VERSION_MAJOR >= 3
  if (after.bias) return {engine, a, b, *after.bias, c, after.attributes};
  return {engine, a, b, c, after.attributes};
#else
  if (after.bias) return {dnnl::matmul::desc(a, b, *after.bias, c), after.attributes, engine};
  return {dnnl::matmul::desc(a, b, c), after.attributes, engine};
#endif
}

/// Why it cannot compute the epilogue in one call; empty where it can.
std::string beyond_primitive(const MatmulSizes& s) {
  if (s.epilogue.beta != 0 && s.epilogue.beta != 1) return "adds C_in without a factor only";
  if (s.epilogue.alpha != 1 && s.epilogue.bias) return "adds a bias before the factor, not after it";
  return {};
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
  const memory::desc a = layout(s, s.m, s.k, types.a, s.ta, s.lda, s.sa),
                     b = layout(s, s.k, s.n, types.b, s.tb, s.ldb, s.sb),
                     c = layout(s, s.m, s.n, types.c, false, s.ldc, s.sc);
  const bool prepacked = request.weights == Weights::kPrepacked;
  memory::dims any_sizes{s.k, s.n};
  if (s.batch > 1) any_sizes.insert(any_sizes.begin(), s.batch);
  const memory::desc any(any_sizes, types.b, memory::format_tag::any);
  const After epilogue = after(s, c);
  const dnnl::matmul::primitive_desc description = describe(engine, a, prepacked ? any : b, c, epilogue);
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
    // The C interface takes an argument list made in advance; the C++ interface makes two in every call.
    std::vector<dnnl_exec_arg_t> arguments = {
        {DNNL_ARG_SRC, source.get()}, {DNNL_ARG_WEIGHTS, weights.get()}, {DNNL_ARG_DST, result.get()}};
    std::vector<memory> extras;
    for (const Extra& extra : epilogue.extras) {
      extras.emplace_back(extra.desc, engine, const_cast<void*>(operands.inputs[extra.input]));
      arguments.push_back({extra.argument, extras.back().get()});
    }
    return [matmul, stream, source, weights, result, extras, arguments] {
      const dnnl_status_t status =
          dnnl_primitive_execute(matmul.get(), stream.get(), static_cast<int>(arguments.size()), arguments.data());
      if (status != dnnl_success || dnnl_stream_wait(stream.get()) != dnnl_success) throw Error("matmul failed");
    };
  });
}

Calls sgemm_calls(const OperationRequest& request, const MatmulSizes& s) {
  return calls_for(request.copies, [&](const Operands& operands) {
    return [s, t = matmul_operands(operands)] {
      const dnnl_status_t status = dnnl_sgemm(s.ta ? 'T' : 'N', s.tb ? 'T' : 'N', s.m, s.n, s.k, s.alpha, t.a, s.lda,
                                              t.b, s.ldb, 0.0f, t.c, s.ldc);
      if (status != dnnl_success) throw Error("dnnl_sgemm failed");
    };
  });
}

/// Calls for a product of uint8 or int8 by int8.
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
                                  s.lda, 0, b, s.ldb, 0, 0.0f, c, s.ldc, &none)
              : dnnl_gemm_s8s8s32(ta, tb, 'F', s.m, s.n, s.k, 1.0f, static_cast<const std::int8_t*>(t.inputs[0]), s.lda,
                                  0, b, s.ldb, 0, 0.0f, c, s.ldc, &none);
      if (status != dnnl_success) throw Error("dnnl_gemm of bytes failed");
    };
  });
}

/// Calls of the routine that competes with the primitive; empty where there is none for the type.
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
    if (auto made = convolution_calls(*engine, request)) {
      if (const auto* cannot = std::get_if<CannotDo>(&*made)) return *cannot;
      auto& convolution = std::get<ConvolutionCalls>(*made);
      Operation operation = made_of(std::move(convolution.calls), convolution.detail);
      operation.stores = std::move(convolution.stores);
      return operation;
    }
    if (auto other = memory_bound_calls(*engine, request)) {
      return made_of(std::move(other->calls), other->primitive + " primitive");
    }
  }
  if (!sizes || !types) return CannotDo{"has no primitive for it, or not of this type"};
  const bool plain = request.weights == Weights::kPlain && sizes->batch == 1 && beyond_blas(*sizes).empty();
  if (!engine && !plain) return CannotDo{"has no primitives in this build: no engine"};
  if (const std::string why = beyond_primitive(*sizes); !why.empty()) return CannotDo{why};
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
