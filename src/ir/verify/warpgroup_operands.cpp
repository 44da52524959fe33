// Checks the operands of instructions of a warpgroup, wgmma.mma_async. A matrix in shared memory is described by the
// distances between its core matrices; each element that the body reads has to lie where the instruction reads it:
//
//   rows along the reduction     k / row * along + k % row * bytes + x / 8 * across + x % 8 * pitch
//   rows across the reduction    k / 8 * along + k % 8 * pitch + x / row * across + x % row * bytes
//
// x is the row of a, or the column of b, and k the step of the reduction. A row of a core matrix has 16 bytes, and rows
// follow each other at a pitch of 16; swizzled ones run on for 128 bytes, and follow each other at a pitch of 128. (PTX
// ISA, "Matrices in shared memory" of wgmma.mma_async.)
#include <algorithm>
#include <numeric>
#include <utility>

#include "ir/gpu/swizzle.h"
#include "ir/simplify/simplify.h"
#include "ir/simplify/vector_access.h"
#include "ir/traversal/equal.h"
#include "ir/verify/instruction_body.h"

namespace nestwright::ir {
namespace {

constexpr std::int64_t kWarps = 4, kWarpRows = 16, kWarp = kWarpX * kWarpY;
constexpr std::int64_t kCoreRows = 8, kCoreBytes = 16, kStepBytes = 32;

/// Where a descriptor says that the elements of a matrix lie. In bytes.
struct Descriptor {
  std::int64_t along = 0, across = 0;  ///< from a core matrix to the next
  bool rows_across = false, is_swizzled = false;
  std::int64_t bytes = 0;  ///< of an element

  std::int64_t place(std::int64_t x, std::int64_t k) const {
    const std::int64_t pitch = is_swizzled ? kSwizzledRowBytes : kCoreBytes;
    if (rows_across) {
      const std::int64_t row = pitch / bytes;
      return k / kCoreRows * along + k % kCoreRows * pitch + x / row * across + x % row * bytes;
    }
    const std::int64_t core = kCoreBytes / bytes;
    return k / core * along + k % core * bytes + x / kCoreRows * across + x % kCoreRows * pitch;
  }
};

class WarpgroupCheck final : OperandCheck {
 public:
  WarpgroupCheck(const TensorInstruction& instruction, const InstructionBody& body, const InstructionContext& context)
      : OperandCheck(instruction, body, context) {}

  std::vector<std::string> run() {
    const Element stored = body_.stored();
    expect(0, instruction_.operands[0].buffer == stored.buffer && is_const_int(instruction_.operands[0].at, 0));
    if (instruction_.op == TensorOp::kWarpgroupFill) {
      expect_number(1, stored.buffer->elements() / kWarp);
      expect(2, equal(instruction_.operands[2].at, body_.store->value));
      expect_type(stored.buffer->element);
    } else {
      check_product(stored);
    }
    return std::move(found_);
  }

 private:
  using Loops = std::vector<const For*>;

  void expect_number(std::size_t operand, std::int64_t value) {
    expect(operand, is_const_int(instruction_.operands[operand].at, value));
  }

  void check_product(const Element& stored) {
    expect(1, instruction_.operands[1].buffer == stored.buffer &&
                  is_const_int(instruction_.operands[1].at, instruction_.columns / 4));
    const auto factors = body_.factors(instruction_.operands[2].buffer);
    const std::size_t rank = stored.indices.size();
    if (!factors || rank < 2) {
      found_.emplace_back("the body is no product of matrices");
      return;
    }
    const auto& [a, b] = *factors;
    const Expr &row = stored.indices[rank - 2], &column = stored.indices[rank - 1];
    Loops rows, columns, steps;
    for (const For* loop : body_.loops) {
      const bool is_row = body_.step_of(row, *loop) != 0, is_column = body_.step_of(column, *loop) != 0;
      (is_row ? rows : is_column ? columns : steps).push_back(loop);
    }
    const std::vector<std::int64_t> x = values(row, rows), y = values(column, columns);
    const std::int64_t bytes = a.buffer->element.bytes();
    if (static_cast<std::int64_t>(x.size()) != kWarpRows ||
        static_cast<std::int64_t>(y.size()) != instruction_.columns) {
      found_.emplace_back("the body computes another number of rows or columns");
      return;
    }
    const auto count = static_cast<std::int64_t>(iterations(steps).size());
    expect(8, count * bytes % kStepBytes == 0 && is_const_int(instruction_.operands[8].at, count * bytes / kStepBytes));
    expect_type(a.buffer->element);
    check_matrix(2, a, {rows, steps}, x,
                 {.rows_across = instruction_.transposes_a, .is_swizzled = instruction_.swizzles_a, .bytes = bytes});
    check_matrix(5, b, {columns, steps}, y,
                 {.rows_across = instruction_.transposes_b, .is_swizzled = instruction_.swizzles_b, .bytes = bytes});
  }

