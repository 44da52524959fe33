// Calls with unsuitable arguments, each with its complete message.
#include <gtest/gtest.h>

#include <chrono>

#include "kernel/call_signature.h"
#include "nestwright/build.h"
#include "nestwright/error.h"
#include "nestwright/tensor.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

/// Returns the message of a refused call.
template <class... Arrays>
std::string refusal(const Function& function, Arrays&&... arrays) {
  return message<UsageError>([&] { function(arrays...); });
}

Array floats(std::vector<std::int64_t> shape) {
  Array array = Array::empty(kFloat32, std::move(shape));
  for (float& x : array.as<float>()) x = 1;
  return array;
}

/// C = A*B; the extents are constants or symbols.
Function product(const Expr& m, const Expr& n, const Expr& k) {
  const Tensor A = placeholder({m, k}, kFloat32, "A"), B = placeholder({k, n}, kFloat32, "B");
  const IterVar r = reduce_axis(k, "r");
  const Tensor C = compute({m, n}, [&](Expr i, Expr j) { return sum(A(i, r) * B(r, j), r); }, "C");
  return build(create_schedule(C), {A, B, C}, Target::parse("cpu"), "matrix_mul", {.pipeline = Pipeline::kSearch});
}

class BadCall : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    fixed_ = std::make_unique<Function>(product(3, 4, 500));
    symbolic_ = std::make_unique<Function>(product(var("m"), var("n"), var("k")));
  }
  static void TearDownTestSuite() {
    fixed_.reset();
    symbolic_.reset();
  }

  static inline std::unique_ptr<Function> fixed_, symbolic_;
  Array a_ = floats({3, 500}), b_ = floats({500, 4}), c_ = floats({3, 4});
};

TEST_F(BadCall, AGoodOneIsAccepted) {
  const Array &a = a_, &b = b_;  // inputs may be const
  for (const Function* function : {fixed_.get(), symbolic_.get()}) {
    c_.fill_bytes(0);
    EXPECT_EQ(refusal(*function, a, b, c_), "accepted");
    for (const float x : c_.as<float>()) EXPECT_EQ(x, 500);
  }
}

TEST_F(BadCall, Dimension) {
  const Array b = floats({700, 4});
  EXPECT_EQ(refusal(*fixed_, a_, b, c_), "matrix_mul: argument B, dimension 0: expected 500, got 700");
  EXPECT_EQ(refusal(*symbolic_, a_, b, c_), "matrix_mul: argument B, dimension 0: expected 500, got 700");
  Array c = floats({3, 5});
  EXPECT_EQ(refusal(*symbolic_, a_, b_, c), "matrix_mul: argument C, dimension 1: expected 4, got 5");
}

TEST(Call, TensorsComeInTheShapeInWhichTheyArePassed) {
  const Tensor x = passed_as(placeholder({3, 4}, kFloat32, "X"), {3, 2, 2});
  const Tensor y = passed_as(compute({3, 4}, [&](Expr i, Expr j) { return x(i, j) + cast(kFloat32, j); }, "Y"), {6, 2});
  const Function add = build(create_schedule(y), {x, y}, Target::parse("cpu"), "add", {.pipeline = Pipeline::kSearch});
  const Array input = floats({3, 2, 2});
  Array output = floats({6, 2});
  add(input, output);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(output.as<float>()[i], static_cast<float>(1 + i % 4)) << i;
  EXPECT_EQ(refusal(add, floats({3, 4}), output), "add: argument X: expected rank 3, got 2");
  EXPECT_EQ(refusal(add, input, floats({3, 4})), "add: argument Y, dimension 0: expected 6, got 3");
}

TEST(Call, ATensorMayBePassedWithoutDimensions) {
  const Tensor x = passed_as(placeholder({1, 1}, kFloat32, "X"), {});
  const Tensor y = compute({1}, [&](Expr i) { return x(0, i) + 1.0; }, "Y");
  const Function add = build(create_schedule(y), {x, y}, Target::parse("cpu"), "add", {.pipeline = Pipeline::kSearch});
  const Array input = floats({});
  Array output = floats({1});
  add(input, output);
  EXPECT_EQ(output.as<float>()[0], input.as<float>()[0] + 1);
  EXPECT_EQ(refusal(add, floats({1, 1}), output), "add: argument X: expected rank 0, got 2");
}

