// transform_layout: stores a cache in another layout, packed for its readers, or the result of another stage with its
// dimensions permuted.
//
//   for i in 0..m:                           for j / c in 0..ceil(n / c):
//     for j in 0..n:                    ->     for i in 0..m:
//       B.cache[i, j] = B[i, j]                  for j % c in 0..c:
//                                                  B.cache[j / c, i, j % c] = j < n ? B[i, j] : 0
//
// for the layout (j / c, i, j % c). Readers keep their indices, which the lowering maps. The last tiles are padded with
// zeros, so that bodies need no test.
//
// Preconditions:
//  1. The tensor is not an output, and its stage is neither a scan nor stored in one: the layout would change the
//     signature, or the memory that the scan's steps share.
//  2. No primitive was applied to its stage, and no other stage is computed inside it.
//  3. Every index is an axis, axis / c or axis % c, with a constant c of at least 2.
//  4. Every axis occurs either whole, once, or as the pair axis / c and axis % c with the same c.
//  5. The time axis of a stage in a scan's step is whole: padding it would store rows of later steps.
//  6. If the tensor was not made by cache_read, all axes are whole: what lies past them could not be computed.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "nestwright/error.h"
#include "nestwright/program.h"
#include "schedule/primitives/primitive.h"

namespace nestwright {
namespace {

/// One stored dimension.
struct Index {
  std::size_t axis = 0;
  enum class Part { kWhole, kTile, kPosition } part = Part::kWhole;
  std::int64_t factor = 0;
};

std::size_t axis_number(const Primitive& primitive, const Expr& e, const Expr& whole) {
  const auto& axes = primitive.stage().op.compute()->axes;
  if (const auto* ref = e.as<ir::VarRef>()) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (axes[a].var() == ref->var) return a;
    }
  }
  primitive.refuse(primitive.stage().name,
                   fmt::format("index {} of the layout is none of axis, axis / c and axis % c", ir::to_string(whole)));
}

Index parse_index(const Primitive& primitive, const Expr& e) {
  if (!e.defined()) primitive.refuse(primitive.stage().name, "an index of the layout is undefined");
  const auto* binary = e.as<ir::Binary>();
  if (binary == nullptr || (binary->op != ir::BinaryOp::kDiv && binary->op != ir::BinaryOp::kMod)) {
    return {axis_number(primitive, e, e), Index::Part::kWhole, 0};
  }
  const std::int64_t* factor = ir::as_const_int(binary->b);
  if (factor == nullptr || *factor < 2) {
    primitive.refuse(
        primitive.stage().name,
        fmt::format("index {} of the layout divides by something that is no constant of at least 2", ir::to_string(e)));
  }
  const auto part = binary->op == ir::BinaryOp::kDiv ? Index::Part::kTile : Index::Part::kPosition;
  return {axis_number(primitive, binary->a, e), part, *factor};
}

void check_complete(const Primitive& primitive, const std::vector<Index>& indices) {
  const auto& axes = primitive.stage().op.compute()->axes;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    int whole = 0, tile = 0, position = 0;
    std::set<std::int64_t> factors;
    for (const Index& index : indices) {
      if (index.axis != a) continue;
      whole += index.part == Index::Part::kWhole ? 1 : 0;
      tile += index.part == Index::Part::kTile ? 1 : 0;
      position += index.part == Index::Part::kPosition ? 1 : 0;
      factors.insert(index.factor);
    }
    const bool once = whole == 1 && tile == 0 && position == 0;
    const bool pair = whole == 0 && tile == 1 && position == 1 && factors.size() == 1;
    if (!once && !pair) {
      primitive.refuse(axes[a], "a layout has each axis either whole, once, or as the pair axis / c and axis % c");
    }
    if (pair && is_time_axis(primitive.state(), primitive.index(), axes[a])) {
      primitive.refuse(axes[a], fmt::format("it is the time of a step of scan {}, which has no tiles: keep it whole",
                                            primitive.scan_name()));
    }
  }
}

std::string index_text(const Index& index) {
  switch (index.part) {
    case Index::Part::kWhole:
      return std::to_string(index.axis);
    case Index::Part::kTile:
      return fmt::format("{}/{}", index.axis, index.factor);
    case Index::Part::kPosition:
      return fmt::format("{}%{}", index.axis, index.factor);
  }
  throw InternalError("internal error: unknown part of a layout");
}

}  // namespace

std::vector<IterVar> Schedule::transform_layout(const Tensor& cache,
                                                const std::function<std::vector<Expr>(std::span<const Expr>)>& layout) {
  const Primitive primitive(own_state(), "transform_layout", cache);
  StageState& stage = primitive.stage();
  if (stage.is_output) {
    primitive.refuse(stage.name, "it is an output, whose layout is the caller's: give one to its cache instead");
  }
  primitive.require_no_part({ScanPart::kScan, ScanPart::kInit, ScanPart::kUpdate},
                            "whose rows are in the scan's memory, which keeps its layout");
  primitive.require_unscheduled("change its layout first");
  const std::vector<IterVar> axes = stage.op.compute()->axes;
  const std::vector<Expr> arguments(axes.begin(), axes.end());
  if (!layout) primitive.refuse(stage.name, "there is no function that gives its layout");
  std::vector<Index> indices;
  for (const Expr& e : layout(arguments)) indices.push_back(parse_index(primitive, e));
  check_complete(primitive, indices);
  for (const Index& index : indices) {
    if (stage.copy_of.defined() || index.part == Index::Part::kWhole) continue;
    primitive.refuse(axes[index.axis],
                     "only a copy made by cache_read has whole tiles: what is computed has none past "
                     "its last element, so keep the axis whole");
  }

  std::vector<std::string> trace = {stage.name};
  std::vector<LayoutRelation> pairs(axes.size());
  std::vector<IterVar> loops;
  for (const Index& index : indices) {
    trace.push_back(index_text(index));
    const IterVar& axis = axes[index.axis];
    if (index.part == Index::Part::kWhole) {
      loops.push_back(axis);
      continue;
    }
    LayoutRelation& pair = pairs[index.axis];
    if (!pair.axis.defined()) {
      pair = {axis, make_loop(axis.name() + ".outer", (axis.extent() - 1) / Expr(index.factor) + 1, axis),
              make_loop(axis.name() + ".inner", Expr(index.factor), axis), index.factor};
    }
    loops.push_back(index.part == Index::Part::kTile ? pair.outer : pair.inner);
  }
  for (const LayoutRelation& pair : pairs) {
    if (!pair.axis.defined()) continue;
    stage.named.push_back(pair.outer);
    stage.named.push_back(pair.inner);
    stage.relations.emplace_back(pair);
  }
  stage.layout = loops;
  // The loops of a reduction stay inside.
  std::copy_if(stage.leaves.begin(), stage.leaves.end(), std::back_inserter(loops),
               [](const IterVar& leaf) { return leaf.is_reduce(); });
  stage.leaves = loops;
  primitive.record(std::move(trace));
  return stage.layout;
}

}  // namespace nestwright
