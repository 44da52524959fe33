#include "lower/nest/nest_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "nestwright/error.h"

namespace nestwright {

using ir::as_const_int;
using ir::Expr;
using ir::Stmt;

namespace {

constexpr int kMaxPaddings = 16;  ///< rounds of rounding up to whole vectors

/// Throws unless the host, which is the stage that copies the tile of a blocked reduction out, stores all elements that
/// the tile carries from block to block.
void require_dense(const Frame& tile, const Frame& host) {
  for (int axis = 0; axis < tile.graph->rank; ++axis) {
    if (host.is_dense(host.graph->roots[static_cast<std::size_t>(axis)])) continue;
    throw LowerError(fmt::format(
        "{} is summed up in blocks, but the loops of {} inside step over some of the indices of {} that it "
        "covers: reorder them so that what {} stores there is contiguous",
        tile.graph->state->name, host.graph->state->name, host.graph->axes[axis].name(), host.graph->state->name));
  }
}

/// Throws if a prepared stage reads a stage that is computed by calls, or has an extent that only a call determines.
void require_preparable(const ScheduleState& schedule) {
  const auto at = [&](int stage) -> const StageState& { return schedule.stages[static_cast<std::size_t>(stage)]; };
  for (const StageState& stage : schedule.stages) {
    const StageState* whole = &stage;  // the outermost stage that it is computed inside
    while (whole->attach.kind == AttachKind::kAt) whole = &at(whole->attach.stage);
    if (whole->attach.kind != AttachKind::kPrepared) continue;
    for (const Expr& extent : whole->op->results.front()->shape) {
      if (as_const_int(extent) != nullptr) continue;
      throw LowerError(
          fmt::format("{} is prepared, but its shape is known at a call only: give it constant extents", whole->name));
    }
    for (const Operation& input : stage.op->inputs) {
      const int producer = schedule.find(input);
      if (producer < 0 || at(producer).attach.kind != AttachKind::kRoot) continue;
      throw LowerError(fmt::format("{} is prepared, but it reads {}, which every call computes: prepare {} too",
                                   stage.name, at(producer).name, at(producer).name));
    }
  }
}

}  // namespace

NestBuilder::NestBuilder(const ScheduleState& schedule, const std::vector<StageGraph>& graphs, const Regions& regions)
    : schedule_(schedule), graphs_(graphs), regions_(regions), storages_(graphs.size()), needed_(graphs.size()) {}

Storage NestBuilder::storage_of(const Frame& frame) const {
  const StageGraph& graph = *frame.graph;
  if (graph.place.part == ScanPart::kScan) return make_scan_storage(graph);
  if (graph.place.is_stored_in_scan()) return scan_part_storage(graph, *storages_[graph.place.scan]);
  return make_storage(frame, facts_);
}

Nests NestBuilder::build(const std::vector<std::vector<ir::Buffer>>& outputs, const std::vector<ir::Var>& symbols) {
  for (const ir::Var& symbol : symbols) facts_.bind(symbol, {1, std::numeric_limits<std::int64_t>::max()});
  require_preparable(schedule_);
  Nests nests;
  nests.preparation = build_part(AttachKind::kPrepared, outputs, nests.prepared);
  nests.call = build_part(AttachKind::kRoot, outputs, nests.prepared);
  return nests;
}

Nest NestBuilder::build_part(AttachKind part, const std::vector<std::vector<ir::Buffer>>& outputs,
                             std::vector<ir::Buffer>& prepared) {
  std::vector<Frame> frames;
  std::vector<ir::Buffer> allocated;
  const auto place = [&](const Frame& frame) {
    const int s = frame.graph->stage;
    storages_[s] = storage_of(frame);
    if (frame.graph->place.is_stored_in_scan()) return;
    for (std::size_t r = 0; r < storages_[s]->buffers.size(); ++r) {
      const bool is_output = !outputs[s].empty() && outputs[s][r].defined();
      if (is_output) storages_[s]->buffers[r] = outputs[s][r];
      if (!is_output) (part == AttachKind::kPrepared ? prepared : allocated).push_back(storages_[s]->buffers[r]);
    }
  };
  for (std::size_t s = 0; s < graphs_.size(); ++s) {
    const StageState& stage = schedule_.stages[s];
    if (stage.attach.kind != part) continue;
    if (outputs[s].empty() && (is_private(stage) || stage.scope == ir::Scope::kShared)) {
      throw LowerError(fmt::format("{} is kept in {} scope but {}: attach it to a loop of its consumer", stage.name,
                                   ir::scope_name(stage.scope),
                                   part == AttachKind::kPrepared ? "prepared" : "computed at root"));
    }
    AttachedRegions computed = regions_.unattached(static_cast<int>(s), facts_);
    frames.emplace_back(graphs_[s], std::move(computed.regions.front()));
    for (auto& [reader, region] : computed.readers) {
      needed_[static_cast<std::size_t>(reader)].push_back(std::move(region));
    }
    if (graphs_[s].place.part == ScanPart::kScan) place(frames.back());  // its init, which comes before, stores into it
  }
  std::vector<Stmt> nests;
  for (const Frame& frame : frames) {
    if (frame.graph->place.part != ScanPart::kScan) place(frame);
    nests.push_back(open(frame, 0));
  }
  Stmt result = ir::block(std::move(nests));
  for (auto buffer = allocated.rbegin(); buffer != allocated.rend(); ++buffer) {
    result = ir::make_allocate(*buffer, std::move(result));
  }
  return {std::move(result), std::exchange(notes_, {})};
}

Stmt NestBuilder::open(const Frame& frame, int position) {
  const StageGraph& graph = *frame.graph;
  Stmt init;
  if (frame.role == NestRole::kCompute && graph.is_reduction() && position == graph.first_reduce) {
    init = initialise(frame, position);
  }
  Stmt loops = position == static_cast<int>(graph.leaves.size()) ? statement(frame) : open_loop(frame, position);
  return init.defined() ? ir::block({std::move(init), std::move(loops)}) : loops;
}

Stmt NestBuilder::initialise(const Frame& frame, int position) {
  const auto nest = [&](NestRole role) {
    Frame init = frame;
    init.role = role;
    return open(init, position);
  };
  if (!frame.is_carried.defined() || ir::is_false(frame.is_carried)) return nest(NestRole::kInitToIdentity);
  if (ir::is_true(frame.is_carried)) return nest(NestRole::kInitToCarried);
  Stmt carried = nest(NestRole::kInitToCarried);
  return ir::make_if(frame.is_carried, std::move(carried), nest(NestRole::kInitToIdentity));
}

Stmt NestBuilder::open_loop(Frame frame, int position) {
  const StageGraph& graph = *frame.graph;
  const int axis = graph.leaves[position];
  if (frame.computes_tile() && graph.state->tensorize->loop == graph.axes[axis] && !is_partial_tile(frame, position)) {
    // A reduction wholly inside the tile is initialised here.
    const bool starts = frame.role == NestRole::kCompute && graph.is_reduction() && graph.first_reduce > position;
    Stmt init = starts ? initialise(frame, position) : Stmt();
    return ir::block({std::move(init), open_tile(std::move(frame), position)});
  }
  if (frame.role != NestRole::kCompute && graph.axes[axis].is_reduce()) return open(frame, position + 1);
  const Expr extent = frame.extent[axis];
  const ir::LoopKind kind = graph.kinds[axis];
  if (ir::is_const_int(extent, 1) && !ir::is_bound(kind)) {
    frame.value[axis] = 0;
    return without_loop(graph, axis, settle(std::move(frame), position));
  }
  if (const BoundLoop* around = shared_index(graph, axis)) {
    return without_loop(graph, axis, share_loop(std::move(frame), position, *around));
  }
  const Facts::Mark mark = facts_.mark();
  const std::string outer_parallel = parallel_;
  const std::size_t bound_around = bound_.size(), threads_around = thread_vars_.size();
  const ir::Var var(graph.axes[axis].name());
  enter_loop(frame, axis, var);
  facts_.bind_loop(var, extent);
  frame.value[axis] = var;
  frame.in_vector = frame.in_vector || kind == ir::LoopKind::kVectorized;
  Stmt body = settle(std::move(frame), position);
  facts_.reset(mark);
  parallel_ = outer_parallel;
  bound_.resize(bound_around);
  thread_vars_.resize(threads_around);
  note_pragmas(graph, axis, var);
  return ir::make_for(var, 0, extent, kind, std::move(body));
}

void NestBuilder::note_pragmas(const StageGraph& graph, int axis, const ir::Var& loop) {
  for (const PragmaNote& note : graph.state->pragmas) {
    if (note.loop == graph.axes[axis]) notes_.pragmas.push_back({loop, note.kind, graph.state->name, note.value});
  }
}

/// The nest of an axis that needs no loop: `body`, in a loop of one iteration if the axis has a pragma that applies to
/// its body.
Stmt NestBuilder::without_loop(const StageGraph& graph, int axis, Stmt body) {
  const std::vector<PragmaNote>& pragmas = graph.state->pragmas;
  const bool unrolls = std::any_of(pragmas.begin(), pragmas.end(), [&](const PragmaNote& note) {
    return note.loop == graph.axes[axis] && note.kind == PragmaKind::kAutoUnroll;
  });
  if (!unrolls) return body;
  const ir::Var var(graph.axes[axis].name());
  note_pragmas(graph, axis, var);
  return ir::make_for(var, 0, 1, ir::LoopKind::kSerial, std::move(body));
}

void NestBuilder::enter_loop(const Frame& frame, int axis, const ir::Var& var) {
  const StageGraph& graph = *frame.graph;
  const ir::LoopKind kind = graph.kinds[axis];
  if (kind != ir::LoopKind::kParallel && !ir::is_bound(kind)) return;
  std::string name = fmt::format("{} of {}", graph.axes[axis].name(), graph.state->name);
  check(parallel_.empty(), "a parallel loop inside another one, which the primitives refuse");
  if (!private_.empty()) {
    throw LowerError(
        fmt::format("{} loop {} lies inside the storage of {}, which is private to a thread: attach {} "
                    "inside the loop, or keep it in {} scope",
                    ir::loop_kind_name(kind), name, private_, private_, ir::is_bound(kind) ? "shared" : "global"));
  }
  if (kind == ir::LoopKind::kParallel) {
    parallel_ = std::move(name);
    return;
  }
  enter_bound(frame, axis, var, std::move(name));
}

/// The limits of a stage that is attached inside the loop at which its inputs are computed: the region that was
/// inferred at that loop may be smaller than `region`.
std::shared_ptr<const std::vector<Limit>> NestBuilder::limits_of(int stage, const std::vector<Span>& region) const {
  std::vector<Limit> limits;
  if (needed_[static_cast<std::size_t>(stage)].empty()) return nullptr;
  const std::vector<Span> stored = whole_tiles(graphs_[stage], region);
  for (const std::vector<Span>& needed : needed_[static_cast<std::size_t>(stage)]) {
    for (std::size_t root = 0; root < needed.size(); ++root) {
      const Span &all = needed[root], &here = stored[root];
      const Expr& extent = graphs_[stage].axes[graphs_[stage].roots[root]].extent();
      if (ir::is_const_int(all.min, 0) && facts_.proves_less(extent - 1, all.extent)) continue;  // the tensor's bounds
      const bool from = facts_.proves_less(all.min - 1, here.min);
      if (from && facts_.proves_less(here.min + here.extent - 1, all.min + all.extent)) continue;
      limits.push_back({root, all});
    }
  }
  return limits.empty() ? nullptr : std::make_shared<const std::vector<Limit>>(std::move(limits));
}

/// Extends the vectorised axes of a private tile to whole vectors, if all additional reads find padding.
AxisSet NestBuilder::pad_vectors(int stage, std::vector<Span>& region, const AxisSet& limited) const {
  const StageGraph& graph = graphs_[stage];
  AxisSet padded;
  // The tile of a blocked reduction starts from the output, which has no padding.
  if (!is_private(*graph.state) || graph.state->carried_from >= 0) return padded;
  for (int axis = 0; axis < graph.rank; ++axis) {
    if (!graph.vectorized[axis] || limited[axis]) continue;
    std::vector<Span> whole = region;
    Expr& extent = whole[axis].extent;
    if (as_const_int(extent) == nullptr) continue;
    // Rounding up to whole vectors may lengthen the loops inside, which may then need further vectors: this need not
    // converge.
    Expr reach = Frame(graph, whole).reach(axis);
    for (int round = 0; round < kMaxPaddings && *as_const_int(reach) != *as_const_int(extent); ++round) {
      extent = reach;
      reach = Frame(graph, whole).reach(axis);
    }
    if (*as_const_int(reach) != *as_const_int(extent)) continue;
    if (facts_.proves_less(whole[axis].min + extent - 1, graph.axes[axis].extent())) continue;
    if (!regions_.reads_padding(stage, whole, static_cast<std::size_t>(axis), storages_, facts_)) continue;
    region = std::move(whole);
    padded[axis] = true;
  }
  return padded;
}

Frame NestBuilder::attached_frame(int stage, std::vector<Span> region, const Frame& host) const {
  const StageGraph& graph = graphs_[stage];
  const auto limits = limits_of(stage, region);
  AxisSet limited;
  if (limits != nullptr) {
    for (const Limit& limit : *limits) limited[limit.root] = true;
  }
  const AxisSet padded = pad_vectors(stage, region, limited);
  Frame frame(graph, std::move(region));
  frame.padded = padded;
  frame.limits = limits;
  if (graph.state->carried_from != host.graph->stage) return frame;
  require_dense(frame, host);
  // In a blocked reduction the blocks' loops are open already, in the nest of the stage that copies out.
  for (int axis = 0; axis < graph.rank; ++axis) {
    const std::int64_t* computed = as_const_int(frame.region(axis).extent);
    const Span whole = host.root_span(static_cast<std::size_t>(axis), facts_);
    const std::int64_t* copied = as_const_int(whole.extent);
    if (computed == nullptr || copied == nullptr || *computed <= *copied) continue;
    throw LowerError(
        fmt::format("{} sums up {} elements along {} where {} copies {} out: more is read of it than it can carry from "
                    "block to block, so read it without a layout of whole tiles",
                    graph.state->name, *computed, graph.axes[axis].name(), host.graph->state->name, *copied));
  }
  Expr before = ir::make_bool(false);
  for (const IterVar& block : host.graph->state->block_loops) {
    const int outer = graph.find(block), host_outer = host.graph->find(block);
    if (outer < 0 || !host.known(host_outer)) {
      throw LowerError(fmt::format("{} is computed outside loop {} of {}, whose blocks it sums up: attach it inside",
                                   graph.state->name, block.name(), host.graph->state->name));
    }
    frame.value[outer] = host.value[host_outer];
    frame.settled[outer] = true;
    const ir::Interval range = facts_.range(frame.value[outer]);
    if (range.lo > 0) {
      before = ir::make_bool(true);
    } else if (range.hi > 0) {
      before = before || frame.value[outer] > 0;
    }
  }
  for (const AxisEdge& edge : graph.edges) {
    if (edge.kind != AxisEdge::Kind::kSplit || !frame.known(edge.outer)) continue;
    const int inner = host.graph->find(graph.axes[edge.inner]);
    if (inner >= 0) frame.narrow(edge.inner, host.extent[inner]);
  }
  frame.is_carried = before;
  return frame;
}

AttachedRegions NestBuilder::attached_regions(const Frame& frame, const std::vector<int>& stages) const {
  return regions_.attached_regions(stages, frame, facts_, [&](int stage, std::vector<Span> region) {
    return region_of_all_threads(stage, std::move(region));
  });
}

Stmt NestBuilder::inside(const Frame& frame, int position) {
  const StageGraph& graph = *frame.graph;
  if (frame.role != NestRole::kCompute) return open(frame, position + 1);
  std::vector<Stmt> stmts;
  for (const PrefetchNote& note : graph.state->prefetches) {
    if (graph.axes[graph.leaves[position]] == note.loop) stmts.push_back(prefetch(note, frame, graph.leaves[position]));
  }
  const std::vector<int>& stages = regions_.attached(graph.stage, position);
  if (stages.empty()) {
    stmts.push_back(open(frame, position + 1));
    return ir::block(std::move(stmts));
  }
  require_known_parts(frame, position, stages);
  AttachedRegions attached = attached_regions(frame, stages);
  const std::string outer_private = private_;
  std::vector<Frame> frames;
  std::map<int, std::vector<DoubleBuffered>> groups;  // by slots
  const bool is_repeated = !facts_.range(frame.value[graph.leaves[position]]).is_point();
  for (std::size_t n = 0; n < stages.size(); ++n) {
    require_storable(schedule_.stages[stages[n]]);
    frames.push_back(attached_frame(stages[n], std::move(attached.regions[n]), frame));
    storages_[stages[n]] = storage_of(frames.back());
    if (const StageState& stage = schedule_.stages[stages[n]]; stage.slots > 0 && is_repeated) {
      groups[stage.slots].push_back({stage.name, storages_[stages[n]]->buffers, stage.slots});
    }
    if (is_private(schedule_.stages[stages[n]])) private_ = schedule_.stages[stages[n]].name;
  }
  for (auto& [slots, group] : groups) notes_.double_buffered.push_back(std::move(group));
  for (auto& [reader, region] : attached.readers) {
    needed_[static_cast<std::size_t>(reader)].push_back(region_of_all_threads(reader, std::move(region)));
  }
  for (const Frame& producer : frames) stmts.push_back(once_per_block(*producer.graph, open(producer, 0)));
  stmts.push_back(open(frame, position + 1));
  for (const auto& [reader, region] : attached.readers) needed_[static_cast<std::size_t>(reader)].pop_back();
  private_ = outer_private;
  Stmt result = ir::block(std::move(stmts));
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    const std::vector<ir::Buffer>& buffers = storages_[*stage]->buffers;
    const bool is_own = !graphs_[*stage].place.is_stored_in_scan();
    for (auto buffer = buffers.rbegin(); is_own && buffer != buffers.rend(); ++buffer) {
      result = ir::make_allocate(*buffer, std::move(result));
    }
    storages_[*stage].reset();
  }
  return result;
}

}  // namespace nestwright
