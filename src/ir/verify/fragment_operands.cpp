// Checks the operands of instructions of a warp, mma.sync and ldmatrix: registers, places and rows in shared memory,
// and the value of a fill.
#include <algorithm>
#include <utility>

#include "ir/simplify/vector_access.h"
#include "ir/traversal/equal.h"
#include "ir/verify/instruction_body.h"

namespace nestwright::ir {
namespace {

class FragmentCheck final : OperandCheck {
 public:
  FragmentCheck(const TensorInstruction& instruction, const InstructionBody& body, const InstructionContext& context)
      : OperandCheck(instruction, body, context) {}

  std::vector<std::string> run() {
    const Element stored = body_.stored();
    expect_register(0, stored, 0);
    expect_register(1, stored, 1);
    if (instruction_.op == TensorOp::kFragmentFill) {
      expect(2, equal(instruction_.operands[2].at, body_.store->value));
      expect_type(stored.buffer->element);
    } else if (instruction_.op == TensorOp::kFragmentMultiply) {
      check_product();
    } else {
      check_load(stored);
    }
    return std::move(found_);
  }

 private:
  void expect_register(std::size_t operand, const Element& element, int rows_below) {
    expect(operand, context_.is_register_of(instruction_.operands[operand], element, body_, rows_below));
  }

  void check_product() {
    const auto factors = body_.factors(instruction_.operands[2].buffer);
    if (!factors) {
      found_.emplace_back("the body is no product");
      return;
    }
    const auto& [a, b] = *factors;
    expect_register(2, a, 0);
    expect_register(3, a, 1);
    expect_register(4, b, 0);
    expect_type(a.buffer->element);
  }

  /// A fragment has 16 rows across the reduction. They lie at equal distances in memory, or, transposed, the steps of
  /// the reduction do.
  void check_load(const Element& stored) {
    expect_type(stored.buffer->element);
    const std::vector<Element> elements = body_.loaded();
    const std::optional<bool> reduces_last = context_.layout.reduces_last(stored.buffer);
    if (elements.size() != 1 || !reduces_last) return expect(2, false);
    const Element& memory = elements[0];
    expect(2, context_.is_place_of(instruction_.operands[2], memory, body_));
    const Expr offset = element_offset(memory.buffer, memory.indices);
    const std::size_t rank = stored.indices.size();
    const Expr &across = stored.indices[*reduces_last ? rank - 2 : rank - 1],
               &along = stored.indices[*reduces_last ? rank - 1 : rank - 2];
    const std::optional<std::int64_t> row = distance(offset, across), step = distance(offset, along);
    const bool is_transposed = row == 1 && step != 1;
    const std::int64_t bytes = memory.buffer->element.bytes();
    expect(3, row && step && (is_transposed || step == 1) &&
                  is_const_int(instruction_.operands[3].at, bytes * (is_transposed ? *step : *row)));
    if (is_transposed != (instruction_.op == TensorOp::kFragmentLoadTransposed)) {
      found_.emplace_back("rows of the body run in the other direction than those of the instruction");
    }
  }

  /// How far the offset moves when the index grows by one.
  std::optional<std::int64_t> distance(const Expr& offset, const Expr& index) const {
    for (const For* loop : body_.loops) {
      if (body_.step_of(index, *loop) == 1) return body_.step_of(offset, *loop);
    }
    return std::nullopt;
  }
};

}  // namespace

std::vector<std::string> fragment_mistakes(const TensorInstruction& instruction, const InstructionBody& body,
                                           const InstructionContext& context) {
  return FragmentCheck(instruction, body, context).run();
}

}  // namespace nestwright::ir