TEST_F(BadCall, NumberOfArguments) {
  EXPECT_EQ(refusal(*fixed_, a_, b_), "matrix_mul: expected 3 arguments (A, B, C), got 2");
  EXPECT_EQ(refusal(*fixed_), "matrix_mul: expected 3 arguments (A, B, C), got 0");
  EXPECT_EQ(refusal(*symbolic_, a_, b_, c_, c_), "matrix_mul: expected 3 arguments (A, B, C), got 4");
}

TEST_F(BadCall, Rank) {
  EXPECT_EQ(refusal(*fixed_, a_, floats({500, 4, 1}), c_), "matrix_mul: argument B: expected rank 2, got 3");
  EXPECT_EQ(refusal(*symbolic_, a_, floats({2000}), c_), "matrix_mul: argument B: expected rank 2, got 1");
}

TEST_F(BadCall, ElementType) {
  EXPECT_EQ(refusal(*fixed_, Array::empty(kFloat64, {3, 500}), b_, c_),
            "matrix_mul: argument A: expected float32, got float64");
}

TEST_F(BadCall, Strides) {
  const auto rows = [&](std::int64_t row, std::int64_t column) {
    return ArrayView(b_.data(), kFloat32, {500, 4}, {row, column});
  };
  EXPECT_EQ(refusal(*fixed_, a_, rows(4, 1), c_), "accepted");
  EXPECT_EQ(refusal(*fixed_, a_, rows(5, 1), c_), "matrix_mul: argument B, stride of dimension 0: expected 4, got 5");
  EXPECT_EQ(refusal(*fixed_, a_, rows(1, 500), c_),
            "matrix_mul: argument B, stride of dimension 1: expected 1, got 500");
  // The stride of a single row is never used.
  const ArrayView row(a_.data(), kFloat32, {1, 500}, {7, 1});
  Array c = floats({1, 4});
  EXPECT_EQ(refusal(*symbolic_, row, b_, c), "accepted");
}

TEST_F(BadCall, MovedFromFunction) {
  Function given = *fixed_;
  const Function taken = std::move(given);
  EXPECT_EQ(refusal(given, a_, b_, c_),  // NOLINT(bugprone-use-after-move): the case under test
            "a function is used that was moved from: keep a copy, which is the same function");
  EXPECT_EQ(refusal(taken, a_, b_, c_), "accepted");
}

TEST_F(BadCall, NullPointer) {
  const ArrayView none(static_cast<const void*>(nullptr), kFloat32, {500, 4});
  EXPECT_EQ(refusal(*fixed_, a_, none, c_), "matrix_mul: argument B: expected data, got a null pointer");
}

TEST(Call, NothingIsWrittenToWhatHasNoElements) {
  const Expr n = var("n");
  const Tensor A = placeholder({n}, kFloat32, "A");
  const Tensor D = compute({n - 1}, [&](Expr i) { return A(i + 1) - A(i); }, "D");
  const Function differences = build(create_schedule(D), {A, D}, Target::parse("cpu"), "differences");
  Array three = floats({3}), two = floats({2}), one = floats({1});
  EXPECT_EQ(refusal(differences, three, two), "accepted");
  for (const float x : two.as<float>()) EXPECT_EQ(x, 0);
  EXPECT_EQ(refusal(differences, one, ArrayView(static_cast<void*>(nullptr), kFloat32, {0})), "accepted");
  EXPECT_EQ(refusal(differences, three, one), "differences: argument D, dimension 0: expected 2 (n - 1), got 1");
}

TEST(Call, NothingIsReadFromWhatHasNoElements) {
  const Expr n = var("n");
  const Tensor A = placeholder({n - 1}, kFloat32, "A");
  const Tensor C = compute({n}, [&](Expr i) { return select(i < n - 1, A(i), Expr(2.0)); }, "C");
  const Function extended = build(create_schedule(C), {A, C}, Target::parse("cpu"), "extended");
  Array one = floats({1});
  EXPECT_EQ(refusal(extended, ArrayView(static_cast<const void*>(nullptr), kFloat32, {0}), one), "accepted");
  EXPECT_EQ(one.as<float>()[0], 2);
}

