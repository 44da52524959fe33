// Checks that the operands of tensor instructions are what their bodies access: the place of each operand is derived
// from the body, independently of instruction selection, and compared.
#include <algorithm>
#include <map>
#include <optional>

#include "ir/analysis/fragment_layout.h"
#include "ir/core/linear.h"
#include "ir/core/print.h"
#include "ir/core/rewrite.h"
#include "ir/simplify/vector_access.h"
#include "ir/verify/checks.h"

namespace nestwright::ir {
namespace {

constexpr std::int64_t kTileSide = 16, kTiles = 8, kWarps = 4;

/// The number of operands of an instruction; of kTileConfigure, rows and bytes of eight tiles.
std::size_t operands_of(TensorOp op) {
  switch (op) {
    case TensorOp::kTileConfigure:
      return 2 * kTiles;
    case TensorOp::kTileRelease:
      return 0;
    case TensorOp::kTileZero:
      return 1;
    case TensorOp::kWarpgroupAwait:
      return 2;
    case TensorOp::kTileLoad:
    case TensorOp::kTileStore:
    case TensorOp::kTileMultiply:
    case TensorOp::kFragmentFill:
    case TensorOp::kWarpgroupFill:
      return 3;
    case TensorOp::kFragmentLoad:
    case TensorOp::kFragmentLoadTransposed:
      return 4;
    case TensorOp::kFragmentMultiply:
      return 5;
    case TensorOp::kWarpgroupMultiply:
      return 9;
  }
  return 0;
}

bool is_tile_op(TensorOp op) { return op <= TensorOp::kTileMultiply; }

/// An element that the body accesses.
struct Element {
  Buffer buffer;
  std::vector<Expr> indices;
};

/// The loops of a body around its one store, and what the store accesses, with every loop at its first iteration.
struct Body {
  Substitution first;
  const Store* store = nullptr;

  explicit Body(const Stmt& s) {
    const Stmt* at = &s;
    for (const auto* loop = at->as<For>(); loop != nullptr; loop = at->as<For>()) {
      first[loop->var] = loop->min;
      at = &loop->body;
    }
    store = at->as<Store>();
  }

  Element first_of(const Buffer& buffer, const std::vector<Expr>& indices) const {
    Element element{buffer, {}};
    for (const Expr& index : indices) element.indices.push_back(substitute(index, first));
    return element;
  }
  Element stored() const { return first_of(store->buffer, store->indices); }
  /// The first elements that the value is made of, in the order of the expression.
  std::vector<Element> loaded() const {
    std::vector<Element> elements;
    for_each_expr(store->value, [&](const Expr& e) {
      if (const auto* load = e.as<Load>()) elements.push_back(first_of(load->buffer, load->indices));
    });
    return elements;
  }
};

class InstructionCheck final : public Visitor {
 public:
  InstructionCheck(const Stmt& kernel, Form form) : form_(form), layout_(kernel) {}
  using Visitor::visit;

  void visit(const Stmt& s) override {
    if (!s.defined()) return;
    if (const auto* loop = s.as<For>(); loop != nullptr && loop->kind == LoopKind::kThreadZ) warps_ = loop;
    if (const auto* let = s.as<Let>(); let != nullptr && let->var.type() == kIndex) {
      lets_[let->var] = substitute(let->value, lets_);
    }
    if (const auto* allocation = s.as<Allocate>()) allocations_[allocation->buffer] = allocation->offset;
    if (const auto* instruction = s.as<TensorInstruction>()) return check(*instruction, s);
    visit_children(s);
  }

  std::vector<std::string> violations;

 private:
  void report(const std::string& what, const Stmt& s) { violations.push_back(what + ", in " + quote(s)); }

  void check(const TensorInstruction& instruction, const Stmt& s) {
    const bool is_of_cpu = is_tile_op(instruction.op);
    if ((form_ == Form::kVector) != is_of_cpu) return report("the target has no such instruction", s);
    if (instruction.operands.size() != operands_of(instruction.op)) {
      return report("the instruction has " + std::to_string(instruction.operands.size()) + " operands", s);
    }
    const bool computes = instruction.op != TensorOp::kTileConfigure && instruction.op != TensorOp::kTileRelease &&
                          instruction.op != TensorOp::kWarpgroupAwait;
    if (computes != instruction.body.defined()) {
      return report(computes ? "the instruction has no body" : "the instruction has a body", s);
    }
    if (!computes) return;
    const Body body(instruction.body);
    if (body.store == nullptr) return report("the body is no loop nest around one store", s);
    for (const std::string& mistake : is_of_cpu ? tile_mistakes(instruction, body) : mistakes(instruction, body)) {
      report(mistake, s);
    }
  }

