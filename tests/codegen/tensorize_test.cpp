// A tensorized product of bytes, in the interpreter and through LLVM, with and without AVX512_VNNI, compared with a
// plain loop.
#include <gmock/gmock.h>

#include <random>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "target/description/cpu_features.h"

namespace nestwright::testing {
namespace {

constexpr int kM = 6, kN = 48, kK = 40;

struct ByteMatmul {
  Tensor a = placeholder({kM, kK}, kUInt8, "A");
  Tensor b = placeholder({kK / 4, kN, 4}, kInt8, "B");  // packed in fours along k
  IterVar ko = reduce_axis(kK / 4, "ko"), ki = reduce_axis(4, "ki");
  Tensor c = compute(
      {kM, kN},
      [&](Expr i, Expr j) { return sum(cast(kInt32, a(i, ko * 4 + ki)) * cast(kInt32, b(ko, j, ki)), {ko, ki}); }, "C");

  Schedule tensorized(ir::Scope scope, const TensorIntrinsic& intrinsic = dot_u8s8_16x4()) const {
    Schedule s = create_schedule(c);
    Tensor at = c;
    if (scope != ir::Scope::kGlobal) at = s.cache_write(c, scope);
    if (!(at == c)) {
      const auto [i0, j0, i1, j1] = s[c].tile(s[c].axis(0), s[c].axis(1), 3, 16);
      s[c].unroll(i1).vectorize(j1);
      s[at].compute_at(s[c], j0).unroll(s[at].axis(0));
      const auto [jo, ji] = s[at].split(s[at].axis(1), factor(16));
      s[at].reorder({jo, ko, s[at].axis(0), ji, ki}).tensorize(ji, intrinsic);
    } else {
      const auto [jo, ji] = s[at].split(s[at].axis(1), factor(16));
      s[at].reorder({s[at].axis(0), jo, ko, ji, ki}).tensorize(ji, intrinsic);
    }
    return s;
  }
};

struct Data {
  std::vector<Array> arrays;
  std::vector<std::int32_t> expected;
};

Data make_data() {
  Data data;
  data.arrays.push_back(Array::empty(kUInt8, {kM, kK}));
  data.arrays.push_back(Array::empty(kInt8, {kK / 4, kN, 4}));
  data.arrays.push_back(Array::empty(kInt32, {kM, kN}));
  std::mt19937 random(7);
  for (std::uint8_t& x : data.arrays[0].as<std::uint8_t>()) x = static_cast<std::uint8_t>(random());
  for (std::int8_t& x : data.arrays[1].as<std::int8_t>()) x = static_cast<std::int8_t>(random());
  const auto a = data.arrays[0].as<std::uint8_t>();
  const auto b = data.arrays[1].as<std::int8_t>();
  for (int i = 0; i < kM; ++i) {
    for (int j = 0; j < kN; ++j) {
      std::int32_t sum = 0;
      for (int k = 0; k < kK; ++k) {
        sum += static_cast<std::int32_t>(a[static_cast<std::size_t>(i * kK + k)]) *
               b[static_cast<std::size_t>((k / 4 * kN + j) * 4 + k % 4)];
      }
      data.expected.push_back(sum);
    }
  }
  return data;
}

void expect_right(const std::vector<Array>& arrays, const Data& data) {
  const auto c = arrays[2].as<std::int32_t>();
  EXPECT_TRUE(std::equal(data.expected.begin(), data.expected.end(), c.begin(), c.end()));
}

TEST(CompiledTensorize, TheLoopFormNamesTheInstruction) {
  const ByteMatmul op;
  const ir::Program program =
      lower(op.tensorized(ir::Scope::kGlobal), {op.a, op.b, op.c}, target_of(CpuIsa::kAvx512), "f");
  EXPECT_EQ(ir::to_string(program.kernels[0].body),
            "for i in 0..6:\n"
            "  for j.outer in 0..3:\n"
            "    vectorized lane in 0..16:\n"
            "      C[i, j.outer*16 + lane] = 0\n"
            "    for ko in 0..10:\n"
            "      vectorized lane_1 in 0..16:\n"
            "        C[i, j.outer*16 + lane_1] = dot_u8s8(C[i, j.outer*16 + lane_1], join_bytes(int32(A[i, ko*4]), "
            "int32(A[i, ko*4 + 1]), int32(A[i, ko*4 + 2]), int32(A[i, ko*4 + 3])), join_bytes(int32(B[ko, j.outer*16 + "
            "lane_1, 0]), int32(B[ko, j.outer*16 + lane_1, 1]), int32(B[ko, j.outer*16 + lane_1, 2]), int32(B[ko, "
            "j.outer*16 + lane_1, 3])))\n");
}

TEST(CompiledTensorize, GivesThePlainLoopsResult) {
  const ByteMatmul op;
  const Data data = make_data();
  for (const ir::Scope scope : {ir::Scope::kGlobal, ir::Scope::kLocal, ir::Scope::kRegister}) {
    for (const CpuIsa isa : runnable_isas()) {
      const ir::Program program = lower(op.tensorized(scope), {op.a, op.b, op.c}, target_of(isa), "f");
      std::vector<Array> interpreted = copies(data.arrays), compiled = copies(data.arrays);
      run_interpreted(program, interpreted);
      expect_right(interpreted, data);
      const LinkedProgram kernel = link(compile(program, target_of(isa)), make_pool(PoolKind::kSerial, 1));
      ASSERT_EQ(run_compiled(kernel, compiled), 0);
      expect_right(compiled, data);
    }
  }
}

TEST(CompiledTensorize, FindsTheFoursInOneReduceAxis) {
  const Tensor a = placeholder({kM, kK}, kUInt8, "A"), b = placeholder({kK / 4, kN, 4}, kInt8, "B");
  const IterVar k = reduce_axis(kK, "k");
  const auto product = [&](Expr i, Expr j) {
    return sum(cast(kInt32, a(i, k)) * cast(kInt32, b(Expr(k) / 4, j, Expr(k) % 4)), k);
  };
  const Tensor c = compute({kM, kN}, product, "C");
  Schedule s = create_schedule(c);
  const auto [jo, ji] = s[c].split(s[c].axis(1), factor(16));
  const auto [ko, ki] = s[c].split(k, factor(4));
  s[c].reorder({s[c].axis(0), jo, ko, ji, ki}).tensorize(ji, dot_u8s8_16x4());
  const Data data = make_data();
  std::vector<Array> arrays = copies(data.arrays);
  run_interpreted(lower(s, {a, b, c}, target_of(CpuIsa::kAvx512), "f"), arrays);
  expect_right(arrays, data);
}

TEST(CompiledTensorize, UsesTheInstructionOfACpuThatHasIt) {
  const ByteMatmul op;
  Target target = target_of(CpuIsa::kAvx512);
  const Schedule s = op.tensorized(ir::Scope::kRegister);
  const ir::Program program = lower(s, {op.a, op.b, op.c}, target, "f");
  CompileOptions options;
  options.keep_assembly = true;
  const CompiledObject without = compile(program, target, options);
  EXPECT_THAT(without.assembly, ::testing::Not(::testing::HasSubstr("vpdpbusd")));
  EXPECT_THAT(without.extensions, ::testing::IsEmpty());
  target.llvm_cpu = "znver4";
  target.features = features_of_cpu(target.llvm_cpu);
  const CompiledObject object = compile(program, target, options);
  EXPECT_THAT(object.assembly, ::testing::HasSubstr("vpdpbusd"));
  EXPECT_EQ(object.extensions, std::vector<std::string>{"avx512_vnni"});
  if (!__builtin_cpu_supports("avx512vnni")) GTEST_SKIP() << "this CPU has no AVX512_VNNI to run it";
  const Data data = make_data();
  std::vector<Array> compiled = copies(data.arrays);
  ASSERT_EQ(run_compiled(link(object, make_pool(PoolKind::kSerial, 1)), compiled), 0);
  expect_right(compiled, data);
}

TEST(CompiledTensorize, AWrongIntrinsicIsSeen) {
  const ByteMatmul op;
  const Data data = make_data();
  TensorIntrinsic wrong = dot_u8s8_16x4();
  wrong.emit = [](const TensorSlice& output, std::span<const TensorSlice> inputs) {
    const Var lane("lane");
    const Expr product = ir::cast(kInt32, inputs[0].load({0})) * ir::cast(kInt32, inputs[1].load({lane, 0}));
    return ir::make_for(lane, 0, 16, ir::LoopKind::kVectorized, output.store({lane}, output.load({lane}) + product));
  };
  const ir::Program program =
      lower(op.tensorized(ir::Scope::kGlobal, wrong), {op.a, op.b, op.c}, target_of(CpuIsa::kX86_64), "f");
  std::vector<Array> interpreted = copies(data.arrays);
  run_interpreted(program, interpreted);
  const auto c = interpreted[2].as<std::int32_t>();
  EXPECT_FALSE(std::equal(data.expected.begin(), data.expected.end(), c.begin(), c.end()));
}

TEST(CompiledTensorize, LoopsStartATileWithoutAnInit) {
  const ByteMatmul op;
  const Data data = make_data();
  TensorIntrinsic without = dot_u8s8_16x4();
  without.init = nullptr;
  const ir::Program program =
      lower(op.tensorized(ir::Scope::kGlobal, without), {op.a, op.b, op.c}, target_of(CpuIsa::kAvx512), "f");
  EXPECT_THAT(ir::to_string(program), ::testing::HasSubstr("        for j.inner in 0..16:\n"
                                                           "          C[i, j.outer*16 + j.inner] = 0\n"));
  std::vector<Array> interpreted = copies(data.arrays);
  run_interpreted(program, interpreted);
  expect_right(interpreted, data);
}

}  // namespace
}  // namespace nestwright::testing
