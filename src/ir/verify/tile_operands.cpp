// Checks the operands of AMX instructions: the tiles' numbers, their configured shapes, and places and rows in memory.
#include <algorithm>
#include <utility>

#include "ir/simplify/vector_access.h"
#include "ir/traversal/linear.h"
#include "ir/verify/instruction_body.h"

namespace nestwright::ir {
namespace {

constexpr std::int64_t kTileSide = 16, kElementBytes = 4;

class TileCheck final : OperandCheck {
 public:
  TileCheck(const TensorInstruction& instruction, const InstructionBody& body, const InstructionContext& context)
      : OperandCheck(instruction, body, context) {}

  std::vector<std::string> run() {
    std::vector<Element> elements = body_.loaded();
    // A product reads the sums before it adds to them; what is copied out is the only operand that is read.
    if (instruction_.op != TensorOp::kTileMultiply) elements.insert(elements.begin(), body_.stored());
    if (instruction_.op == TensorOp::kTileStore) std::rotate(elements.begin(), elements.begin() + 1, elements.end());
    const std::size_t tiles = instruction_.op == TensorOp::kTileMultiply ? 3 : 1;
    if (elements.size() < tiles) return {"the body accesses fewer tiles than the instruction"};
    for (std::size_t i = 0; i < tiles; ++i) check_tile(i, elements[i]);
    if (instruction_.op == TensorOp::kTileMultiply) check_type();
    if (instruction_.op == TensorOp::kTileLoad || instruction_.op == TensorOp::kTileStore) check_memory(elements);
    return std::move(found_);
  }

 private:
  void check_tile(std::size_t operand, const Element& element) {
    const std::string name = "operand " + std::to_string(operand);
    const auto number = tile_number(element);
    if (!number || !is_const_int(instruction_.operands[operand].at, *number) || *number < 0 ||
        *number >= static_cast<std::int64_t>(kTileRegisters)) {
      found_.push_back(name + " is not the tile that the body accesses");
      return;
    }
    const std::size_t rank = element.indices.size();
    const auto rows = body_.count_of(element.indices[rank - 2]), columns = body_.count_of(element.indices[rank - 1]);
    if (!context_.tiles) {
      found_.push_back(name + " is a tile that is not configured");
    } else if (const auto& shape = (*context_.tiles)[static_cast<std::size_t>(*number)];
               rows != shape[0] || !columns || kElementBytes * *columns != shape[1]) {
      found_.push_back(name + " is a tile of another shape than the one that is configured");
    }
  }

  std::optional<std::int64_t> tile_number(const Element& element) const {
    const auto first = context_.registers.find(element.buffer);
    const std::size_t rank = element.indices.size();
    if (first == context_.registers.end() || rank < 2) return std::nullopt;
    const std::int64_t* columns = as_const_int(element.buffer->shape[rank - 1]);
    const Linear row = to_linear(body_.first_of(element.indices[rank - 2])),
                 column = to_linear(body_.first_of(element.indices[rank - 1]));
    if (columns == nullptr || !row.is_constant() || !column.is_constant()) return std::nullopt;
    return first->second + row.constant / kTileSide * ((*columns + kTileSide - 1) / kTileSide) +
           column.constant / kTileSide;
  }

  /// The type is that of the elements of a, several of which are packed into one of the tile.
  void check_type() {
    const auto* call = body_.store->value.as<Call>();
    const auto is = [&](Intrinsic intrinsic, Type type) {
      return call != nullptr && call->intrinsic == intrinsic && instruction_.type == type;
    };
    if (!is(Intrinsic::kDotBF16, kBFloat16) && !is(Intrinsic::kDotU8S8, kUInt8) && !is(Intrinsic::kDotS8S8, kInt8)) {
      found_.emplace_back("the type is not the one that the body multiplies");
    }
  }

  void check_memory(const std::vector<Element>& elements) {
    if (elements.size() < 2 || !context_.is_place_of(instruction_.operands[1], elements[1], body_)) {
      found_.emplace_back("operand 1 is not where the body accesses memory");
      return;
    }
    const Element &tile = elements[0], &memory = elements[1];
    const std::size_t rank = tile.indices.size();
    const Expr offset = element_offset(memory.buffer, memory.indices);
    for (const For* loop : body_.loops) {
      const std::optional<std::int64_t> step = body_.step_of(offset, *loop);
      const bool is_row = body_.step_of(tile.indices[rank - 2], *loop) == 1;
      const std::int64_t bytes = step.value_or(0) * memory.buffer->element.bytes();
      if (is_row && !is_const_int(instruction_.operands[2].at, bytes)) {
        found_.emplace_back("operand 2 is not the distance of the rows that the body accesses");
      }
      if (!is_row && bytes != kElementBytes) found_.emplace_back("the body does not access rows of a tile in memory");
    }
  }
};

}  // namespace

std::vector<std::string> tile_mistakes(const TensorInstruction& instruction, const InstructionBody& body,
                                       const InstructionContext& context) {
  return TileCheck(instruction, body, context).run();
}

}  // namespace nestwright::ir
