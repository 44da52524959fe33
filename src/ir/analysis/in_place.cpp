#include "ir/analysis/in_place.h"

#include <algorithm>

#include "ir/analysis/bounds.h"
#include "ir/analysis/symbol_ranges.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"

namespace nestwright::ir {
namespace {

bool same_expressions(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) { return equal(x, y); });
}

bool has_same_layout(const Buffer& a, const Buffer& b) {
  return a->element == b->element && same_expressions(a->shape, b->shape) && same_expressions(a->strides, b->strides);
}

/// Visits the stores to an output with the loops around each.
class InPlaceCheck {
 public:
  InPlaceCheck(const Buffer& output, const Buffer& input) : output_(output), input_(input) {}

  void walk(const Stmt& stmt, const Ranges& known) {
    if (!stmt.defined()) return;
    if (const auto* loop = stmt.as<For>()) {
      Ranges inside = known;
      inside.bind(loop->var, loop->min, loop->extent);
      loops_.push_back(loop->var);
      walk(loop->body, inside);
      loops_.pop_back();
    } else if (const auto* block = stmt.as<Block>()) {
      for (std::size_t i = 0; i < block->stmts.size(); ++i) {
        check_stored_once(*block, i);
        walk(block->stmts[i], known);
      }
    } else if (const auto* let = stmt.as<Let>()) {
      walk(let->body, known);
    } else if (const auto* branch = stmt.as<IfThenElse>()) {
      Ranges holds = known, fails = known;
      if (branch->condition.type().is_scalar()) {
        holds.assume(branch->condition);
        fails.assume_not(branch->condition);
      }
      walk(branch->then_case, holds);
      walk(branch->else_case, fails);
    } else if (const auto* allocate = stmt.as<Allocate>()) {
      walk(allocate->body, known);
    } else if (const auto* store = stmt.as<Store>(); store != nullptr && store->buffer == output_) {
      check_store(*store, known);
    }
  }

  bool is_written_once = true;     ///< whether every store writes each element once
  std::size_t loads_in_place = 0;  ///< loads of the input that read the element that is written

 private:
  void check_store(const Store& store, const Ranges& known) {
    for (const Var& loop : loops_) {
      if (known.find(loop).is_point()) continue;  // the branch of a tail, or a loop of one iteration
      // If two iterations wrote the same element, the second would read the result of the first.
      is_written_once = is_written_once && std::any_of(store.indices.begin(), store.indices.end(),
                                                       [&](const Expr& index) { return mentions(index, loop); });
    }
    for_each_expr(store.value, [&](const Expr& part) {
      const auto* load = part.as<Load>();
      if (load != nullptr && load->buffer == input_ && same_expressions(load->indices, store.indices)) ++loads_in_place;
    });
  }

  /// If two statements store the same element, the second would read what the first has stored.
  void check_stored_once(const Block& block, std::size_t second) {
    const auto store_of = [&](const Stmt& stmt) {
      const Stmt* inside = &stmt;
      while (const auto* let = inside->as<Let>()) inside = &let->body;
      const auto* store = inside->as<Store>();
      return store != nullptr && store->buffer == output_ ? store : nullptr;
    };
    const Store* const later = store_of(block.stmts[second]);
    for (std::size_t first = 0; later != nullptr && first < second; ++first) {
      const Store* const earlier = store_of(block.stmts[first]);
      if (earlier != nullptr && same_expressions(earlier->indices, later->indices)) is_written_once = false;
    }
  }

  const Buffer& output_;
  const Buffer& input_;
  std::vector<Var> loops_;
};

bool is_in_place(const Program& program, const Buffer& output, const Buffer& input) {
  InPlaceCheck stores(output, input);
  std::size_t loads = 0, loads_of_output = 0;
  for (const Kernel& kernel : program.kernels) {
    stores.walk(kernel.body, ranges_of_symbols(program));
    for_each_expr(kernel.body, [&](const Expr& part) {
      const auto* load = part.as<Load>();
      if (load == nullptr) return;
      if (load->buffer == input) ++loads;
      if (load->buffer == output) ++loads_of_output;
    });
  }
  return loads > 0 && loads_of_output == 0 && stores.is_written_once && stores.loads_in_place == loads;
}

}  // namespace

int find_in_place_input(const Program& program, int output) {
  const Buffer& written = program.parameters[static_cast<std::size_t>(output)].buffer;
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const Parameter& input = program.parameters[i];
    if (input.role != Role::kInput || !has_same_layout(written, input.buffer)) continue;
    if (is_in_place(program, written, input.buffer)) return static_cast<int>(i);
  }
  return -1;
}

bool may_share_memory(const Program& program, const Buffer& parameter) {
  for (const Parameter& output : program.parameters) {
    if (output.in_place_of < 0) continue;
    if (output.buffer == parameter) return true;
    if (program.parameters[static_cast<std::size_t>(output.in_place_of)].buffer == parameter) return true;
  }
  return false;
}

}  // namespace nestwright::ir
