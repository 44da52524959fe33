// Details of the sources of handwritten kernels: widths of indices, qualifiers, vectors, non-temporal stores, scopes;
// and refusals. NVRTC compiles the sources for CUDA.
#include <gmock/gmock.h>

#include "codegen/backend.h"
#include "codegen/cuda/cuda_dialect.h"
#include "codegen/opencl/opencl_dialect.h"
#include "codegen/source/device_object.h"
#include "nestwright/error.h"
#include "nestwright/expr.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "tests/codegen/device/schedules.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using namespace ir;
using ::testing::HasSubstr;
using ::testing::Not;

Stmt threads(const Var& var, const Expr& count, const Stmt& body) {
  return make_for(var, 0, count, LoopKind::kThreadX, body);
}
Stmt blocks(const Var& var, const Expr& count, const Stmt& body) {
  return make_for(var, 0, count, LoopKind::kBlockX, body);
}

Program program_of(std::vector<Parameter> parameters, const Stmt& body, std::vector<Var> symbols = {}) {
  return {"f", std::move(parameters), std::move(symbols), {}, {}, {}, make_launch(0), {{"f_kernel0", body}}};
}

std::string opencl_source(const Program& program) {
  const Target target = device_target(DeviceKind::kOpenCl);
  return codegen::device_object(expand(program, target, {.after_pass = {}, .verify = true}), codegen::OpenClDialect())
      .source;
}

/// The CUDA source, which must compile.
std::string cuda_source(const Program& program) {
  const Target target = device_target(DeviceKind::kCuda);
  const Program expanded = expand(program, target, {.after_pass = {}, .verify = true});
  return make_backend(DeviceKind::kCuda)->compile(expanded, target, {}).source;
}

class Source : public ::testing::Test {
 protected:
  Var b_{"b"}, x_{"x"}, k_{"k"};
};

TEST_F(Source, IndicesOf32BitsWhereAllOfThemFits) {
  const auto copy = [&](std::int64_t rows) {
    const Buffer a("A", kFloat32, {Expr(rows), 4096}), c("C", kFloat32, {Expr(rows), 4096});
    return cuda_source(
        program_of({{a, Role::kInput}, {c, Role::kOutput}},
                   blocks(b_, Expr(rows), threads(x_, 32, make_store(c, {b_, x_}, make_load(a, {b_, x_}))))));
  };
  EXPECT_THAT(copy(524288), HasSubstr("C[b*4096 + x] = A[b*4096 + x];"));
  EXPECT_THAT(copy(524289), HasSubstr("C[(long long)b*4096 + x] = A[(long long)b*4096 + x];"));
}

TEST_F(Source, LoopsThatLeave32Bits) {
  const Var n("n");
  const Buffer a("A", kInt8, {Expr(n)}), c("C", kInt8, {32});
  const auto summed = [&](const Expr& count) {
    const Stmt loop = make_for(k_, 0, count, LoopKind::kSerial, make_store(c, {x_}, make_load(a, {k_})));
    return opencl_source(program_of({{a, Role::kInput}, {c, Role::kOutput}}, threads(x_, 32, loop), {n}));
  };
  EXPECT_THAT(summed(n), HasSubstr("for (long k = 0; k < n; ++k) {"));
  EXPECT_THAT(summed(min(n, Expr(100))), HasSubstr("for (int k = 0; k < nw_min_int64(n, 100); ++k) {"));
}

TEST_F(Source, ASignedNumberOfAnUnsignedOneIsConverted) {
  const Buffer a("A", kUInt8, {32}), c("C", kFloat32, {32});
  const Expr wide = make_cast(kInt64, make_cast(kUInt64, make_load(a, {x_})));
  const Program program = program_of({{a, Role::kInput}, {c, Role::kOutput}},
                                     threads(x_, 32, make_store(c, {x_}, make_cast(kFloat32, wide - 300))));
  for (const std::string& source : {cuda_source(program), opencl_source(program)}) {
    EXPECT_THAT(source, Not(HasSubstr("(unsigned long long)A[x] - 300")));
    EXPECT_THAT(source, Not(HasSubstr("(ulong)A[x] - 300")));
  }
}

TEST_F(Source, FloorDivisionOnlyWhereSignsDiffer) {
  const Buffer a("A", kFloat32, {64}), c("C", kFloat32, {64});
  const auto stored_at = [&](const Expr& index) {  // as it stands: the second stage would simplify it
    const Program program = program_of({{a, Role::kInput}, {c, Role::kOutput}},
                                       threads(x_, 64, make_store(c, {x_}, make_load(a, {index}))));
    return codegen::device_object(program, codegen::CudaDialect()).source;
  };
  EXPECT_THAT(stored_at(x_ / 8 + x_ % 8), HasSubstr("A[x/8 + x%8]"));
  EXPECT_THAT(stored_at((x_ - 30) / 8 + 4), HasSubstr("A[nw_floor_div_int32(x - 30, 8) + 4]"));
  EXPECT_THAT(stored_at((x_ - 30) % 8), HasSubstr("A[nw_floor_mod_int32(x - 30, 8)]"));
}

