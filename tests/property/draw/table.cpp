#include <algorithm>

#include "schedule/state/scan_parts.h"
#include "tests/property/draw/drawer.h"

namespace nestwright::property {

const std::vector<Drawer>& drawers() {
  static const std::vector<Drawer> table = {
      {"split", 30, draw_split},
      {"tile", 6, draw_tile},
      {"fuse", 10, draw_fuse},
      {"reorder", 12, draw_reorder},
      {"vectorize", 10, draw_vectorize},
      {"unroll", 8, draw_unroll},
      {"parallel", 8, draw_parallel},
      {"prefetch", 5, draw_prefetch},
      {"stream", 3, draw_stream},
      {"bind", 4, draw_bind},
      {"pragma", 4, draw_pragma},
      {"tensorize", 8, draw_tensorize},
      {"compute_at", 16, draw_compute_at},
      {"compute_inline", 6, draw_compute_inline},
      {"compute_root", 3, draw_compute_root},
      {"prepare", 5, draw_prepare},
      {"set_scope", 5, draw_set_scope},
      {"cache_read", 8, draw_cache_read},
      {"cache_write", 8, draw_cache_write},
      {"transform_layout", 6, draw_transform_layout},
      {"storage_align", 5, draw_storage_align},
      {"rfactor", 5, draw_rfactor},
      {"double_buffer", 6, draw_double_buffer},
  };
  return table;
}

const StageState* Draw::stage(const std::function<bool(const StageState&)>& accepts) {
  std::vector<const StageState*> fitting;
  for (const StageState& stage : state().stages) {
    if (stage.attach.kind == AttachKind::kInline && !choices.chance(2)) continue;
    if (!accepts || accepts(stage)) fitting.push_back(&stage);
  }
  return fitting.empty() ? nullptr : choices.of(fitting);
}

std::optional<IterVar> Draw::loop(const StageState& stage, const std::function<bool(const IterVar&)>& accepts) {
  if (stage.leaves.empty()) return std::nullopt;
  std::vector<IterVar> fitting;
  for (const IterVar& leaf : stage.leaves)
    if ((!accepts || accepts(leaf)) && !is_step_time(stage, leaf)) fitting.push_back(leaf);
  if (fitting.empty() || choices.chance(10)) {
    // Sometimes a loop that no longer exists.
    return choices.chance(10) ? choices.of(stage.named) : choices.of(stage.leaves);
  }
  return choices.of(fitting);
}

std::vector<Tensor> Draw::reads(const StageState& stage) const {
  std::vector<Tensor> known = state().inputs, result;
  known.insert(known.end(), state().states.begin(), state().states.end());
  for (const StageState& other : state().stages) {
    for (std::size_t n = 0; n < other.op->results.size(); ++n)
      known.emplace_back(other.origin.op(), static_cast<int>(n));
  }
  for (const Tensor& tensor : known) {
    for (const Operation& input : stage.op->inputs) {
      const auto& results = input->results;
      if (std::find(results.begin(), results.end(), tensor.buffer()) != results.end()) result.push_back(tensor);
    }
  }
  return result;
}

std::int64_t Draw::extent(const IterVar& loop) {
  const std::int64_t* constant = ir::as_const_int(loop.extent());
  return constant != nullptr ? *constant : 8;
}

std::int64_t Draw::points(const StageState& stage) {
  std::int64_t product = 1;
  for (const IterVar& loop : stage.leaves) product *= extent(loop);
  return product;
}

bool Draw::is_plain(const StageState& stage, const IterVar& loop) const {
  if (stage.kinds.contains(loop)) return false;
  return std::none_of(state().stages.begin(), state().stages.end(), [&](const StageState& other) {
    return other.attach.kind == AttachKind::kAt && other.attach.loop == loop;
  });
}

bool Draw::is_step_time(const StageState& stage, const IterVar& loop) const {
  if (state().states.empty()) return false;  // no scan
  return is_time_axis(state(), static_cast<int>(&stage - state().stages.data()), loop);
}

std::optional<IterVar> Draw::first_spatial(const StageState& stage) const {
  const auto fits = [&](const IterVar& l) { return !l.is_reduce() && !l.is_time() && !is_step_time(stage, l); };
  const auto found = std::find_if(stage.leaves.begin(), stage.leaves.end(), fits);
  return found == stage.leaves.end() ? std::nullopt : std::optional(*found);
}

ir::Scope Draw::scope() {
  constexpr ir::Scope kScopes[] = {ir::Scope::kGlobal, ir::Scope::kLocal, ir::Scope::kRegister, ir::Scope::kShared};
  return kScopes[choices.weighted({50, 30, 18, 2})];
}

Tail Draw::tail(const IterVar& loop) {
  TailKind kind = static_cast<TailKind>(choices.weighted({30, 25, 25, 20}));
  if (goal_tail_ && choices.chance(60)) kind = *goal_tail_;
  if (kind != TailKind::kCompose) return {kind, {}};
  std::vector<std::int64_t> segments;
  for (int n = choices.between(1, 3); n > 0; --n) segments.push_back(choices.between(1, 8));
  // Usually a second segment that covers the remainder of the first.
  if (choices.chance(70)) {
    const std::int64_t all = extent(loop), first = std::max<std::int64_t>(1, std::min(segments[0], all));
    segments = {first};
    if (all % first != 0) segments.push_back(all % first);
    if (choices.chance(30)) segments.push_back(first + 1);
  }
  return Tail::compose(segments);
}

}  // namespace nestwright::property
