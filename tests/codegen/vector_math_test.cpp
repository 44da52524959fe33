// The functions of vector mathematics as compiled code, against libm in double, on every instruction set that runs
// here. The reference is computed in double: its own error is below 1e-8 ulp of a float.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include "ir/core/scalar.h"
#include "lower/support/elementary.h"
#include "lower/support/vector_math.h"
#include "nestwright/expr.h"
#include "run_program.h"

namespace nestwright {
namespace {

using namespace ir;

struct Function {
  Intrinsic intrinsic;
  double (*reference)(double);
};

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

constexpr Function kFunctions[] = {
    {Intrinsic::kExp, [](double x) { return std::exp(x); }},
    {Intrinsic::kLog, [](double x) { return std::log(x); }},
    {Intrinsic::kLog2, [](double x) { return std::log2(x); }},
    {Intrinsic::kTanh, [](double x) { return std::tanh(x); }},
    {Intrinsic::kSigmoid, sigmoid_of},
    {Intrinsic::kErf, [](double x) { return std::erf(x); }},
};

constexpr PolynomialForm kForms[] = {PolynomialForm::kHorner, PolynomialForm::kEstrin};

/// B[i] = f(A[i]) over n elements, in vectors or one by one.
Program program_of(Intrinsic f, Type type, std::int64_t n, LoopKind kind,
                   PolynomialForm form = PolynomialForm::kHorner) {
  const Buffer A("A", type, {Expr(n)}), B("B", type, {Expr(n)});
  const Var i("i"), j("j");
  const auto at = [&](const Expr& index) {
    const Expr call = make_call(f, {make_load(A, {index})}, type);
    return make_store(B, {index}, form == PolynomialForm::kEstrin ? make_call(Intrinsic::kEstrin, {call}, type) : call);
  };
  // Blocks of 61: vectors and, on every instruction set, a tail.
  const Stmt body = kind == LoopKind::kSerial
                        ? make_for(i, 0, Expr(n), kind, at(i))
                        : make_for(i, 0, Expr(n / 61), LoopKind::kSerial, make_for(j, 0, 61, kind, at(i * 61 + j)));
  return {intrinsic_name(f), {{A, Role::kInput}, {B, Role::kOutput}}, {}, {}, {}, {}, make_launch(0), {{"main", body}}};
}

/// The distance from `actual` to `exact` in units in the last place of `exact`; 0 if both are NaN or the same infinity.
double error_in_ulp(float actual, double exact) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : kWrong;
  if (std::isnan(actual) || std::signbit(actual) != std::signbit(exact)) return kWrong;
  if (std::isinf(exact)) return std::isinf(actual) ? 0 : kWrong;
  const auto biased = static_cast<int>((std::bit_cast<std::uint64_t>(exact) >> 52) & 2047);
  const int exponent = std::clamp(biased - 1023, -126, 127);
  const double unit = std::bit_cast<double>(static_cast<std::uint64_t>(exponent - 23 + 1023) << 52);
  // Infinity counts as the number after the largest, since everything beyond that rounds to it.
  const double end = std::copysign(0x1p128, exact);
  const double value = std::isinf(actual) ? end : static_cast<double>(actual);
  return std::abs(value - (std::abs(exact) > 0x1p128 ? end : exact)) / unit;
}

struct Worst {
  double ulp = 0;
  float at = 0;
};

class Compiled {
 public:
  Compiled(Intrinsic f, CpuIsa isa, PolynomialForm form, std::int64_t n, LoopKind kind)
      : kernel_(testing::link(testing::compile(program_of(f, kFloat32, n, kind, form), testing::target_of(isa)),
                              make_pool(PoolKind::kSerial, 1))) {
    arrays_.push_back(Array::empty(kFloat32, {n}));
    arrays_.push_back(Array::empty(kFloat32, {n}));
  }
  std::span<float> input() { return arrays_[0].as<float>(); }
  std::span<const float> run() {
    EXPECT_EQ(testing::run_compiled(kernel_, arrays_), 0);
    return arrays_[1].as<float>();
  }