TEST_F(Source, NothingElsePointsToWhatIsNotInPlace) {
  const Buffer a("A", kFloat32, {32}), b("B", kFloat32, {32}), c("C", kFloat32, {32});
  Program program = program_of({{a, Role::kInput}, {b, Role::kInput}, {c, Role::kOutput, 0}},
                               threads(x_, 32, make_store(c, {x_}, make_load(a, {x_}) + make_load(b, {x_}))));
  EXPECT_THAT(cuda_source(program), HasSubstr("f_kernel0(const float* A, const float* __restrict__ B, float* C) {"));
  EXPECT_THAT(opencl_source(program),
              HasSubstr("f_kernel0(\n    __global const float* A,\n    __global const float* restrict B,\n    __global "
                        "float* C) {"));
}

TEST_F(Source, OnlyArgumentsThatAKernelUses) {
  const Var n("n"), m("m");
  const Buffer a("A", kFloat32, {Expr(n)}), b("B", kFloat32, {Expr(m)}), c("C", kFloat32, {32});
  const Program program =
      program_of({{a, Role::kInput}, {b, Role::kInput}, {c, Role::kOutput}},
                 threads(x_, 32, make_if(Expr(x_) < m, make_store(c, {x_}, make_load(b, {x_})))), {n, m});
  EXPECT_THAT(
      cuda_source(program),
      HasSubstr("f_kernel0(\n    const float* __restrict__ B,\n    float* __restrict__ C,\n    const long long m) {"));
}

TEST_F(Source, BlocksWhoseSizeTheCallDecides) {
  const Var n("n");
  const Buffer c("C", kFloat32, {Expr(n)});
  const Program program = program_of({{c, Role::kOutput}}, threads(x_, n, make_store(c, {x_}, 1.0)), {n});
  EXPECT_THAT(cuda_source(program), HasSubstr("// grid (1, 1, 1), block (n, 1, 1)\nextern \"C\" __global__ void f_"));
  EXPECT_THAT(opencl_source(program), HasSubstr("__kernel void f_kernel0("));
}

TEST_F(Source, StoresThatStream) {
  for (const Type type : {kInt8, kBool, kFloat16, kBFloat16, kInt32, kFloat32, kInt64, kUInt64, kFloat64}) {
    const int lanes = 16 / type.bytes();
    const Buffer a("A", type, {32, Expr(2 * lanes)}), c("C", type, {32, Expr(2 * lanes)});
    const auto stores = [&](LoopKind kind) {
      const Stmt row =
          make_for(k_, 0, Expr(lanes + 1), kind, make_store(c, {x_, k_}, make_load(a, {x_, k_}), {}, true));
      return program_of({{a, Role::kInput}, {c, Role::kOutput}}, threads(x_, 32, row));
    };
    EXPECT_THAT(cuda_source(stores(LoopKind::kSerial)), HasSubstr("__stcs(&C[x*")) << type.str();
    EXPECT_THAT(cuda_source(stores(LoopKind::kVectorized)), HasSubstr("*)&C[x*")) << type.str();
    EXPECT_THAT(opencl_source(stores(LoopKind::kVectorized)), Not(HasSubstr("__stcs"))) << type.str();
  }
}

TEST_F(Source, LanesAreReadBeforeOneIsWritten) {
  const Buffer c("C", kFloat32, {8});
  const Stmt shift = make_for(k_, 0, 4, LoopKind::kVectorized, make_store(c, {k_ + 1}, make_load(c, {k_ * 2})));
  const Program program =
      program_of({{c, Role::kOutput}},
                 threads(x_, 1, block({make_for(Var("i"), 0, 8, LoopKind::kSerial, make_store(c, {0}, 1.0)), shift})));
  const std::string source =
      codegen::device_object(expand(program, device_target(DeviceKind::kCuda), {}), codegen::CudaDialect()).source;
  EXPECT_THAT(source, HasSubstr("const float C_lane = C[0];\n"));
  EXPECT_THAT(source, HasSubstr("const float C_lane_3 = C[6];\n  C[1] = C_lane;\n"));
}

TEST_F(Source, WhatThreadsKeepForThemselves) {
  const Buffer mask("mask", kBool, {3, 2}, Scope::kLocal), half("half", kFloat16, {}, Scope::kRegister);
  const Buffer a("A", kFloat16, {32}), c("C", kBool, {32});
  const Stmt body = block({make_store(half, {}, make_load(a, {x_})),
                           make_store(mask, {2, 1}, make_load(half, {}) > make_float(0.5, kFloat16)),
                           make_store(c, {x_}, make_load(mask, {2, 1}))});
  const std::string source = cuda_source(program_of({{a, Role::kInput}, {c, Role::kOutput}},
                                                    threads(x_, 32, make_allocate(mask, make_allocate(half, body)))));
  EXPECT_THAT(source, HasSubstr("  unsigned char mask[6];\n  unsigned short half_[1];\n  half_[0] = A[x];\n"
                                "  mask[5] = nw_float32_of_float16(half_[0]) > 0.5f;\n  C[x] = mask[5] != 0;\n"));
}

