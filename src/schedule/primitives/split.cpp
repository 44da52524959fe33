// split: one loop becomes two nested ones.
//
//   for p in 0..n:            for p.outer in 0..ceil(n / factor):
//     body(p)          ->       for p.inner in 0..factor:
//                                 if p.outer*factor + p.inner < n:       (depends on the tail strategy: tail.h)
//                                   body(p.outer*factor + p.inner)
//
// With nparts, factor = ceil(n / nparts), where n is the extent of the loop in the region that is computed.
// With Tail::compose({f, g}), c tiles of f are followed by d tiles of g, where c*f + d*g = n, and no test remains.
//
// A stage that is computed at the loop is computed at p.inner from then on.
//
// Preconditions:
//  1. `loop` is a leaf of the stage, not annotated, and no prefetch, pragma or blocked reduction refers to it.
//  2. The factor is at least 1 and may exceed the extent. nparts is at least 1 and requires a constant extent.
//  3. partition: the extent is constant.
//  4. compose: the extent is constant, and there are one to four different positive segments, multiples of which add up
//     to it; the size is either the segments themselves or the first or the largest of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "schedule/primitives/primitive.h"

namespace nestwright {
namespace {

constexpr std::size_t kMaxSegments = 4;  // the search for the counts is exponential in their number

void compose(const Primitive& primitive, const IterVar& loop, const SplitSize& size, SplitRelation& relation) {
  const std::vector<std::int64_t>& segments = relation.tail.segments;
  if (segments.empty() || segments.size() > kMaxSegments) {
    primitive.refuse(loop, fmt::format("compose takes one to {} segments, not {}", kMaxSegments, segments.size()));
  }
  for (const std::int64_t segment : segments) {
    if (segment < 1) primitive.refuse(loop, fmt::format("segment {} of compose is below 1", segment));
    if (std::count(segments.begin(), segments.end(), segment) > 1) {
      primitive.refuse(loop, fmt::format("segment {} of compose is named twice", segment));
    }
  }
  const std::int64_t largest = *std::max_element(segments.begin(), segments.end());
  const bool agrees = size.factors == segments ||
                      (size.factors.size() == 1 && (size.factors[0] == segments[0] || size.factors[0] == largest));
  if (size.nparts != 0 || !agrees) {
    primitive.refuse(
        loop, fmt::format("the factor of a split with {} is its first segment, {}", relation.tail.str(), segments[0]));
  }
  const std::int64_t extent = primitive.require_constant(loop, "a composed split needs a constant; use another tail");
  const std::vector<std::int64_t> counts = compose_counts(extent, segments);
  if (counts.empty()) {
    primitive.refuse(loop,
                     fmt::format("no multiples of {} add up to its extent of {}: use other segments or another tail",
                                 fmt::join(segments, " and "), extent));
  }
  std::int64_t tiles = 0, widest = 0;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    if (counts[s] == 0) continue;
    relation.factors.push_back(segments[s]);
    relation.counts.push_back(counts[s]);
    tiles += counts[s];
    widest = std::max(widest, segments[s]);
  }
  relation.outer = make_loop(loop.name() + ".outer", Expr(tiles), loop);
  relation.inner = make_loop(loop.name() + ".inner", Expr(widest), loop);
}

/// The inner extent. Refuses invalid sizes.
std::int64_t inner_extent(const Primitive& primitive, const IterVar& loop, const SplitSize& size) {
  if (size.nparts != 0) {
    if (!size.factors.empty()) primitive.refuse(loop, "give a factor or a number of parts, not both");
    if (size.nparts < 1) primitive.refuse(loop, fmt::format("{} parts: there is at least 1", size.nparts));
    const std::int64_t extent = primitive.require_constant(loop, "split it by a factor");
    return (extent - 1) / size.nparts + 1;
  }
  if (size.factors.size() != 1) {
    primitive.refuse(loop, size.factors.empty() ? "neither a factor nor a number of parts is given"
                                                : "several factors need Tail::compose of the same ones");
  }
  if (size.factors[0] < 1) primitive.refuse(loop, fmt::format("factor {} is below 1", size.factors[0]));
  return size.factors[0];
}

}  // namespace

SplitRelation plan_split(const Primitive& primitive, const IterVar& loop, const SplitSize& size, const Tail& tail) {
  primitive.position(loop);
  primitive.require_replaceable(loop);
  SplitRelation relation{.parent = loop, .tail = tail};
  if (tail.kind == TailKind::kCompose) {
    compose(primitive, loop, size, relation);
    return relation;
  }
  const std::int64_t inner = inner_extent(primitive, loop, size);
  if (tail.kind == TailKind::kPartition) {
    primitive.require_constant(loop, "a partitioned tail needs a constant; use predicate or guard");
  }
  const std::int64_t* extent = ir::as_const_int(loop.extent());
  // Not (extent + inner - 1) / inner, which overflows for a huge factor.
  const Expr outer = extent != nullptr ? Expr((*extent - 1) / inner + 1) : (loop.extent() - 1) / Expr(inner) + 1;
  relation.factors = {inner};
  relation.nparts = size.nparts;
  relation.outer = make_loop(loop.name() + ".outer", outer, loop);
  relation.inner = make_loop(loop.name() + ".inner", Expr(inner), loop);
  return relation;
}

void apply_split(StageState& stage, const SplitRelation& relation) {
  const auto at = std::find(stage.leaves.begin(), stage.leaves.end(), relation.parent);
  const auto inner = stage.leaves.insert(at + 1, relation.inner);
  *(inner - 1) = relation.outer;
  stage.named.push_back(relation.outer);
  stage.named.push_back(relation.inner);
  stage.relations.emplace_back(relation);
}

std::string to_string(const SplitSize& size) {
  return size.nparts != 0 ? fmt::format("nparts={}", size.nparts)
                          : fmt::format("factor={}", fmt::join(size.factors, ","));
}

std::pair<IterVar, IterVar> Stage::split(const IterVar& loop, SplitSize size, Tail tail) {
  const Primitive primitive(*state_, "split", origin_);
  const SplitRelation relation = plan_split(primitive, loop, size, tail);
  const std::string label = primitive.label(loop);
  apply_split(primitive.stage(), relation);
  primitive.move_attached(relation.parent, relation.inner);
  primitive.record({label, to_string(size), "tail=" + tail.str()});
  return {relation.outer, relation.inner};
}

}  // namespace nestwright
