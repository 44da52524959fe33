#include "lower/nest/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ir/simplify/simplify.h"
#include "nestwright/error.h"
#include "schedule/state/attachment.h"

namespace nestwright {

using ir::as_const_int;
using ir::Expr;
using ir::Linear;

namespace {

/// Whether `part` is certainly inside of `whole`. A read under a condition may be outside where the condition fails.
bool is_part(const std::vector<Span>& part, const std::vector<Span>& whole) {
  for (std::size_t d = 0; d < whole.size(); ++d) {
    const ir::Expr is_inside =
        part[d].min >= whole[d].min && part[d].min + part[d].extent <= whole[d].min + whole[d].extent;
    if (!ir::prove(is_inside, {})) return false;
  }
  return true;
}

/// The values of `index` while the root axes of `graph` run over `roots`; absent where it is not affine in these and
/// their quotients.
std::optional<Span> image(const Linear& index, const StageGraph& graph, const std::vector<Span>& roots,
                          const Facts& facts);

/// The values of a quotient by a constant: the start of the dividend is split into a multiple of the divisor and a rest
/// with known bounds.
std::optional<Span> image_of_quotient(const Expr& e, const StageGraph& graph, const std::vector<Span>& roots,
                                      const Facts& facts) {
  const auto* quotient = e.as<ir::Binary>();
  if (quotient == nullptr || quotient->op != ir::BinaryOp::kDiv) return {};
  const std::int64_t* divisor = as_const_int(quotient->b);
  if (divisor == nullptr || *divisor < 1) return {};
  const std::optional<Span> dividend = image(ir::to_linear(quotient->a), graph, roots, facts);
  if (!dividend || as_const_int(dividend->extent) == nullptr) return {};
  Linear whole, rest;
  ir::split_multiples(ir::to_linear(dividend->min), Linear{*divisor, {}}, whole, rest);
  const ir::Interval range = facts.range(rest);
  if (range.lo < -ir::Interval::kFar || range.hi > ir::Interval::kFar) return {};
  const std::int64_t first = ir::floor_div(range.lo, *divisor);
  const std::int64_t last = ir::floor_div(range.hi + *as_const_int(dividend->extent) - 1, *divisor);
  whole.constant += first;
  return Span{whole.expr(), last - first + 1};
}

std::optional<Span> image(const Linear& index, const StageGraph& graph, const std::vector<Span>& roots,
                          const Facts& facts) {
  Linear start, extent;
  start.constant = index.constant;
  extent.constant = 1;
  for (const ir::LinearTerm& term : index.terms) {
    std::optional<Span> span;
    if (const auto* ref = term.atom.as<ir::VarRef>()) {
      span = Span{term.atom, 1};  // a symbol
      for (std::size_t r = 0; r < roots.size(); ++r) {
        if (graph.axes[graph.roots[r]].var() == ref->var) span = roots[r];
      }
    } else {
      span = image_of_quotient(term.atom, graph, roots, facts);
    }
    if (!span) return {};
    const std::int64_t c = term.coefficient;
    start.add(ir::to_linear(c > 0 ? span->min : span->min + span->extent - 1), c);
    extent.add(ir::to_linear(span->extent - 1), std::abs(c));
  }
  return Span{start.expr(), extent.expr()};
}

/// The same; the whole dimension of `limit` indices where the values are not known.
Span image(const Linear& index, const StageGraph& graph, const std::vector<Span>& roots, const Expr& limit,
           const Facts& facts) {
  return image(index, graph, roots, facts).value_or(Span{0, limit});
}

/// Intersects `span` with 0 .. limit-1, where the ends are constant.
void clip(Span& span, const Expr& limit, const Facts& facts) {
  const std::int64_t* extent = as_const_int(span.extent);
  const std::int64_t* all = as_const_int(limit);
  if (extent == nullptr || all == nullptr) return;
  const ir::Interval start = facts.range(span.min);
  if (*extent >= *all) {
    span = {0, limit};
  } else if (start.is_point()) {
    const std::int64_t first = std::clamp<std::int64_t>(start.lo, 0, *all - 1);
    const std::int64_t last = std::clamp<std::int64_t>(start.lo + *extent - 1, first, *all - 1);
    if (first != start.lo) span.min = first;
    if (last - first + 1 != *extent) span.extent = last - first + 1;
  }
}

/// Extends `span` to the smallest known span that contains both.
void join(Span& span, const Span& other, const Expr& limit, const Facts& facts) {
  const ir::Interval gap = facts.range(other.min - span.min), longer = facts.range(other.extent - span.extent);
  const std::int64_t *a = as_const_int(span.extent), *b = as_const_int(other.extent);
  const bool bounded = gap.lo > -ir::Interval::kFar && gap.hi < ir::Interval::kFar;
  if (bounded && a != nullptr && b != nullptr) {
    const std::int64_t first = std::min<std::int64_t>(0, gap.lo);
    const std::int64_t extent = std::max(*a, gap.hi + *b) - first;
    // If the distance of the spans varies, the hull of their constant bounds may be smaller than the hull that follows
    // from the distance. This happens for a producer further outside, where one index depends on a loop that is not
    // open there.
    const ir::Interval here = facts.range(span.min), there = facts.range(other.min);
    const bool known =
        std::min(here.lo, there.lo) > -ir::Interval::kFar && std::max(here.hi, there.hi) < ir::Interval::kFar;
    const std::int64_t least = std::min(here.lo, there.lo), end = known ? std::max(here.hi + *a, there.hi + *b) : 0;
    if (!gap.is_point() && known && end - least <= extent) {
      span = {least, end - least};
      return;
    }
    if (gap.is_point() && first != 0) {
      span.min = other.min;
    } else if (first != 0) {
      span.min = affine(span.min + first);
    }
    span.extent = extent;
  } else if (bounded && gap.is_point() && longer.is_point()) {
    const std::int64_t first = std::min<std::int64_t>(0, gap.lo);
    if (first != 0) span.min = other.min;
    span.extent = affine(span.extent + (std::max<std::int64_t>(0, gap.lo + longer.lo) - first));
  } else {
    span = {0, limit};
  }
}

}  // namespace

std::vector<Span> whole_tiles(const StageGraph& graph, std::vector<Span> roots) {
  for (const AxisEdge& edge : graph.edges) {
    if (edge.kind != AxisEdge::Kind::kLayout) continue;
    const auto root = std::find(graph.roots.begin(), graph.roots.end(), edge.parent) - graph.roots.begin();
    Expr& extent = roots[static_cast<std::size_t>(root)].extent;
    extent = ceil_div(extent, edge.factor) * Expr(edge.factor);
  }
  return roots;
}

Regions::Regions(const ScheduleState& schedule, const std::vector<StageGraph>& graphs)
    : schedule_(schedule), graphs_(graphs), reads_(graphs.size()), readers_(graphs.size()), attached_(graphs.size()) {
  for (std::size_t s = 0; s < graphs.size(); ++s) {
    attached_[s].resize(graphs[s].leaves.size());
    if (schedule.stages[s].attach.kind == AttachKind::kInline) continue;
    const auto add_read = [&](const Expr& e) {
      const auto* load = e.as<ir::Load>();
      if (load == nullptr) return;
      Read read{load->buffer, {}};
      for (const Expr& index : load->indices) read.indices.push_back(ir::to_linear(index));
      reads_[s].push_back(std::move(read));
    };
    for (const Expr& e : graphs[s].compute->operands()) ir::for_each_expr(e, add_read);
    for (const Read& read : reads_[s]) {
      const int producer = schedule.producer(read.buffer).stage;
      if (producer < 0) continue;
      auto& readers = readers_[producer];
      if (std::find(readers.begin(), readers.end(), static_cast<int>(s)) == readers.end()) {
        readers.push_back(static_cast<int>(s));
      }
    }
  }
  for (std::size_t s = 0; s < graphs.size(); ++s) {
    const Attach& attach = schedule.stages[s].attach;
    if (attach.kind != AttachKind::kAt) continue;
    const StageGraph& consumer = graphs[attach.stage];
    const int axis = consumer.find(attach.loop);
    if (axis < 0 || consumer.position[axis] < 0) {
      throw LowerError(fmt::format("{} is computed at {}, which is no loop of {}", schedule.stages[s].name,
                                   attach.loop.name(), schedule.stages[attach.stage].name));
    }
    attached_[attach.stage][consumer.position[axis]].push_back(static_cast<int>(s));
  }
  for (std::size_t s = 0; s < graphs.size(); ++s) check_readers(static_cast<int>(s));
  for (const AttachmentFault& fault : attachment_faults(schedule)) {
    if (fault.kind == AttachmentFault::Kind::kAfterStart) throw LowerError(fault.reason);
  }
}

bool Regions::is_inside(int stage, int consumer, int position) const {
  if (stage == consumer) return true;
  const Attach& attach = schedule_.stages[stage].attach;
  if (attach.kind != AttachKind::kAt) return false;
  const StageGraph& host = graphs_[attach.stage];
  if (attach.stage == consumer) return host.position[host.find(attach.loop)] >= position;
  return is_inside(attach.stage, consumer, position);
}

void Regions::check_readers(int stage) const {
  const StageState& state = schedule_.stages[stage];
  if (state.carried_from >= 0) {
    const StageState& copy = schedule_.stages[state.carried_from];
    const StageGraph& graph = graphs_[state.carried_from];
    for (const IterVar& block : copy.block_loops) {
      if (is_inside(stage, state.carried_from, graph.position[graph.find(block)])) continue;
      throw LowerError(fmt::format("{} is not computed inside loop {} of {}, whose blocks it sums up: attach it there",
                                   state.name, block.name(), copy.name));
    }
  }
  const Attach& attach = state.attach;
  if (attach.kind != AttachKind::kAt) return;
  const StageGraph& host = graphs_[attach.stage];
  const int position = host.position[host.find(attach.loop)];
  for (const int reader : readers_[stage]) {
    if (is_inside(reader, attach.stage, position)) continue;
    throw LowerError(fmt::format(
        "{} is computed inside loop {} of {}, but {} reads it outside: attach {} inside as well, or compute "
        "{} at root",
        state.name, attach.loop.name(), schedule_.stages[attach.stage].name, schedule_.stages[reader].name,
        schedule_.stages[reader].name, state.name));
  }
}

const std::vector<int>& Regions::attached(int stage, int leaf) const { return attached_[stage][leaf]; }

std::vector<Span> Regions::full(int stage) const {
  const StageGraph& graph = graphs_[stage];
  std::vector<Span> result;
  for (const int root : graph.roots) {
    const IterVar& axis = graph.axes[root];
    result.push_back({axis.min(), axis.extent()});
  }
  return result;
}

AttachedRegions Regions::unattached(int stage, const Facts& facts) const {
  const auto as_computed = [&](int s, std::vector<Span> region) {
    return is_part(region, full(s)) ? std::move(region) : full(s);
  };
  for (const StageGraph& scan : graphs_) {
    if (scan.place.part != ScanPart::kScan) continue;
    const std::vector<int> feeders = feeders_of(schedule_, scan.stage);
    if (std::find(feeders.begin(), feeders.end(), stage) == feeders.end()) continue;
    // The rows that a feeder needs depend on the rows that are computed of the later feeders.
    std::vector<int> stages{stage};
    for (int other = stage + 1; other < static_cast<int>(graphs_.size()); ++other) {
      const AttachKind kind = schedule_.stages[other].attach.kind;
      const bool is_feeder = std::find(feeders.begin(), feeders.end(), other) != feeders.end();
      if (is_feeder && kind != AttachKind::kAt && kind != AttachKind::kInline) stages.push_back(other);
    }
    AttachedRegions computed = attached_regions(stages, Frame(scan, full(scan.stage)), facts, as_computed);
    computed.regions.resize(1);
    return computed;
  }
  return {{full(stage)}, {}};
}

void Regions::join_reads(int from, const std::vector<Span>& roots, const ir::Buffer& buffer, std::vector<Span>& region,
                         const Facts& facts) const {
  for (const Read& read : reads_[from]) {
    if (!(read.buffer == buffer)) continue;
    const bool first = region.empty();
    for (std::size_t d = 0; d < read.indices.size(); ++d) {
      const Expr& limit = buffer->shape[d];
      Span span = image(read.indices[d], graphs_[from], roots, limit, facts);
      clip(span, limit, facts);
      if (first) {
        region.push_back(std::move(span));
      } else {
        join(region[d], span, limit, facts);
        clip(region[d], limit, facts);
      }
    }
  }
}

const std::vector<Span>& Regions::region_of(int stage, const Frame& frame, const Facts& facts, Known& known) const {
  if (const auto found = known.find(stage); found != known.end()) return found->second;
  const StageGraph& graph = graphs_[stage];
  std::vector<Span> result;
  if (frame.graph->stage == stage) {
    for (std::size_t r = 0; r < graph.roots.size(); ++r) {
      result.push_back(frame.root_span(r, facts));
      const IterVar& axis = graph.axes[graph.roots[r]];
      if (ir::is_const_int(axis.min(), 0)) clip(result.back(), axis.extent(), facts);
    }
    return known[stage] = std::move(result);
  }
  if (graph.place.part == ScanPart::kUpdate && frame.graph->stage == graph.place.scan) {
    result = full(stage);
    result.front() = frame.root_span(0, facts);
    return known[stage] = std::move(result);
  }
  for (const int reader : readers_[stage]) {
    std::vector<Span> roots = region_of(reader, frame, facts, known);
    // The frame knows the position inside the tiles of the stage whose loops are open; other readers read whole tiles.
    if (reader != frame.graph->stage) roots = whole_tiles(graphs_[reader], std::move(roots));
    for (const ir::Buffer& buffer : schedule_.stages[stage].op->results)
      join_reads(reader, roots, buffer, result, facts);
  }
  check(static_cast<int>(result.size()) == graph.rank, "a stage that nothing reads is attached to a loop");
  for (std::size_t r = result.size(); r < graph.roots.size(); ++r) {
    const IterVar& axis = graph.axes[graph.roots[r]];
    result.push_back({axis.min(), axis.extent()});
    // The tile of a blocked reduction covers the current block of the stage that copies it.
    if (schedule_.stages[stage].carried_from != frame.graph->stage) continue;
    const int block = frame.graph->find(axis);
    const auto root = std::find(frame.graph->roots.begin(), frame.graph->roots.end(), block);
    if (block >= 0 && root != frame.graph->roots.end()) {
      result.back() = frame.root_span(static_cast<std::size_t>(root - frame.graph->roots.begin()), facts);
    }
  }
  return known[stage] = std::move(result);
}

AttachedRegions Regions::attached_regions(const std::vector<int>& stages, const Frame& frame, const Facts& facts,
                                          const Extension& extended) const {
  Known known;
  AttachedRegions result;
  for (auto consumer_first = stages.rbegin(); consumer_first != stages.rend(); ++consumer_first) {
    const int stage = *consumer_first;
    std::vector<Span> region = known[stage] = extended(stage, region_of(stage, frame, facts, known));
    // A stage runs its own reduction in full; the nest builder narrows a blocked one to its block.
    const StageGraph& graph = graphs_[stage];
    for (std::size_t r = graph.rank; r < graph.roots.size(); ++r) {
      const IterVar& axis = graph.axes[graph.roots[r]];
      region[r] = {axis.min(), axis.extent()};
    }
    result.regions.insert(result.regions.begin(), std::move(region));
  }
  for (const auto& [stage, region] : known) {
    const StageGraph& graph = graphs_[stage];
    const bool is_here = stage == frame.graph->stage || std::find(stages.begin(), stages.end(), stage) != stages.end();
    // A scan, its init and its update take whole rows, which need no limits. Other stages of its steps are listed.
    const bool is_row = graph.place.part == ScanPart::kScan || graph.place.is_stored_in_scan();
    if (is_here || is_row) continue;
    std::vector<Span> tiles = whole_tiles(graph, region);
    tiles.resize(graph.rank);
    result.readers.emplace_back(stage, std::move(tiles));
  }
  return result;
}

std::vector<Span> Regions::own_region(const Frame& frame, const Facts& facts) const {
  Known known;
  return region_of(frame.graph->stage, frame, facts, known);
}

std::vector<Span> Regions::read_region(const ir::Buffer& buffer, const Frame& frame, const Facts& facts) const {
  std::vector<Span> result;
  join_reads(frame.graph->stage, own_region(frame, facts), buffer, result, facts);
  return result;
}

bool Regions::reads_padding(int stage, const std::vector<Span>& roots, std::size_t root,
                            const std::vector<std::optional<Storage>>& storages, const Facts& facts) const {
  const StageGraph& graph = graphs_[stage];
  const ir::Var& var = graph.axes[graph.roots[root]].var();
  for (const Read& read : reads_[stage]) {
    const int producer = schedule_.producer(read.buffer).stage;
    for (std::size_t d = 0; d < read.indices.size(); ++d) {
      const Linear& index = read.indices[d];
      if (index.is_nonlinear_in(var)) return false;
      if (index.coefficient(var) == 0) continue;
      if (producer < 0 || !storages[producer].has_value()) return false;
      const Storage& storage = *storages[producer];
      const Expr stored = padded_extent(storage, static_cast<int>(d));
      if (!stored.defined()) return false;
      const Span span = image(index, graph, roots, read.buffer->shape[d], facts);
      const Expr last = relative_index(span.min + span.extent - 1, storage.start[d], facts);
      if (!facts.proves_less(last, stored)) return false;
    }
  }
  return true;
}

}  // namespace nestwright
