// Random expressions of all types on an OpenCL device, compared with the interpreter: precedence, types of C that are
// wider than those of the IR, lanes. NESTWRIGHT_RANDOM_SOURCES=N in the environment tries N programs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "nestwright/expr.h"
#include "nestwright/program.h"
#include "tests/codegen/device/agreement.h"
#include "tests/codegen/element_data.h"

namespace nestwright::testing {
namespace {

using namespace ir;

constexpr std::int64_t kThreads = 6, kRow = 11, kElements = kThreads * 16;

class RandomExpressions {
 public:
  explicit RandomExpressions(unsigned seed) : random_(seed) {
    for (const Type type : ir::element_types())
      inputs_.emplace_back("in_" + type.str(), type, std::vector<Expr>{Expr(kElements)});
  }

  Program program(int stores) {
    std::vector<Parameter> parameters;
    for (const Buffer& input : inputs_) parameters.push_back({input, Role::kInput});
    std::vector<Stmt> rows;
    for (int i = 0; i < stores; ++i) {
      j_ = Var("j");
      const Type type = any_type();
      const Buffer out("out" + std::to_string(i), type, {Expr(kElements)});
      parameters.push_back({out, Role::kOutput});
      const LoopKind kind = below(2) == 0 ? LoopKind::kVectorized : LoopKind::kSerial;
      rows.push_back(make_for(j_, 0, Expr(kRow), kind, make_store(out, {x_ * 16 + j_}, make(type, 4))));
    }
    return {"random",
            parameters,
            {},
            {},
            {},
            {},
            make_launch(0),
            {{"random_kernel", make_for(x_, 0, Expr(kThreads), LoopKind::kThreadX, block(rows))}}};
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  Type any_type() { return ir::element_types()[below(ir::element_types().size())]; }

  Expr leaf(Type type) {
    if (type == kIndex && below(2) == 0) return below(2) == 0 ? Expr(x_) : Expr(j_);
    if (!type.is_bool() && below(4) == 0) return make_const(static_cast<double>(below(9)), type);
    for (const Buffer& input : inputs_) {
      if (input->element == type) return make_load(input, {below(3) == 0 ? Expr(x_) : x_ * 16 + j_});
    }
    return {};
  }

  Expr make(Type type, int depth) {
    if (depth == 0 || below(8) == 0) return leaf(type);
    switch (below(8)) {
      case 0:
        return select(make(kBool, depth - 1), make(type, depth - 1), make(type, depth - 1));
      case 1:
      case 2:
        return cast(type, make(any_type(), depth - 1));
      default:
        break;
    }
    const Expr a = make(type, depth - 1), b = make(type, depth - 1);
    if (type.is_bool()) return make_bool(depth, a, b);
    switch (below(type.is_float() ? 5 : 9)) {
      case 0:
        return a + b;
      case 1:
        return a - b;
      case 2:
        return min(a, b);
      case 3:
        return max(a, b);
      case 4:
        return abs(a);
      case 5:  // a product of floats might be fused with a sum
        return a * b;
      case 6:
        return a / select(b == 0, make_const(3, type), b);
      case 7:
        return a % select(b == 0, make_const(5, type), b);
      default:
        return below(2) == 0 ? a / static_cast<int>(1 + below(9)) : a % static_cast<int>(1 + below(9));
    }
  }

  Expr make_bool(int depth, const Expr& a, const Expr& b) {
    if (below(3) == 0) return below(2) == 0 ? (a && b) : (a || !b);
    const Type type = any_type();
    const Expr left = make(type, depth - 1), right = make(type, depth - 1);
    if (type.is_bool()) return left == right;
    switch (below(4)) {
      case 0:
        return left < right;
      case 1:
        return left >= right;
      case 2:
        return left == right;
      default:
        return left != right;
    }
  }

  std::mt19937 random_;
  std::vector<Buffer> inputs_;
  Var x_{"x"}, j_{"j"};
};

class RandomSources : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomSources, AgreeWithTheInterpreter) {
  const Program program = RandomExpressions(GetParam()).program(8);
  expect_agreement(program);
  if (HasFailure()) ADD_FAILURE() << to_string(program);
}

unsigned programs() {
  const char* value = std::getenv("NESTWRIGHT_RANDOM_SOURCES");
  return value != nullptr ? static_cast<unsigned>(std::atoi(value)) : 4;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSources, ::testing::Range(0u, programs()));

}  // namespace
}  // namespace nestwright::testing