  // --- AMX -----------------------------------------------------------------------------------------------------------

  std::vector<std::string> tile_mistakes(const TensorInstruction& instruction, const Body& body) {
    std::vector<Element> elements = body.loaded();
    // A product reads the sums before it adds to them; what is copied out is the only operand that is read.
    if (instruction.op != TensorOp::kTileMultiply) elements.insert(elements.begin(), body.stored());
    if (instruction.op == TensorOp::kTileStore) std::rotate(elements.begin(), elements.begin() + 1, elements.end());
    const std::size_t tiles = instruction.op == TensorOp::kTileMultiply ? 3 : 1;
    std::vector<std::string> found;
    if (elements.size() < tiles) return {"the body accesses fewer tiles than the instruction"};
    for (std::size_t i = 0; i < tiles; ++i) {
      const auto number = tile_number(elements[i]);
      if (!number || !is_const_int(instruction.operands[i].at, *number)) {
        found.push_back("operand " + std::to_string(i) + " is not the tile that the body accesses");
      }
    }
    const bool moves = instruction.op == TensorOp::kTileLoad || instruction.op == TensorOp::kTileStore;
    if (moves && (elements.size() < 2 || !is_place_of(instruction.operands[1], elements[1]))) {
      found.emplace_back("operand 1 is not where the body accesses memory");
    }
    return found;
  }

  std::optional<std::int64_t> tile_number(const Element& element) const {
    const auto allocation = allocations_.find(element.buffer);
    const std::size_t rank = element.indices.size();
    if (allocation == allocations_.end() || rank < 2) return std::nullopt;
    const std::int64_t* columns = as_const_int(element.buffer->shape[rank - 1]);
    const Linear row = to_linear(element.indices[rank - 2]), column = to_linear(element.indices[rank - 1]);
    if (columns == nullptr || !row.is_constant() || !column.is_constant()) return std::nullopt;
    return allocation->second + row.constant / kTileSide * ((*columns + kTileSide - 1) / kTileSide) +
           column.constant / kTileSide;
  }

  // --- Tensor cores --------------------------------------------------------------------------------------------------

  std::vector<std::string> mistakes(const TensorInstruction& instruction, const Body& body) {
    const std::vector<Operand>& operands = instruction.operands;
    std::vector<Element> elements = body.loaded();
    std::vector<std::string> found;
    const auto expect = [&](std::size_t i, bool fits) {
      if (!fits) found.push_back("operand " + std::to_string(i) + " is not what the body accesses");
    };
    const Element stored = body.stored();
    switch (instruction.op) {
      case TensorOp::kFragmentFill:
        expect(0, is_register_of(operands[0], stored, 0));
        expect(1, is_register_of(operands[1], stored, 1));
        break;
      case TensorOp::kFragmentLoad:
      case TensorOp::kFragmentLoadTransposed:
        expect(0, is_register_of(operands[0], stored, 0));
        expect(1, is_register_of(operands[1], stored, 1));
        expect(2, elements.size() == 1 && is_place_of(operands[2], elements[0]));
        break;
      case TensorOp::kFragmentMultiply: {
        if (elements.size() != 3) return {"the body is no product"};
        expect(0, is_register_of(operands[0], stored, 0));
        expect(1, is_register_of(operands[1], stored, 1));
        std::erase_if(elements, [&](const Element& e) { return e.buffer == stored.buffer; });
        if (elements.size() == 2 && elements[0].buffer != operands[2].buffer) std::swap(elements[0], elements[1]);
        expect(2, elements.size() == 2 && is_register_of(operands[2], elements[0], 0));
        expect(3, elements.size() == 2 && is_register_of(operands[3], elements[0], 1));
        expect(4, elements.size() == 2 && is_register_of(operands[4], elements[1], 0));
        break;
      }
      case TensorOp::kWarpgroupFill:
        expect(0, operands[0].buffer == stored.buffer && is_const_int(operands[0].at, 0));
        break;
      case TensorOp::kWarpgroupMultiply: {
        expect(0, operands[0].buffer == stored.buffer && is_const_int(operands[0].at, 0));
        expect(1, operands[1].buffer == stored.buffer && is_const_int(operands[1].at, instruction.columns / 4));
        std::erase_if(elements, [&](const Element& e) { return e.buffer == stored.buffer; });
        if (elements.size() == 2 && elements[0].buffer != operands[2].buffer) std::swap(elements[0], elements[1]);
        expect(2, elements.size() == 2 && is_place_of_group(operands[2], elements[0]));
        expect(5, elements.size() == 2 && is_place_of_group(operands[5], elements[1]));
        break;
      }
      case TensorOp::kTileConfigure:
      case TensorOp::kTileRelease:
      case TensorOp::kTileZero:
      case TensorOp::kTileLoad:
      case TensorOp::kTileStore:
      case TensorOp::kTileMultiply:
      case TensorOp::kWarpgroupAwait:
        break;
    }
    return found;
  }

