#include "codegen/source/warpgroup_product.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/source/expression.h"
#include "ir/analysis/warp.h"
#include "ir/core/linear.h"
#include "ir/core/rewrite.h"
#include "support/error.h"

namespace nestwright::codegen {
namespace {

using namespace ir;
using Loops = std::vector<const For*>;

constexpr std::int64_t kWarpRows = 16, kWarps = 4, kMostColumns = 256;
constexpr std::int64_t kStepBytes = 32;  ///< of the reduction, of one instruction
constexpr std::int64_t kCoreRows = 8, kRowBytes = 16;
constexpr std::int64_t kMostDistance = 1 << 18;  ///< bytes, which a descriptor has room for

[[noreturn]] void refuse(const Buffer& buffer, const std::string& why) {
  throw CompileError(fmt::format("buffer {} is multiplied by a warpgroup, but {}", buffer->name, why));
}

/// Of elements along one dimension of a matrix: of neighbours in a core, and of one core and the next.
struct Distances {
  std::int64_t inside = 0, cores = 0;
};

std::int64_t extent_of(const For& loop) {
  const std::int64_t* extent = as_const_int(loop.extent);
  return extent != nullptr && is_const_int(loop.min, 0) ? *extent : 0;
}

/// Elements that the loops step through. 0 where that is no constant.
std::int64_t count_of(const Loops& loops) {
  std::int64_t count = 1;
  for (const For* loop : loops) count *= extent_of(*loop);
  return count;
}

/// How far the sum moves with one dimension, by whose loops: one, or one over cores of `core` and one inside these.
Distances distances(const Linear& sum, const Loops& loops, std::int64_t core, const Buffer& of) {
  if (loops.size() == 1) return {sum.coefficient(loops[0]->var), core * sum.coefficient(loops[0]->var)};
  if (loops.size() != 2 || extent_of(*loops[1]) != core) {
    refuse(of, fmt::format("a dimension of it has other loops than one over cores and one inside them: split it by {}",
                           core));
  }
  return {sum.coefficient(loops[1]->var), sum.coefficient(loops[0]->var)};
}

bool moves(const Linear& sum, const Loops& loops) {
  return std::any_of(loops.begin(), loops.end(), [&](const For* loop) { return sum.coefficient(loop->var) != 0; });
}

/// What is left of the sum without the loops. Throws CompileError where it moves with them otherwise than by constants.
Linear without(Linear sum, const Loops& loops, const Buffer& of) {
  for (const For* loop : loops) {
    if (sum.hides(loop->var))
      refuse(of, fmt::format("it is not read at constant distances along {}", loop->var.name()));
    sum.add_term(loop->var, -sum.coefficient(loop->var));
  }
  return sum;
}

/// The loops by what they step through: rows and columns of the sums, and the reduction.
struct Dimensions {
  Loops rows, columns, steps;

  Dimensions(const Loops& loops, const Store& store) {
    const Buffer& sums = store.buffer;
    const std::size_t rank = store.indices.size();
    if (rank < 2) refuse(sums, "it is no matrix");
    const Linear row = to_linear(store.indices[rank - 2]), column = to_linear(store.indices[rank - 1]);
    for (const For* loop : loops) {
      const bool is_row = row.coefficient(loop->var) != 0, is_column = column.coefficient(loop->var) != 0;
      (is_row ? rows : is_column ? columns : steps).push_back(loop);
    }
    // All of the fragment, whose registers are in the order of the instruction's.
    const auto has_all = [&](const Linear& index, const Loops& of) {
      const Distances found = distances(index, of, kCoreRows, sums);
      const Linear rest = without(index, of, sums);
      return found.inside == 1 && found.cores == kCoreRows && rest.is_constant() && rest.constant == 0;
    };
    const bool is_whole = count_of(rows) == kWarpRows && sums->elements() == kWarpRows * count_of(columns) &&
                          has_all(row, rows) && has_all(column, columns);
    if (!is_whole || count_of(columns) % 16 != 0 || count_of(columns) > kMostColumns) {
      refuse(sums,
             "a warp adds to another part of it than 16 rows by a multiple of 16 columns up to 256, and all of them: "
             "split its rows by 64, then by 16");
    }
  }
};

struct Operand {
  Expr at;                     ///< the first element of the group's matrix
  std::int64_t along, across;  ///< bytes from a core to the next one
  bool rows_across;            ///< rows run across the reduction
};

/// Of the first warp of the group, which `at` must differ from by `of_warp` elements for each other one.
Expr at_group(const Linear& at, const WarpIndex& warps, std::int64_t of_warp, const Buffer& of) {
  const Var group("group"), warp("warp");
  Ranges known;
  known.bind(group, {0, warps.count / kWarps - 1});
  known.bind(warp, {0, kWarps - 1});
  const Expr number = group * Expr(kWarps) + warp;
  const Expr split = simplify(substitute(substitute(at.expr(), warps.made_of), {{warps.var, number}}), known);
  Linear rest = to_linear(split);
  rest.add_term(warp, -of_warp);
  if (rest.coefficient(warp) != 0 || rest.hides(warp)) {
    refuse(of,
           "its rows are not those of four warps, one behind the other: bind the inner part of a split by 4 of "
           "rows by 16 to threadIdx.z, innermost of what is fused there");
  }
  return substitute(rest.expr(), {{group, Expr(warps.var) / Expr(kWarps)}});
}

Operand operand(const Load& load, const Loops& across, const Loops& steps, const WarpIndex& warps, bool is_a) {
  const Buffer& buffer = load.buffer;
  if (load.mask.defined()) refuse(buffer, "it is not read as it lies in shared memory: compute it before");
  const std::int64_t bytes = buffer->element.bytes(), row = kRowBytes / bytes;
  const Linear offset = to_linear(element_offset(buffer, load.indices));
  Loops loops = across;
  loops.insert(loops.end(), steps.begin(), steps.end());
  const Linear first = without(offset, loops, buffer);
  Distances x = distances(offset, across, kCoreRows, buffer), k = distances(offset, steps, row, buffer);
  const bool rows_across = x.inside == 1;
  const bool has_cores = rows_across ? bytes == 2 && k.inside == row : k.inside == 1 && x.inside == row;
  const auto fits = [&](std::int64_t distance) {
    return distance > 0 && distance % row == 0 && distance * bytes < kMostDistance;
  };
  if (!has_cores || !fits(x.cores) || !fits(k.cores)) {
    refuse(buffer, fmt::format("it is not made up of 8 rows of 16 bytes in one piece: store its element [i, k] at "
                               "[k / {0}, i, k % {0}]{1}",
                               row, bytes == 2 ? " or [i / 8, k, i % 8]" : ""));
  }
  const Expr at = at_group(first, warps, is_a ? 2 * x.cores : 0, buffer);
  const Linear begin = to_linear(at);
  const bool is_aligned =
      begin.constant % row == 0 && std::all_of(begin.terms.begin(), begin.terms.end(),
                                               [&](const LinearTerm& term) { return term.coefficient % row == 0; });
  if (!is_aligned) refuse(buffer, "it does not begin at multiples of 16 bytes");
  return {at, k.cores * bytes, x.cores * bytes, rows_across};
}

/// Looks for products that not all warps of a group come to.
class Ways final : public Visitor {
 public:
  explicit Ways(const std::set<Buffer>& sums) : sums_(sums) {}

