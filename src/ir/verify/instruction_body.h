// The loop nest that defines a tensor instruction, taken apart for the checks of its operands, and these checks. They
// derive each operand from the body, independently of instruction selection, and compare it. Private to ir/.
// Thread rule: values and pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/gpu/fragment_layout.h"
#include "ir/traversal/rewrite.h"

namespace nestwright::ir {

/// An element that the body accesses, in terms of the variables of its loops.
struct Element {
  Buffer buffer;
  std::vector<Expr> indices;
};

/// The loops of a body around its one store, and what the store accesses.
struct InstructionBody {
  std::vector<const For*> loops;  ///< outermost first
  const Store* store = nullptr;   ///< nullptr: the body is no such nest

  explicit InstructionBody(const Stmt& s);

  Element stored() const { return {store->buffer, store->indices}; }
  /// The elements that the value is made of, in the order of the expression.
  std::vector<Element> loaded() const;
  /// The elements that are multiplied and added to those that are stored, the one of `a` first; nullopt unless there
  /// are two.
  std::optional<std::array<Element, 2>> factors(const Buffer& a) const;
  /// The value of an expression at the first iteration of every loop.
  Expr first_of(const Expr& e) const;
  /// By how much the expression grows from one iteration of the loop to the next; nullopt if that is not constant.
  std::optional<std::int64_t> step_of(const Expr& e, const For& loop) const;
  /// The number of values that the expression takes; nullopt unless it is constant, at most one loop changes the value,
  /// and each iteration adds one.
  std::optional<std::int64_t> count_of(const Expr& e) const;
};

inline constexpr std::size_t kTileRegisters = 8;

/// Rows and bytes per row of the tiles that are configured.
using TileConfiguration = std::array<std::array<std::int64_t, 2>, kTileRegisters>;

/// What surrounds an instruction.
struct InstructionContext {
  FragmentLayout layout;
  const For* warps = nullptr;                ///< the loop over threadIdx.z
  Substitution lets;                         ///< values of the index variables in scope
  std::map<Buffer, std::int64_t> registers;  ///< the first tile register of each buffer
  std::optional<TileConfiguration> tiles;    ///< nullopt: none, or one that depends on the path to the instruction

  bool are_equal(const Expr& a, const Expr& b, const Ranges& known = {}) const;
  /// Whether the operand is where `element` lies in memory.
  bool is_place_of(const Operand& operand, const Element& element, const InstructionBody& body) const;
  /// Whether the operand is the first register of the matrix that begins with `element`, or of the one below it.
  bool is_register_of(const Operand& operand, const Element& element, const InstructionBody& body,
                      int rows_below) const;
};

/// What the checks of operands share: the instruction and what they found wrong with it.
class OperandCheck {
 protected:
  OperandCheck(const TensorInstruction& instruction, const InstructionBody& body, const InstructionContext& context)
      : instruction_(instruction), body_(body), context_(context) {}

  void expect(std::size_t operand, bool fits) {
    if (!fits) found_.push_back("operand " + std::to_string(operand) + " is not what the body accesses");
  }
  void expect_type(Type type) {
    if (instruction_.type != type) found_.emplace_back("the type is not that of the elements that the body accesses");
  }

  const TensorInstruction& instruction_;
  const InstructionBody& body_;
  const InstructionContext& context_;
  std::vector<std::string> found_;
};

// What is wrong with the operands of an instruction of AMX, of a warp and of a warpgroup, one clause each. Require as
// many operands as the instruction has, and a body with a store.
std::vector<std::string> tile_mistakes(const TensorInstruction& instruction, const InstructionBody& body,
                                       const InstructionContext& context);
std::vector<std::string> fragment_mistakes(const TensorInstruction& instruction, const InstructionBody& body,
                                           const InstructionContext& context);
std::vector<std::string> warpgroup_mistakes(const TensorInstruction& instruction, const InstructionBody& body,
                                            const InstructionContext& context);

}  // namespace nestwright::ir
