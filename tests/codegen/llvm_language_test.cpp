// Bits, sin, cos, trunc, calls of C functions, and reductions with where and init: compiled code and the interpreter
// agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "nestwright/expr.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "run_program.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

constexpr int kN = 37;

/// B[i] = f(A[i], i), vectorised by 16 with a tail.
struct Elementwise {
  Elementwise(Type type, const std::function<Expr(Expr, Expr)>& f)
      : a(placeholder({kN}, type, "A")), b(compute({kN}, [&](Expr i) { return f(a(i), i); }, "B")) {}
  Tensor a, b;

  ir::Program program(const Target& target) const {
    Schedule s = create_schedule(b);
    s[b].vectorize(s[b].split(s[b].axis(0), factor(16), Tail::predicate()).second);
    return lower(s, {a, b}, target, "f");
  }
};

void expect_agreement(Type type, const std::function<Expr(Expr, Expr)>& f) {
  for (const CpuIsa isa : runnable_isas()) {
    const Target target = target_of(isa);
    const ir::Program program = Elementwise(type, f).program(target);
    EXPECT_TRUE(agrees_with_interpreter(program, target)) << ir::to_string(program) << static_cast<int>(isa);
  }
}

TEST(Language, BitsOfIntegers) {
  for (const Type type : {kInt8, kUInt8, kInt16, kUInt16, kInt32, kUInt32, kInt64, kUInt64}) {
    expect_agreement(type, [&](Expr a, Expr i) { return (a & cast(type, i)) ^ (a | 6); });
    // Amounts from below 0 to beyond the bits of the type.
    const auto amount = [&](const Expr& i) { return cast(type, i * 3 - 9); };
    expect_agreement(type, [&](Expr a, Expr i) { return a << amount(i); });
    expect_agreement(type, [&](Expr a, Expr i) { return a >> amount(i); });
    expect_agreement(type, [](Expr a, Expr) { return (a >> 2) + (a << 3); });
  }
}

// Numbers of 64 bits that are no indices wrap around, wherever they come from.
TEST(Language, ConvertedNumbersWrapAround) {
  expect_agreement(kInt64, [](Expr, Expr i) {
    const Expr hash = cast(kInt64, cast(kUInt64, i) * cast(kUInt64, Expr(std::int64_t{0x1E3779B97F4A7C15})) * 5);
    return (hash * 2) / 2;
  });
  expect_agreement(kFloat32, [](Expr a, Expr i) {
    const Expr far = cast(kInt64, Expr(-1e19) * cast(kFloat32, i % 2));
    return select(i < far + 20, a, 0.0);
  });
}

TEST(Language, SinCosAndTrunc) {
  for (const Type type : {kFloat32, kFloat64, kFloat16}) {
    expect_agreement(type, [](Expr a, Expr) { return trunc(a * 0.6); });
    expect_agreement(type, [](Expr a, Expr i) { return sin(a * 0.6 + cast(a.type(), i)) + cos(a * 3.0); });
  }
}

// The bound that lower/support/vector_math.h states for libm, on both sides of large range reductions.
TEST(Language, SinAndCosAreRightToTheirStatedError) {
  const Tensor a = placeholder({4096}, kFloat32, "A");
  const Tensor s = compute({4096}, [&](Expr i) { return sin(a(i)); }, "S");
  const Tensor c = compute({4096}, [&](Expr i) { return cos(a(i)); }, "C");
  const ir::Program program = lower(create_schedule({s, c}), {a, s, c}, target_of(CpuIsa::kX86_64), "f");
  std::vector<Array> arrays = make_arguments(program);
  for (std::size_t i = 0; i < 4096; ++i) {
    arrays[0].as<float>()[i] = std::ldexp(1.0F + static_cast<float>(i % 61) / 61, static_cast<int>(i % 120) - 30);
  }
  ASSERT_EQ(run_compiled(link(compile(program, target_of(CpuIsa::kX86_64)), make_pool(PoolKind::kSerial, 1)), arrays),
            0);
  const auto ulps = [](float given, double exact) {
    const auto nearest = static_cast<float>(exact);
    const double unit = std::nextafter(std::abs(nearest), INFINITY) - std::abs(nearest);
    return std::abs(given - exact) / unit;
  };
  for (std::size_t i = 0; i < 4096; ++i) {
    const double x = arrays[0].as<float>()[i];
    ASSERT_LE(ulps(arrays[1].as<float>()[i], std::sin(x)), 1) << x;
    ASSERT_LE(ulps(arrays[2].as<float>()[i], std::cos(x)), 1) << x;
  }
}