 private:
  testing::LinkedProgram kernel_;
  std::vector<Array> arrays_;
};

/// Runs `check` for each instruction set, form and kind of loop.
void for_each_variant(const std::function<void(CpuIsa, PolynomialForm, LoopKind)>& check) {
  for (const CpuIsa isa : testing::runnable_isas()) {
    for (const PolynomialForm form : kForms) {
      for (const LoopKind kind : {LoopKind::kVectorized, LoopKind::kSerial}) check(isa, form, kind);
    }
  }
}

void note_worst(const Function& f, std::span<const float> x, std::span<const float> y, Worst& worst) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double ulp = error_in_ulp(y[i], f.reference(static_cast<double>(x[i])));
    if (ulp > worst.ulp) worst = {ulp, x[i]};
  }
}

constexpr std::int64_t kChunk = 61 * 4096;

std::vector<float> special_values() {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values{0.0f,
                            infinity,
                            std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::min(),
                            std::numeric_limits<float>::denorm_min(),
                            1.0f};
  // Thresholds of overflow, underflow and the formulas' pieces, and powers of two, with their neighbours.
  for (float x : {88.72283f, 87.33654f, 103.27893f, 103.97208f, 89.0f, 104.0f, 0.55f, 9.01f, 9.1f, 0.925f, 3.92f, 4.0f,
                  0.34657359f, 0.70710678f, 1.41421356f, 17.0f, 0x1p-126f, 0x1p-127f, 0x1p-149f}) {
    for (int step = -3; step <= 3; ++step) {
      values.push_back(std::bit_cast<float>(std::bit_cast<std::int32_t>(x) + (x > 0x1p-140f ? step : 0)));
    }
  }
  for (int exponent = -149; exponent < 128; ++exponent) values.push_back(std::ldexp(1.0f, exponent));
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  return values;
}

class VectorMath : public ::testing::TestWithParam<Function> {};

TEST_P(VectorMath, StaysWithinItsStatedErrorOverAllExponents) {
  const double stated = stated_ulp(GetParam().intrinsic);
  for_each_variant([&](CpuIsa isa, PolynomialForm form, LoopKind kind) {
    Compiled compiled(GetParam().intrinsic, isa, form, kChunk, kind);
    const std::span<float> x = compiled.input();
    Worst worst;
    std::uint32_t bits = 1;
    // An odd stride through all bit patterns; a scalar loop gives a vector's results, so that it tests fewer.
    const int chunks = kind == LoopKind::kVectorized ? 5 : 1;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      for (float& value : x)
        value = std::bit_cast<float>(bits += 0xffffffffu / static_cast<std::uint32_t>(kChunk * chunks));
      note_worst(GetParam(), x, compiled.run(), worst);
    }
    EXPECT_LE(worst.ulp, stated) << "at " << worst.at << " on isa " << static_cast<int>(isa) << " in form "
                                 << static_cast<int>(form);
  });
}

TEST_P(VectorMath, SpecialValuesAndThresholds) {
  const std::vector<float> values = special_values();
  for_each_variant([&](CpuIsa isa, PolynomialForm form, LoopKind kind) {
    Compiled compiled(GetParam().intrinsic, isa, form, 61 * 20, kind);
    const std::span<float> x = compiled.input();
    ASSERT_LE(values.size(), x.size());
    std::copy(values.begin(), values.end(), x.begin());
    const std::span<const float> y = compiled.run();
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_LE(error_in_ulp(y[i], GetParam().reference(static_cast<double>(x[i]))), stated_ulp(GetParam().intrinsic))
          << intrinsic_name(GetParam().intrinsic) << "(" << x[i] << ") gave " << y[i];
    }
  });
}

