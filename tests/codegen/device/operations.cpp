#include "tests/codegen/device/operations.h"

#include <cmath>

#include "ir/traversal/rewrite.h"
#include "nestwright/expr_nodes.h"
#include "tests/codegen/element_data.h"
#include "tests/codegen/exact_operations.h"

namespace nestwright::testing {

using namespace ir;

namespace {

constexpr std::int64_t kBlocks = 2, kThreads = 8;

/// The elements of a thread: a whole vector, one of two elements, and a single element.
std::int64_t length(Type type) { return 16 / type.bytes() + 3; }

/// The distance between the elements of consecutive threads.
std::int64_t pitch(Type type, Rows rows) {
  const std::int64_t lanes = 16 / type.bytes();
  return rows == Rows::kAligned ? (length(type) + lanes - 1) / lanes * lanes : length(type) | 1;
}

}  // namespace

OperationProgram::OperationProgram(Type type, Rows rows, Kernels kernels)
    : type_(type),
      rows_(rows),
      kernels_(kernels),
      a_("A", type, {Expr(elements())}),
      c_("C", type, {Expr(elements())}) {
  parameters_ = {{a_, Role::kInput}, {c_, Role::kInput}};
}

std::int64_t OperationProgram::elements() const { return kBlocks * kThreads * pitch(type_, rows_); }

void OperationProgram::add(const std::string& name, const Operation& f) {
  const Var j("j");
  const Expr i = (block_ * kThreads + thread_) * pitch(type_, rows_) + j;
  const Expr value = f(make_load(a_, {i}), make_load(c_, {i}));
  const Buffer b(name, value.type(), {Expr(elements())});
  parameters_.push_back({b, Role::kOutput});
  const LoopKind kind = rows_ == Rows::kScalars ? LoopKind::kSerial : LoopKind::kVectorized;
  stores_.push_back(make_for(j, 0, Expr(length(type_)), kind, make_store(b, {i}, value)));
}

Program OperationProgram::program() const {
  std::vector<Stmt> bodies = stores_, launches;
  if (kernels_ == Kernels::kOne) bodies = {block(stores_)};
  Program program{"operations", parameters_, {}, {}, {}, {}, {}, {}};
  for (const Stmt& body : bodies) {
    const auto number = static_cast<int>(program.kernels.size());
    const Var blocks("block"), threads("thread");
    const Stmt own = make_for(threads, 0, Expr(kThreads), LoopKind::kThreadX,
                              substitute(body, {{block_, blocks}, {thread_, threads}}));
    program.kernels.push_back(
        {"kernel_" + std::to_string(number), make_for(blocks, 0, Expr(kBlocks), LoopKind::kBlockX, own)});
    launches.push_back(make_launch(number));
  }
  program.host = block(launches);
  return program;
}

Program operations_on(Type type, Rows rows, Kernels kernels) {
  OperationProgram program(type, rows, kernels);
  add_exact_operations(program, type);
  if (type.is_int()) program.add("fused", [](Expr a, Expr c) { return fma(a, c, a); });
  return program.program();
}

Program rounded_functions_on(Type type, Rows rows, Kernels kernels) {
  OperationProgram program(type, rows, kernels);
  program.add("ratio", [](Expr a, Expr c) { return a / c; });
  program.add("root", [](Expr a, Expr) { return sqrt(a); });
  program.add("reciprocal_root", [](Expr a, Expr) { return rsqrt(a); });
  program.add("below", [](Expr a, Expr) { return floor(a); });
  program.add("above", [](Expr a, Expr) { return ceil(a); });
  program.add("nearest", [](Expr a, Expr) { return round(a); });
  program.add("towards_0", [](Expr a, Expr) { return trunc(a); });
  program.add("fused", [](Expr a, Expr c) { return fma(a, c, a); });
  program.add("scaled", [](Expr a, Expr c) { return scale(a, floor(clamp(c, -300.0, 300.0))); });
  program.add("infinite",
              [&](Expr a, Expr) { return select(a > 1.0, make_float(INFINITY, type), make_float(-INFINITY, type)); });
  program.add("no_number", [&](Expr a, Expr) { return select(a > 1.0, make_float(NAN, type), a); });
  if (type == kFloat32) program.add("tf32", [](Expr a, Expr c) { return round_tf32(a) - round_tf32(c); });
  program.add("tenth", [](Expr a, Expr) { return a + 0.1; });
  return program.program();
}

Program transcendental_functions_on(Type type, Rows rows, Kernels kernels) {
  OperationProgram program(type, rows, kernels);
  program.add("power_of_e", [](Expr a, Expr) { return exp(a); });
  program.add("logarithm", [](Expr a, Expr) { return log(a); });
  program.add("logarithm_to_2", [](Expr a, Expr) { return log2(a); });
  program.add("hyperbolic", [](Expr a, Expr) { return tanh(a); });
  program.add("logistic", [](Expr a, Expr) { return sigmoid(a); });
  program.add("error_function", [](Expr a, Expr) { return erf(a); });
  program.add("sine", [](Expr a, Expr) { return sin(a); });
  program.add("cosine", [](Expr a, Expr) { return cos(a); });
  program.add("power", [](Expr a, Expr) { return pow(abs(a), make_const(1.5, a.type())); });
  return program.program();
}

Program casts_of(Type type, Rows rows, Kernels kernels) {
  OperationProgram program(type, rows, kernels);
  for (const Type to : ir::element_types()) {
    program.add("as_" + to.str(), [&](Expr a, Expr) { return cast(to, a); });
    if (to.bits == type.bits && !to.is_bool()) {
      program.add("bits_as_" + to.str(), [&](Expr a, Expr) { return reinterpret(to, a); });
    }
  }
  return program.program();
}

Program word_functions(Rows rows, Kernels kernels) {
  OperationProgram program(kInt32, rows, kernels);
  program.add("bytes", [](Expr a, Expr c) { return join({a, c, a / 256, c / 256}); });
  program.add("halves", [](Expr a, Expr c) { return join({a, c}); });
  program.add("u8s8", [](Expr a, Expr c) { return dot(Intrinsic::kDotU8S8, a, a, c); });
  program.add("s8s8", [](Expr a, Expr c) { return dot(Intrinsic::kDotS8S8, a, a, c); });
  program.add("s16", [](Expr a, Expr c) { return dot(Intrinsic::kDotS16, a, a, c); });
  program.add("bf16", [](Expr a, Expr c) { return dot(Intrinsic::kDotBF16, cast(kFloat32, a), a, c); });
  return program.program();
}

}  // namespace nestwright::testing