  /// Whether the operand is the first register of the matrix that begins with `element`, or of the one below it.
  bool is_register_of(const Operand& operand, const Element& element, int rows_below) const {
    const Buffer& buffer = element.buffer;
    const int rank = buffer->rank();
    if (operand.buffer != buffer || rank < 2) return false;
    const auto matrix = [&](int d) {
      return element.indices[static_cast<std::size_t>(d)] / Expr(layout_.side(buffer, d));
    };
    MatrixPosition position{matrix(rank - 2), matrix(rank - 1)};
    if (layout_.reduces_last(buffer) == false) std::swap(position.row, position.column);
    for (int d = 0; d < rank - 2; ++d) {
      position.slice = position.slice * Expr(fragment_extent(buffer, d)) + element.indices[static_cast<std::size_t>(d)];
    }
    return are_equal(operand.at, layout_.register_of(buffer, position, rows_below), {});
  }

  bool is_place_of(const Operand& operand, const Element& element) const {
    return operand.buffer == element.buffer &&
           are_equal(operand.at, element_offset(element.buffer, element.indices), {});
  }

  /// Whether the operand is, for all warps of a group, where its first warp begins.
  bool is_place_of_group(const Operand& operand, const Element& element) const {
    const std::int64_t* warps = warps_ != nullptr ? as_const_int(warps_->extent) : nullptr;
    if (operand.buffer != element.buffer || warps == nullptr) return false;
    const Var group("group"), warp("warp");
    Ranges known;
    known.bind(group, {0, *warps / kWarps - 1});
    known.bind(warp, {0, kWarps - 1});
    const Expr offset = substitute(element_offset(element.buffer, element.indices), lets_);
    const Expr of_first = substitute(offset, {{warps_->var, group * Expr(kWarps)}});
    const Expr of_any = substitute(substitute(operand.at, lets_), {{warps_->var, group * Expr(kWarps) + warp}});
    return are_equal(of_first, of_any, known);
  }

  bool are_equal(const Expr& a, const Expr& b, const Ranges& known) const {
    const Expr distance = substitute(a, lets_) - substitute(b, lets_);
    const Linear sum = to_linear(distance);
    return (sum.is_constant() && sum.constant == 0) || is_const_int(simplify(distance, known), 0);
  }

  Form form_;
  FragmentLayout layout_;
  const For* warps_ = nullptr;  ///< the loop over threadIdx.z
  Substitution lets_;
  std::map<Buffer, std::int64_t> allocations_;  ///< offsets; of tiles the number of the first register
};

}  // namespace

std::vector<std::string> check_instructions(const Program& program, Form form) {
  std::vector<std::string> violations;
  if (form == Form::kLoop) return violations;
  for (const Kernel& kernel : program.kernels) {
    const bool has_any = any_stmt(kernel.body, [](const Stmt& s) { return s.as<TensorInstruction>() != nullptr; });
    if (!has_any) continue;
    InstructionCheck checker(kernel.body, form);
    checker.visit(kernel.body);
    violations.insert(violations.end(), checker.violations.begin(), checker.violations.end());
  }
  return violations;
}

}  // namespace nestwright::ir