TEST_F(Source, AVectorThatALetHolds) {
  const Buffer a("A", kFloat32, {32, 4}), c("C", kFloat32, {32, 4});
  const Var whole("whole", kFloat32.with_lanes(4));
  const std::vector<Expr> at{x_, make_ramp(Expr(0), Expr(1), 4)};
  const Stmt body = make_let(whole, make_load(a, at), make_store(c, at, Expr(whole) * Expr(whole)));
  const Program vectors = program_of({{a, Role::kInput}, {c, Role::kOutput}}, threads(x_, 32, body));
  ASSERT_THAT(verify(vectors, Form::kDeviceVector), ::testing::IsEmpty());
  const std::string source =
      make_backend(DeviceKind::kCuda)->compile(vectors, device_target(DeviceKind::kCuda), {}).source;
  EXPECT_THAT(source, HasSubstr("  const float4 A_vector = *(const float4*)&A[x*4];\n"
                                "  const float whole_0 = A_vector.x;\n"));
  EXPECT_THAT(source, HasSubstr("*(float4*)&C[x*4] = make_float4(whole_0*whole_0, whole_1*whole_1,"));
}

TEST_F(Source, HintsAreDropped) {
  const Buffer a("A", kFloat32, {32}), c("C", kFloat32, {32});
  const Stmt body = block({make_prefetch(a, {x_ + Expr(1000)}, false, 3), make_store(c, {x_}, make_load(a, {x_}))});
  EXPECT_THAT(cuda_source(program_of({{a, Role::kInput}, {c, Role::kOutput}}, threads(x_, 32, body))),
              Not(HasSubstr("1000")));
}

TEST_F(Source, DoublesAreAskedForInOpenCl) {
  const Buffer a("A", kFloat32, {32}), c("C", kFloat32, {32}), d("C", kFloat64, {32});
  const auto source = [&](const Buffer& to) {
    return opencl_source(program_of({{a, Role::kInput}, {to, Role::kOutput}},
                                    threads(x_, 32, make_store(to, {x_}, cast(to->element, make_load(a, {x_}))))));
  };
  EXPECT_THAT(source(d), ::testing::StartsWith("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"));
  EXPECT_THAT(source(c), Not(HasSubstr("pragma")));
}

TEST_F(Source, CodeTellsWhatTheHostDoesApart) {
  const Buffer c("C", kFloat32, {8});
  Program once = program_of({{c, Role::kOutput}}, threads(x_, 8, make_store(c, {x_}, 1.0)));
  Program twice = once;
  twice.host = block({make_launch(0), make_launch(0)});
  const auto code = [](const Program& program) {
    return codegen::device_object(program, codegen::OpenClDialect()).code_fingerprint;
  };
  EXPECT_EQ(code(once), code(once));
  EXPECT_NE(code(once), code(twice));
}

TEST_F(Source, RefusesScopesOfCpus) {
  const Buffer tile("tile", kFloat32, {16, 16}, Scope::kTile), c("C", kFloat32, {16});
  const Program program =
      program_of({{c, Role::kOutput}}, threads(x_, 16, make_allocate(tile, make_store(c, {x_}, 1.0))));
  EXPECT_EQ(
      message<Error>([&] { codegen::device_object(program, codegen::OpenClDialect()); }),
      "buffer tile is kept in tile scope, which a device's kernel does not have: keep it in local or shared scope");
}

TEST_F(Source, RefusesLocalBuffersWithoutConstantSize) {
  const Var n("n");
  const Buffer own("own", kFloat32, {Expr(n)}, Scope::kLocal), c("C", kFloat32, {16});
  const Program program =
      program_of({{c, Role::kOutput}}, threads(x_, 16, make_allocate(own, make_store(c, {x_}, 1.0))), {n});
  EXPECT_EQ(message<Error>([&] { codegen::device_object(program, codegen::OpenClDialect()); }),
            "local buffer own has no constant size: split the loops that it is computed for by a constant factor");
}

TEST_F(Source, RefusesPreparations) {
  const Buffer c("C", kFloat32, {16});
  Program program = program_of({{c, Role::kOutput}}, threads(x_, 16, make_store(c, {x_}, 1.0)));
  program.preparation = make_launch(0);
  EXPECT_EQ(message<Error>([&] { codegen::device_object(program, codegen::OpenClDialect()); }),
            "f prepares tensors, which is done for CPUs only: compute them at root");
}

TEST_F(Source, VectorsUnderTheMaskOfARowAreOneAccess) {
  EXPECT_THAT(
      cuda_source(padded_rows(kFloat32, DeviceKind::kCuda)),
      HasSubstr("*(float4*)&B[i*16 + j_outer*4] = i >= 1 && i < 6 ? *(const float4*)&A[i*16 + j_outer*4 - 16] : "
                "make_float4(0.0f, 0.0f, 0.0f, 0.0f);"));
  for (const Type type : {kInt8, kFloat16, kBFloat16}) cuda_source(padded_rows(type, DeviceKind::kCuda));
}

}  // namespace
}  // namespace nestwright::testing