/// Every float from 2^-32 to 2^8 and its negative, and every 31st of the others, in vectors with and without fma, which
/// takes about two minutes for a function. Run with --gtest_also_run_disabled_tests; prints the largest errors.
TEST_P(VectorMath, DISABLED_Exhaustively) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 32;
  const auto next = [](std::uint64_t bits) {
    const float size = std::abs(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    return bits + (size >= 0x1p-32f && size < 256 ? 1 : 31);
  };
  for (const CpuIsa isa : {testing::runnable_isas().back(), CpuIsa::kX86_64}) {
    for (const PolynomialForm form : kForms) {
      Compiled compiled(GetParam().intrinsic, isa, form, kChunk, LoopKind::kVectorized);
      const std::span<float> x = compiled.input();
      Worst worst;
      for (std::uint64_t bits = 0; bits < kEnd;) {
        for (float& value : x) {
          value = std::bit_cast<float>(static_cast<std::uint32_t>(std::min(bits, kEnd - 1)));
          bits = next(bits);
        }
        note_worst(GetParam(), x, compiled.run(), worst);
      }
      std::printf("%-8s isa %d form %d: %.4f ulp at %.9g\n", intrinsic_name(GetParam().intrinsic),
                  static_cast<int>(isa), static_cast<int>(form), worst.ulp, static_cast<double>(worst.at));
      std::fflush(stdout);
      EXPECT_LE(worst.ulp, stated_ulp(GetParam().intrinsic));
    }
  }
}

/// The expanded program gives the same bits in the interpreter and compiled, because nothing in it can be contracted.
TEST_P(VectorMath, InterpreterAndMachineAgreeOnTheExpandedProgram) {
  constexpr std::int64_t n = 61 * 16;
  const std::vector<float> special = special_values();
  for (CpuIsa isa : testing::runnable_isas()) {
    const Target target = testing::target_of(isa);
    const Program expanded = expand(program_of(GetParam().intrinsic, kFloat32, n, LoopKind::kVectorized), target);
    std::vector<Array> expected = testing::make_arguments(expanded);
    const std::span<float> x = expected[0].as<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] =
          i < special.size() ? special[i] : std::sin(static_cast<float>(i)) * std::exp(static_cast<float>(i % 17) - 8);
    }
    std::vector<Array> actual = testing::copies(expected);
    testing::run_interpreted(expanded, expected);
    const testing::LinkedProgram kernel =
        testing::link(make_backend(DeviceKind::kCpu)->compile(expanded, target, {}), make_pool(PoolKind::kSerial, 1));
    ASSERT_EQ(testing::run_compiled(kernel, actual), 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float a = expected[1].as<float>()[i], b = actual[1].as<float>()[i];
      if (std::isnan(a) && std::isnan(b)) continue;
      EXPECT_EQ(std::bit_cast<std::uint32_t>(a), std::bit_cast<std::uint32_t>(b)) << x[i] << ": " << a << ", " << b;
    }
  }
}

TEST_P(VectorMath, NarrowFloatsAreComputedInFloat32) {
  for (const Type type : {kFloat16, kBFloat16}) {
    constexpr std::int64_t n = 61 * 1075;  // all 65536 of them, some twice
    const Program program = program_of(GetParam().intrinsic, type, n, LoopKind::kVectorized);
    for (CpuIsa isa : testing::runnable_isas()) {
      std::vector<Array> arrays = testing::make_arguments(program);
      auto* x = static_cast<std::uint16_t*>(arrays[0].data());
      for (std::int64_t i = 0; i < n; ++i) x[i] = static_cast<std::uint16_t>(i);
      const testing::LinkedProgram kernel =
          testing::link(testing::compile(program, testing::target_of(isa)), make_pool(PoolKind::kSerial, 1));
      ASSERT_EQ(testing::run_compiled(kernel, arrays), 0);
      const auto element = [&](std::size_t array, std::int64_t i) {
        return read_element(type, static_cast<const std::byte*>(arrays[array].data()) + 2 * i).f;
      };
      int wrong = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const double exact = GetParam().reference(element(0, i)), got = element(1, i);
        const double nearest = apply_cast(kFloat64, type, float_scalar(exact)).f;
        if ((std::isnan(exact) && std::isnan(got)) || got == nearest) continue;
        // The other neighbour, if the exact value is almost half way between two floats.
        const int unit =
            type == kFloat16 ? std::max(std::ilogb(exact), -14) - 10 : std::max(std::ilogb(exact), -126) - 7;
        if (!(std::abs(got - exact) <= std::ldexp(0.501, unit)) && wrong++ < 3) {
          ADD_FAILURE() << type.str() << " " << element(0, i) << " gave " << got << " instead of " << nearest;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, VectorMath, ::testing::ValuesIn(kFunctions),
                         [](const auto& test) { return std::string(intrinsic_name(test.param.intrinsic)); });

}  // namespace
}  // namespace nestwright