  using Visitor::visit;

  void visit(const Stmt& s) override {
    if (!s.defined()) return;
    if (const auto* loop = s.as<For>()) return group_.within(*loop, [&] { visit(loop->body); });
    if (const auto* choice = s.as<IfThenElse>()) {
      return group_.within(*choice, [&] {
        visit(choice->then_case);
        visit(choice->else_case);
      });
    }
    if (const auto* let = s.as<Let>()) group_.define(*let);
    if (const auto* store = s.as<Store>(); store != nullptr && is_product(*store) && !group_.parting().empty()) {
      refuse(store->buffer, fmt::format("{} around it may differ between the group's threads: compute whole tiles, and "
                                        "test threadIdx where they are stored",
                                        group_.parting()));
    }
    visit_children(s);
  }

 private:
  /// All that is stored to the sums but what they are filled with.
  bool is_product(const Store& store) const {
    return sums_.contains(store.buffer) && store.value.as<Binary>() != nullptr;
  }

  const std::set<Buffer>& sums_;
  WarpView group_{kWarps * kWarp};
};

}  // namespace

FragmentCall warpgroup_product(const std::vector<const For*>& loops, const Store& store, const Load& first,
                               const Load& second, const WarpIndex& warps) {
  if (!warps.var.defined() || warps.count % kWarps != 0) {
    refuse(store.buffer, "no loop over a multiple of 4 warps is bound to threadIdx.z");
  }
  const Dimensions of(loops, store);
  const bool first_is_a = moves(to_linear(element_offset(first.buffer, first.indices)), of.rows);
  const Load &a = first_is_a ? first : second, &b = first_is_a ? second : first;
  const std::int64_t bytes = a.buffer->element.bytes(), steps = count_of(of.steps);
  if (steps == 0 || steps * bytes % kStepBytes != 0) {
    refuse(a.buffer,
           fmt::format("the reduction goes on in other steps than multiples of {}: split it so", kStepBytes / bytes));
  }
  const auto stays = [&](const Load& load, const Loops& where) {
    if (moves(to_linear(element_offset(load.buffer, load.indices)), where)) {
      refuse(load.buffer, "both rows and columns of the sums move along it");
    }
  };
  stays(a, of.columns);
  stays(b, of.rows);
  const Operand left = operand(a, of.rows, of.steps, warps, true),
                right = operand(b, of.columns, of.steps, warps, false);
  const std::int64_t columns = count_of(of.columns);
  const auto number = [](std::int64_t value) { return FragmentCall::Argument{{}, Expr(value)}; };
  return {FragmentCall::Kind::kMultiplyShared,
          {{store.buffer, Expr(0)},
           {store.buffer, Expr(columns / 4)},
           {a.buffer, left.at},
           number(left.along),
           number(left.across),
           {b.buffer, right.at},
           number(right.along),
           number(right.across),
           number(steps * bytes / kStepBytes)},
          a.buffer->element,
          columns,
          left.rows_across,
          right.rows_across};
}

FragmentCall warpgroup_fill(const std::vector<const For*>& loops, const Store& store) {
  const Buffer& sums = store.buffer;
  const bool is_constant = store.value.as<FloatImm>() != nullptr || store.value.as<IntImm>() != nullptr;
  if (!is_constant || store.mask.defined()) {
    refuse(sums, "something else than a constant is stored to it: compute that where the sums are read");
  }
  const Dimensions of(loops, store);
  if (!of.steps.empty()) refuse(sums, "it is filled again and again: take the loops apart that it does not move with");
  return {FragmentCall::Kind::kFillAll,
          {{sums, Expr(0)}, {{}, Expr(sums->elements() / kWarp)}, {{}, store.value}},
          sums->element};
}

void require_whole_warpgroups(const Stmt& kernel, const std::set<Buffer>& sums) {
  if (!sums.empty()) Ways(sums).visit(kernel);
}

}  // namespace nestwright::codegen
