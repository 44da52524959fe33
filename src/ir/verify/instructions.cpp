// Checks tensor instructions: that the form has them, that their operands are what their bodies access
// (ir/verify/instruction_body.h), that tiles are configured, and that asynchronous products are awaited.
#include <algorithm>
#include <set>
#include <utility>

#include "ir/traversal/quote.h"
#include "ir/verify/checks.h"
#include "ir/verify/instruction_body.h"

namespace nestwright::ir {
namespace {

/// The number of operands of an instruction; of kTileConfigure, rows and bytes of eight tiles.
std::size_t operands_of(TensorOp op) {
  switch (op) {
    case TensorOp::kTileConfigure:
      return 2 * kTileRegisters;
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

bool has_body(TensorOp op) {
  return op != TensorOp::kTileConfigure && op != TensorOp::kTileRelease && op != TensorOp::kWarpgroupAwait;
}

std::vector<std::string> mistakes_of(const TensorInstruction& instruction, const InstructionBody& body,
                                     const InstructionContext& context) {
  switch (instruction.op) {
    case TensorOp::kTileZero:
    case TensorOp::kTileLoad:
    case TensorOp::kTileStore:
    case TensorOp::kTileMultiply:
      return tile_mistakes(instruction, body, context);
    case TensorOp::kFragmentFill:
    case TensorOp::kFragmentLoad:
    case TensorOp::kFragmentLoadTransposed:
    case TensorOp::kFragmentMultiply:
      return fragment_mistakes(instruction, body, context);
    case TensorOp::kWarpgroupFill:
    case TensorOp::kWarpgroupMultiply:
      return warpgroup_mistakes(instruction, body, context);
    case TensorOp::kTileConfigure:
    case TensorOp::kTileRelease:
    case TensorOp::kWarpgroupAwait:
      break;
  }
  return {};
}

class InstructionCheck final : public Visitor {
 public:
  InstructionCheck(const Stmt& kernel, Form form) : form_(form), context_{.layout = FragmentLayout(kernel)} {}
  using Visitor::visit;

  void visit(const Expr& e) override {
    const auto* load = e.defined() ? e.as<Load>() : nullptr;
    if (load != nullptr) require_awaited(load->buffer);
    visit_children(e);
  }

  void visit(const Stmt& s) override {
    if (!s.defined()) return;
    statement_ = &s;
    if (const auto* loop = s.as<For>()) return visit_loop(*loop, s);
    if (const auto* choice = s.as<IfThenElse>()) return visit_choice(*choice, s);
    if (const auto* let = s.as<Let>(); let != nullptr && let->var.type() == kIndex) {
      context_.lets[let->var] = substitute(let->value, context_.lets);
    }
    if (const auto* allocation = s.as<Allocate>()) context_.registers[allocation->buffer] = allocation->offset;
    if (const auto* store = s.as<Store>()) require_awaited(store->buffer);
    if (s.as<Barrier>() != nullptr && !in_flight_.empty()) {
      report("a product of a warpgroup is in flight at a barrier, after which others may store to its factors", s);
    }
    if (const auto* instruction = s.as<TensorInstruction>()) return check(*instruction, s);
    visit_children(s);
  }

  std::vector<std::string> violations;

 private:
  void report(const std::string& what, const Stmt& s) { violations.push_back(what + ", in " + quote(s)); }

  // --- What surrounds the instructions -------------------------------------------------------------------------------

  void visit_loop(const For& loop, const Stmt& s) {
    if (loop.kind == LoopKind::kThreadZ) context_.warps = &loop;
    const bool in_threads = loop.kind == LoopKind::kParallel && !is_const_int(loop.extent, 1);
    const bool changes_tiles = any_stmt(loop.body, [](const Stmt& inner) {
      const auto* instruction = inner.as<TensorInstruction>();
      return instruction != nullptr &&
             (instruction->op == TensorOp::kTileConfigure || instruction->op == TensorOp::kTileRelease);
    });
    const std::optional<TileConfiguration> outside = context_.tiles;
    // Each thread configures tiles of its own. The next iteration of a loop finds what the last one has left.
    if (in_threads || changes_tiles) context_.tiles = std::nullopt;
    const std::set<Buffer> before = in_flight_;
    visit_children(s);
    end_products(before, s);
    if (in_threads) context_.tiles = outside;
  }

  void visit_choice(const IfThenElse& choice, const Stmt& s) {
    visit(choice.condition);
    const std::optional<TileConfiguration> outside = context_.tiles;
    const std::set<Buffer> before = in_flight_;
    visit(choice.then_case);
    end_products(before, s);
    const std::optional<TileConfiguration> after = std::exchange(context_.tiles, outside);
    visit(choice.else_case);
    end_products(before, s);
    if (context_.tiles != after) context_.tiles = std::nullopt;
  }

  // --- Products in flight --------------------------------------------------------------------------------------------

  void require_awaited(const Buffer& buffer) {
    if (in_flight_.contains(buffer)) {
      report("buffer " + buffer->name + " is accessed while a product of a warpgroup that adds to it is in flight",
             *statement_);
    }
  }

  /// Requires that the products which a loop or a case has begun are awaited in it; those from before it stay in
  /// flight.
  void end_products(const std::set<Buffer>& before, const Stmt& s) {
    if (!std::includes(before.begin(), before.end(), in_flight_.begin(), in_flight_.end())) {
      report("a product of a warpgroup is not awaited before the end of the statement that begins it", s);
    }
    in_flight_ = before;
  }

  // --- Instructions --------------------------------------------------------------------------------------------------

  void check(const TensorInstruction& instruction, const Stmt& s) {
    const bool is_of_cpu = is_tile_op(instruction.op);
    if ((form_ == Form::kVector) != is_of_cpu) return report("the target has no such instruction", s);
    if (instruction.operands.size() != operands_of(instruction.op)) {
      return report("the instruction has " + std::to_string(instruction.operands.size()) + " operands", s);
    }
    const bool computes = has_body(instruction.op);
    if (computes != instruction.body.defined()) {
      return report(computes ? "the instruction has no body" : "the instruction has a body", s);
    }
    if (instruction.op == TensorOp::kWarpgroupAwait) in_flight_.erase(instruction.operands[0].buffer);
    if (instruction.op == TensorOp::kTileConfigure) configure(instruction, s);
    if (instruction.op == TensorOp::kTileRelease) context_.tiles = std::nullopt;
    if (!computes) return;
    const InstructionBody body(instruction.body);
    if (body.store == nullptr) return report("the body is no loop nest around one store", s);
    for (const std::string& mistake : mistakes_of(instruction, body, context_)) report(mistake, s);
    // Products that add to the same sums do so in order.
    if (instruction.op == TensorOp::kWarpgroupMultiply) {
      in_flight_.insert(body.store->buffer);
    } else {
      require_awaited(body.store->buffer);
      for (const Element& element : body.loaded()) require_awaited(element.buffer);
    }
  }

  void configure(const TensorInstruction& instruction, const Stmt& s) {
    TileConfiguration tiles{};
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const std::int64_t* number = as_const_int(instruction.operands[i].at);
      if (number == nullptr) return report("rows and bytes of a tile are no constants", s);
      tiles[i / 2][i % 2] = *number;
    }
    context_.tiles = tiles;
  }

  Form form_;
  InstructionContext context_;
  std::set<Buffer> in_flight_;  ///< sums of products that have not been awaited
  const Stmt* statement_ = nullptr;
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
