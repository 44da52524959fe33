// Every element type through loads, operations, casts and stores: compiled code is compared with the interpreter, which
// tests/ir/core/scalar_types_test.cpp compares with plain C++. On scalars and on vectors with a tail, on every
// instruction set that runs here, also on values for which plain C++ is undefined.
#include <gtest/gtest.h>

#include "element_data.h"
#include "exact_operations.h"
#include "nestwright/expr.h"
#include "run_program.h"

namespace nestwright {
namespace {

using namespace ir;

constexpr std::int64_t kRow = 37, kN = 4 * kRow;  // whole vectors and a tail of each length of them

/// B_k[i] = f_k(A[i], C[i]), with a loop for each k.
class TypeProgram {
 public:
  TypeProgram(Type type, LoopKind kind)
      : type_(type), kind_(kind), a_("A", type, {Expr(kN)}), c_("C", type, {Expr(kN)}) {
    parameters_ = {{a_, Role::kInput}, {c_, Role::kInput}};
  }
  template <class F>
  void add(const char* name, const F& f) {
    const Var o("o"), j("j");
    const Expr i = o * kRow + j;
    const Expr value = f(make_load(a_, {i}), make_load(c_, {i}));
    const Buffer B(name, value.type(), {Expr(kN)});
    parameters_.push_back({B, Role::kOutput});
    const Stmt row = make_for(j, 0, Expr(kRow), kind_, make_store(B, {i}, value));
    loops_.push_back(make_for(o, 0, Expr(kN / kRow), LoopKind::kSerial, row));
  }
  void expect_agreement() const {
    const Program program{"types", parameters_, {}, {}, {}, {}, make_launch(0), {{"main", block(loops_)}}};
    std::vector<Array> expected;
    for (const Parameter& parameter : parameters_) expected.push_back(Array::empty(parameter.buffer->element, {kN}));
    testing::fill(expected[0], 0);
    testing::fill(expected[1], 1);
    std::vector<Array> actual = testing::copies(expected);
    testing::run_interpreted(program, expected);
    for (CpuIsa isa : testing::runnable_isas()) {
      const testing::LinkedProgram kernel =
          testing::link(testing::compile(program, testing::target_of(isa)), make_pool(PoolKind::kSerial, 1));
      ASSERT_EQ(testing::run_compiled(kernel, actual), 0);
      for (std::size_t k = 2; k < actual.size(); ++k) {
        std::int64_t at = 0;
        EXPECT_TRUE(testing::same_elements(actual[k], expected[k], &at))
            << type_.str() << " " << parameters_[k].buffer->name << " at " << at << " on isa " << static_cast<int>(isa)
            << (kind_ == LoopKind::kVectorized ? ", vectorized" : "");
      }
    }
  }

 private:
  Type type_;
  LoopKind kind_;
  Buffer a_, c_;
  std::vector<Parameter> parameters_;
  std::vector<Stmt> loops_;
};

class EveryType : public ::testing::TestWithParam<Type> {};

void add_operations(TypeProgram& program, Type type) {
  testing::add_exact_operations(program, type);
  if (type == kFloat32) program.add("tf32", [](Expr a, Expr c) { return round_tf32(a) - round_tf32(c); });
  if (!type.is_float()) return;
  program.add("quotient", [](Expr a, Expr c) { return a / c; });
  program.add("sqrt", [](Expr a, Expr) { return sqrt(a); });
  program.add("floor", [](Expr a, Expr) { return floor(a); });
  program.add("ceil", [](Expr a, Expr) { return ceil(a); });
  program.add("round", [](Expr a, Expr) { return round(a); });
  program.add("fma", [](Expr a, Expr c) { return fma(a, c, a); });
}

TEST_P(EveryType, OperationsAgreeWithTheInterpreter) {
  for (LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized}) {
    TypeProgram program(GetParam(), kind);
    add_operations(program, GetParam());
    program.expect_agreement();
  }
}

TEST_P(EveryType, CastsToAllTypesAgreeWithTheInterpreter) {
  for (LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized}) {
    TypeProgram program(GetParam(), kind);
    for (const Type to : ir::element_types()) {
      program.add(to.str().c_str(), [&](Expr a, Expr) { return cast(to, a); });
      if (to.bits == GetParam().bits && !to.is_bool()) {
        program.add("bits", [&](Expr a, Expr) { return reinterpret(to, a); });
      }
    }
    program.expect_agreement();
  }
}

// Inactive lanes of a tail hold 0 and must not divide by it.
TEST(Types, LanesThatAreTurnedOffDivideByNothing) {
  for (const Type type : {kInt8, kInt32, kInt64, kUInt16, kUInt64}) {
    TypeProgram program(type, LoopKind::kVectorized);
    program.add("quotient", [](Expr a, Expr c) { return a / (c * 2 + 1) + a % (c * 2 + 1); });
    program.expect_agreement();
  }
}

TEST(Types, DivisionByPowersOfTwoIsAShift) {
  for (const Type type : {kInt8, kInt32, kInt64, kUInt8, kUInt32, kUInt64}) {
    for (LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized}) {
      const Buffer A("A", type, {Expr(64)}), B("B", type, {Expr(64)});
      const Var i("i");
      const Expr a = make_load(A, {i});
      const Stmt loop = make_for(i, 0, 64, kind, make_store(B, {i}, a / 8 + a % 32));
      const Program program{"shift",         {{A, Role::kInput}, {B, Role::kOutput}}, {}, {}, {}, {}, make_launch(0),
                            {{"main", loop}}};
      CompileOptions options;
      options.keep_ir = true;
      const std::string text = testing::compile(program, testing::target_of(CpuIsa::kAvx2), options).ir;
      EXPECT_EQ(text.find("div "), std::string::npos) << type.str();
      EXPECT_EQ(text.find("rem "), std::string::npos) << type.str();
      EXPECT_NE(text.find(type.code == TypeCode::kInt ? "ashr" : "lshr"), std::string::npos) << type.str();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EveryType, ::testing::ValuesIn(ir::element_types()),
                         [](const auto& test) { return test.param.str(); });

}  // namespace
}  // namespace nestwright