TEST(Call, AParallelLoopHasNoMoreTasksThanAPoolTakes) {
  const Expr n = var("n");
  const Tensor A = placeholder({1}, kInt8, "A");
  const Tensor C = compute({n}, [&](Expr) { return A(0); }, "C");
  Schedule s = create_schedule(C);
  s[C].parallel(s[C].axis(0));
  const Function filled = build(s, {A, C}, Target::parse("cpu,threads=2"), "filled");
  const Array a = Array::empty(kInt8, {1});
  const std::int64_t many = (std::int64_t{1} << 31) + 5;
  alignas(64) static char memory[64];  // not touched: the call is refused
  EXPECT_EQ(refusal(filled, a, ArrayView(static_cast<void*>(memory), kInt8, {many})),
            "filled: the parallel loop i has more than 2147483647 iterations: split it, with n = 2147483653");
}

TEST_F(BadCall, SymbolsBelowOne) {
  Array a = floats({0, 500}), c = floats({0, 4});
  EXPECT_EQ(refusal(*symbolic_, a, b_, c), "matrix_mul: argument A, dimension 0: expected 1 or more, got 0");
}

TEST_F(BadCall, Alignment) {
  const ArrayView shifted(reinterpret_cast<const char*>(b_.data()) + 2, kFloat32, {500, 3});
  Array c = floats({3, 3});
  char address[32];
  std::snprintf(address, sizeof address, "%p", shifted.data());
  EXPECT_EQ(refusal(*symbolic_, a_, shifted, c),
            std::string("matrix_mul: argument B: expected an address that is a multiple of 4, got ") + address);
}

TEST_F(BadCall, ConstOutput) {
  const Array& c = c_;
  EXPECT_EQ(refusal(*fixed_, a_, b_, c), "matrix_mul: argument C: expected memory that may be written, got const");
  EXPECT_EQ(refusal(*fixed_, a_, b_, ArrayView(c.data(), kFloat32, {3, 4})),
            "matrix_mul: argument C: expected memory that may be written, got const");
}

TEST_F(BadCall, Overlap) {
  EXPECT_EQ(refusal(*fixed_, a_, b_, ArrayView(static_cast<float*>(a_.data()) + 1499, kFloat32, {3, 4})),
            "matrix_mul: argument C: expected memory of its own, got some that argument A uses too");
  EXPECT_EQ(refusal(*symbolic_, a_, b_, ArrayView(b_.data(), kFloat32, {3, 4})),
            "matrix_mul: argument C: expected memory of its own, got some that argument B uses too");
  // Inputs may be the same.
  Array square = floats({4, 4}), c = floats({4, 4});
  EXPECT_EQ(refusal(*symbolic_, square, square, c), "accepted");
}

TEST(BadView, IsRefusedWhereItIsMade) {
  float x = 0;
  const auto refusal_of = [&](std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) -> std::string {
    return message<UsageError>([&] { const ArrayView view(&x, kFloat32, std::move(shape), std::move(strides)); });
  };
  EXPECT_EQ(refusal_of({1, -3}, {}), "a view cannot have the extent -3: use 0 or more");
  EXPECT_EQ(refusal_of({1, 1}, {1}), "a view of 2 dimensions is given 1 strides: give one for each, or none");
  EXPECT_EQ(refusal_of({1, 1}, {1, 1}), "accepted");
}

TEST_F(BadCall, ChecksAreCheap) {
  const CallSignature signature(symbolic_->program());
  const std::array<ArrayRef, 3> arguments{a_, b_, c_};
  std::array<std::int64_t, 3> symbols{};
  using Clock = std::chrono::steady_clock;
  auto best = Clock::duration::max();
  for (int batch = 0; batch < 20; ++batch) {
    const Clock::time_point start = Clock::now();
    for (int call = 0; call < 1000; ++call) signature.check(arguments, symbols);
    best = std::min(best, Clock::now() - start);
  }
  RecordProperty("ns", std::to_string(std::chrono::nanoseconds(best).count() / 1000));
  EXPECT_EQ(symbols, (std::array<std::int64_t, 3>{3, 500, 4}));
  EXPECT_LT(best / 1000,
            std::chrono::microseconds(20));  // 0.1 us in an optimised build; this detects gross regressions only
}

}  // namespace
}  // namespace nestwright
