#include "tests/lower/select/fragment_programs.h"

#include <limits>
#include <span>

#include "ir/traversal/rewrite.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/tensor.h"

namespace nestwright::testing {
namespace {

struct Product {
  Tensor a, b, c;
};

/// A product whose B is [n, k] if `rows_of_b`, else [k, n].
Product product(std::int64_t m, std::int64_t n, std::int64_t k, bool rows_of_b) {
  const Tensor a = placeholder({m, k}, kFloat16, "A");
  const Tensor b = placeholder({rows_of_b ? n : k, rows_of_b ? k : n}, kFloat16, "B");
  const IterVar step = reduce_axis(k, "k");
  const Tensor c = compute(
      {m, n},
      [&](Expr i, Expr j) {
        return sum(cast(kFloat32, a(i, step)) * cast(kFloat32, rows_of_b ? b(j, step) : b(step, j)), step);
      },
      "C");
  return {a, b, c};
}

ir::Program unscheduled(const Product& p) { return lower(create_schedule(p.c), {p.a, p.b, p.c}, Target(), "f"); }

/// The bits of a float16 that is an integer from -4 to 4.
std::uint16_t half_bits(int value) {
  constexpr std::uint16_t kBits[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
  return static_cast<std::uint16_t>(value < 0 ? 0x8000 | kBits[-value] : kBits[value]);
}

class InstructionChanger final : public ir::Mutator {
 public:
  InstructionChanger(ir::TensorOp op, const std::function<void(ir::TensorInstruction&)>& change)
      : op_(op), change_(change) {}
  using Mutator::mutate;
  ir::Stmt mutate(const ir::Stmt& s) override {
    const auto* instruction = s.defined() ? s.as<ir::TensorInstruction>() : nullptr;
    if (instruction == nullptr || instruction->op != op_) return mutate_children(s);
    if (change_ == nullptr) return {};
    ir::TensorInstruction changed = *instruction;
    change_(changed);
    return ir::make_tensor_instruction(std::move(changed));
  }

 private:
  ir::TensorOp op_;
  const std::function<void(ir::TensorInstruction&)>& change_;
};

}  // namespace

ir::Program one_warp() {
  const auto [a, b, c] = product(16, 16, 16, false);
  Schedule s = create_schedule(c);
  const Tensor sums = s.cache_write(c, ir::Scope::kFragment);
  const auto [i8, y] = s[c].split(s[c].axis(0), factor(8));
  const auto [j8, rest] = s[c].split(s[c].axis(1), factor(8));
  const auto [x, pair] = s[c].split(rest, factor(2));
  s[c].reorder({y, x, i8, j8, pair}).bind(y, kThreadIdxY).bind(x, kThreadIdxX);
  s[sums].compute_at(s[c], x);
  const auto [step, along] = s[sums].split(s[sums].reduce_axis(0), factor(16));
  const auto [rows, row] = s[sums].split(s[sums].axis(0), factor(16));
  const auto [columns, column] = s[sums].split(s[sums].axis(1), factor(8));
  s[sums].reorder({step, rows, columns, row, column, along}).unroll(rows).unroll(columns);
  for (const Tensor& read : {a, b}) {
    const Tensor shared = s.cache_read(read, ir::Scope::kShared, {sums});
    s[shared].compute_at(s[sums], step).storage_align(s[shared].axis(0), 25, 24);
    const Tensor fragment = s.cache_read(shared, ir::Scope::kFragment, {sums});
    s[fragment].compute_at(s[sums], step);
  }
  return lower(s, {a, b, c}, Target::parse("cuda,arch=sm_90"), "f");
}

ir::Program one_warpgroup() {
  const auto [a, b, c] = product(64, 16, 64, true);
  Schedule s = create_schedule(c);
  const Tensor sums = s.cache_write(c, ir::Scope::kFragment);
  const auto [warp, in_warp] = s[c].split(s[c].axis(0), factor(16));
  const auto [i8, y] = s[c].split(in_warp, factor(8));
  const auto [j8, in_columns] = s[c].split(s[c].axis(1), factor(8));
  const auto [x, pair] = s[c].split(in_columns, factor(2));
  s[c].reorder({warp, y, x, i8, j8, pair});
  s[c].bind(warp, kThreadIdxZ).bind(y, kThreadIdxY).bind(x, kThreadIdxX);
  s[sums].compute_at(s[c], x);
  const auto [slice, in_slice] = s[sums].split(s[sums].reduce_axis(0), factor(16));
  const auto [cores, step] = s[sums].split(in_slice, factor(8));
  const auto [rows8, row8] = s[sums].split(s[sums].axis(0), factor(8));
  const auto [columns, column] = s[sums].split(s[sums].axis(1), factor(8));
  s[sums].reorder({slice, rows8, row8, columns, column, cores, step});
  for (const Tensor& read : {a, b}) {
    const Tensor cache = s.cache_read(read, ir::Scope::kShared, {sums});
    s.transform_layout(cache, [&](std::span<const Expr> at) { return std::vector<Expr>{at[1] / 8, at[0], at[1] % 8}; });
    s[cache].compute_at(s[sums], slice);
  }
  return lower(s, {a, b, c}, Target::parse("cuda,arch=sm_90"), "f");
}

ir::Program unscheduled_warp() { return unscheduled(product(16, 16, 16, false)); }
ir::Program unscheduled_warpgroup() { return unscheduled(product(64, 16, 64, true)); }

ir::Program selected(const ir::Program& program, const char* target) {
  return expand(program, Target::parse(target), {.after_pass = {}, .verify = true});
}

std::vector<float> run_halves(const ir::Program& program) {
  std::vector<std::vector<std::uint16_t>> inputs;
  std::vector<float> output;
  std::vector<ir::Memory> memory;
  inputs.reserve(program.parameters.size());
  for (const ir::Parameter& parameter : program.parameters) {
    const auto elements = static_cast<std::size_t>(parameter.buffer->elements());
    if (parameter.role == ir::Role::kOutput) {
      output.assign(elements, std::numeric_limits<float>::quiet_NaN());
      memory.push_back(std::as_writable_bytes(std::span(output)));
      continue;
    }
    std::vector<std::uint16_t>& halves = inputs.emplace_back(elements);
    for (std::size_t i = 0; i < elements; ++i) {
      halves[i] = half_bits(static_cast<int>((i * 7 + inputs.size() * 3 + i / 5) % 9) - 4);
    }
    memory.push_back(std::as_writable_bytes(std::span(halves)));
  }
  ir::interpret(program, memory, {}, {});
  return output;
}

int count(const ir::Program& program, ir::TensorOp op) {
  int found = 0;
  for (const ir::Kernel& kernel : program.kernels) {
    ir::for_each_stmt(kernel.body, [&](const ir::Stmt& s) {
      const auto* instruction = s.as<ir::TensorInstruction>();
      if (instruction != nullptr && instruction->op == op) ++found;
    });
  }
  return found;
}

ir::Program with_changed(ir::Program program, ir::TensorOp op,
                         const std::function<void(ir::TensorInstruction&)>& change) {
  for (ir::Kernel& kernel : program.kernels) kernel.body = InstructionChanger(op, change).mutate(kernel.body);
  return program;
}

ir::Program with_wrong_operand(const ir::Program& program, ir::TensorOp op, std::size_t operand) {
  return with_changed(program, op, [&](ir::TensorInstruction& instruction) {
    instruction.operands.at(operand).at = instruction.operands.at(operand).at + 1;
  });
}

}  // namespace nestwright::testing