  /// The loops that move an operand across the reduction, and along it.
  struct Directions {
    Loops across, along;
  };

  /// Checks the matrix that operands `first` to `first` + 2 describe: its place, and the distances of its core matrices
  /// along and across the reduction. `x` has the row or column of each iteration of the loops across.
  void check_matrix(std::size_t first, const Element& element, const Directions& loops,
                    const std::vector<std::int64_t>& x, Descriptor descriptor) {
    const std::int64_t *along = as_const_int(instruction_.operands[first + 1].at),
                       *across = as_const_int(instruction_.operands[first + 2].at);
    if (along == nullptr || across == nullptr) return expect(first + (along == nullptr ? 1 : 2), false);
    descriptor.along = *along;
    descriptor.across = *across;
    const Expr offset = element_offset(element.buffer, element.indices);
    const bool is_a = first == 2;
    expect(first,
           is_place_of_group(instruction_.operands[first], element.buffer, body_.first_of(offset), [&](int warp) {
             return is_a ? descriptor.place(kWarpRows * warp, 0) / descriptor.bytes : 0;
           }));
    const std::vector<std::int64_t> by_step = values(offset, loops.along), by_x = values(offset, loops.across);
    bool lies_along = !by_step.empty(), lies_across = !by_x.empty();
    for (std::size_t k = 0; k < by_step.size(); ++k) {
      lies_along &= by_step[k] * descriptor.bytes == descriptor.place(0, static_cast<std::int64_t>(k));
    }
    for (std::size_t i = 0; i < by_x.size(); ++i) {
      lies_across &= by_x[i] * descriptor.bytes == descriptor.place(x[i], 0);
    }
    expect(first + 1, lies_along);
    expect(first + 2, lies_across);
  }

  /// The iteration numbers of nested loops, in their order; empty if an extent is not constant.
  static std::vector<std::vector<std::int64_t>> iterations(const Loops& loops) {
    std::vector<std::vector<std::int64_t>> all{{}};
    for (const For* loop : loops) {
      const std::int64_t* extent = as_const_int(loop->extent);
      std::vector<std::vector<std::int64_t>> longer;
      for (const auto& outer : all) {
        for (std::int64_t i = 0; extent != nullptr && i < *extent; ++i) {
          longer.push_back(outer);
          longer.back().push_back(i);
        }
      }
      all = std::move(longer);
    }
    return all;
  }

  /// By how much the expression exceeds its first value in each iteration of the loops; empty if that is not constant.
  std::vector<std::int64_t> values(const Expr& e, const Loops& loops) const {
    std::vector<std::int64_t> steps, found;
    for (const For* loop : loops) {
      const std::optional<std::int64_t> step = body_.step_of(e, *loop);
      if (!step) return {};
      steps.push_back(*step);
    }
    for (const auto& at : iterations(loops)) {
      found.push_back(std::inner_product(at.begin(), at.end(), steps.begin(), std::int64_t{0}));
    }
    return found;
  }

  /// Whether the operand is, for all warps of a group, `offset` of its first warp, and that of each other one lies
  /// `distance(warp)` elements behind it.
  template <class Distance>
  bool is_place_of_group(const Operand& operand, const Buffer& buffer, const Expr& offset, Distance distance) const {
    const std::int64_t* warps = context_.warps != nullptr ? as_const_int(context_.warps->extent) : nullptr;
    if (operand.buffer != buffer || warps == nullptr) return false;
    const Var group("group");
    Ranges known;
    known.bind(group, {0, *warps / kWarps - 1});
    const auto of_warp = [&](const Expr& e, int warp) {
      return substitute(substitute(e, context_.lets), {{context_.warps->var, group * Expr(kWarps) + Expr(warp)}});
    };
    for (int warp = 0; warp < kWarps; ++warp) {
      if (!context_.are_equal(of_warp(offset, warp), of_warp(operand.at, warp) + Expr(distance(warp)), known)) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace

std::vector<std::string> warpgroup_mistakes(const TensorInstruction& instruction, const InstructionBody& body,
                                            const InstructionContext& context) {
  return WarpgroupCheck(instruction, body, context).run();
}

}  // namespace nestwright::ir