TEST(Language, CallsCFunctions) {
  const Elementwise op(kFloat64, [](Expr a, Expr i) {
    return call_extern(kFloat64, "ldexp", {call_extern(kFloat64, "hypot", {a, a + 1.0}), cast(kInt32, i)});
  });
  ir::InterpretOptions options;
  options.functions["ldexp"] = [](std::span<const ir::Scalar> x) {
    return ir::float_scalar(std::ldexp(x[0].f, static_cast<int>(x[1].i)));
  };
  options.functions["hypot"] = [](std::span<const ir::Scalar> x) {
    return ir::float_scalar(std::hypot(x[0].f, x[1].f));
  };
  for (const CpuIsa isa : runnable_isas()) {
    const Target target = target_of(isa);
    const ir::Program program = op.program(target);
    std::vector<Array> arrays = make_arguments(program), interpreted = copies(arrays);
    ASSERT_EQ(run_compiled(link(compile(program, target), make_pool(PoolKind::kSerial, 1)), arrays), 0);
    std::vector<ir::Memory> memory;
    for (Array& array : interpreted) memory.emplace_back(static_cast<std::byte*>(array.data()), array.size_bytes());
    ir::interpret(expand(program, target), memory, {}, options);
    for (std::size_t i = 0; i < kN; ++i) {
      const double x = arrays[0].as<double>()[i];
      EXPECT_EQ(arrays[1].as<double>()[i], std::ldexp(std::hypot(x, x + 1), static_cast<int>(i)));
      EXPECT_EQ(interpreted[1].as<double>()[i], arrays[1].as<double>()[i]);
    }
  }
}

TEST(Language, NarrowIntegersReachCFunctionsAsCExpectsThem) {
  expect_agreement(kInt8, [](Expr a, Expr) { return a; });
  const Elementwise op(kInt8, [](Expr a, Expr) { return call_extern(kInt32, "abs", {cast(kInt32, a * 3)}); });
  const Target target = target_of(CpuIsa::kX86_64);
  const ir::Program program = op.program(target);
  std::vector<Array> arrays = make_arguments(program);
  ASSERT_EQ(run_compiled(link(compile(program, target), make_pool(PoolKind::kSerial, 1)), arrays), 0);
  for (std::size_t i = 0; i < kN; ++i) {
    EXPECT_EQ(arrays[1].as<std::int32_t>()[i], std::abs(3 * arrays[0].as<std::int8_t>()[i]));
  }
}

TEST(Language, RefusesCFunctionsThatNobodyHas) {
  const Elementwise op(kFloat32, [](Expr a, Expr) { return call_extern(kFloat32, "no_such_function", {a}); });
  const Target target = target_of(CpuIsa::kX86_64);
  const ir::Program program = op.program(target);
  EXPECT_EQ(
      message<CompileError>([&] { link(compile(program, target), make_pool(PoolKind::kSerial, 1)); }),
      "the object of kernel f cannot be linked: the process has no C function no_such_function: link it as a shared "
      "library, or with -rdynamic");
  std::vector<Array> arrays = make_arguments(program);
  EXPECT_THAT(message<Error>([&] { run_interpreted(program, arrays); }),
              ::testing::HasSubstr("the C function no_such_function is called, but the interpreter was not given it"));
  const Tensor b = compute({kN}, [&](Expr i) { return call_extern(kFloat32, "f", {op.a(i)}); }, "B");
  EXPECT_EQ(message<CompileError>([&] { compile(lower(create_schedule(b), {op.a, b}, target, "f"), target); }),
            "the C function f is called with two signatures, or has the name of the kernel: rename one");
  EXPECT_EQ(message<UsageError>([&] { call_extern(kFloat32, "a b", {}); }),
            "'a b' is no name of a C function: use letters, digits and _");
  EXPECT_EQ(message<UsageError>([&] { call_extern(kFloat32, "f", {ir::make_float(1, kFloat16)}); }),
            "the C function f does not take float16: cast it to float32");
}

// int8 and uint8 are one type of LLVM, but C extends them to registers differently.
TEST(Language, RefusesCFunctionsWithTwoSignatures) {
  const Target target = target_of(CpuIsa::kX86_64);
  const auto refusal = [&](const std::function<Expr(Expr)>& f) {
    const Elementwise op(kInt32, [&](Expr a, Expr) { return f(a); });
    return message<CompileError>([&] { compile(op.program(target), target); });
  };
  const auto argument = [](Type type, const Expr& a) { return call_extern(kInt32, "g", {cast(type, a)}); };
  const auto result = [](Type type, const Expr& a) { return cast(kInt32, call_extern(type, "g", {a})); };
  const std::string two = "the C function g is called with two signatures, or has the name of the kernel: rename one";
  EXPECT_EQ(refusal([&](const Expr& a) { return argument(kInt8, a) + argument(kUInt8, a); }), two);
  EXPECT_EQ(refusal([&](const Expr& a) { return result(kInt16, a) + result(kUInt16, a); }), two);
  EXPECT_EQ(refusal([&](const Expr& a) { return argument(kInt32, a) + argument(kFloat32, a); }), two);
  EXPECT_EQ(refusal([&](const Expr& a) { return argument(kUInt8, a) + argument(kUInt8, a * 3); }), "accepted");
}

TEST(Language, ReductionsWithWhereAndInit) {
  const Tensor a = placeholder({16, 12}, kFloat32, "A"), b = placeholder({16}, kFloat32, "B");
  const IterVar k = reduce_axis(12, "k");
  const Tensor c = compute({16}, [&](Expr i) { return max(a(i, k), k, {.where = k >= i % 4, .init = b(i)}); }, "C");
  for (const CpuIsa isa : runnable_isas()) {
    Schedule s = create_schedule(c);
    s[c].reorder({k, s[c].axis(0)}).vectorize(s[c].axis(0));
    const Target target = target_of(isa);
    EXPECT_TRUE(agrees_with_interpreter(lower(s, {a, b, c}, target, "f"), target));
  }
}

// What is compared may be the largest integer: no bound is taken to the next one.
TEST(Language, ComparisonsWithTheLargestInteger) {
  const Tensor a = placeholder({16, 12}, kFloat32, "A");
  const IterVar k = reduce_axis(12, "k");
  const auto largest_or_0 = [](const Expr& i) { return cast(kInt64, Expr(1e19) * cast(kFloat32, i % 2)); };
  for (const bool swaps : {false, true}) {
    const auto where = [&](const Expr& i) { return swaps ? largest_or_0(i) >= i * 2 : i * 2 <= largest_or_0(i); };
    const Tensor c = compute({16}, [&](Expr i) { return sum(a(i, k), k, {.where = where(i)}); }, "C");
    for (const CpuIsa isa : runnable_isas()) {
      Schedule s = create_schedule(c);
      s[c].reorder({k, s[c].axis(0)}).vectorize(s[c].axis(0));
      const Target target = target_of(isa);
      EXPECT_TRUE(agrees_with_interpreter(lower(s, {a, c}, target, "f"), target));
    }
  }
}

}  // namespace
}  // namespace nestwright::testing
