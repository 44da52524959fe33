#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/rewrite.h"
#include "lower/expand_passes.h"
#include "support/error.h"

namespace nestwright::expansion {
namespace {

using namespace ir;

std::int64_t round_up_64(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

struct Lifetime {
  std::int64_t bytes = 0;
  bool per_thread = false;
  std::size_t loops_around = 0;  ///< open loops where it is allocated
  int first = -1, last = -1;     ///< positions in pre-order between which its contents matter; -1: never used
  std::int64_t offset = 0;
  int order = 0;
};

// Numbers statements in pre-order and notes from where to where each buffer is used. A use inside a loop that the
// allocation is outside of counts for the whole loop: what one iteration leaves, another may read.
class Lifetimes final : public Visitor {
 public:
  using Visitor::visit;
  std::map<Buffer, Lifetime> found;

  void visit(const Stmt& s) override {
    if (!s.defined()) return;
    ++position_;
    if (const auto* loop = s.as<For>()) {
      open_.push_back({position_, {}});
      parallel_ += loop->kind == LoopKind::kParallel ? 1 : 0;
      visit_children(s);
      parallel_ -= loop->kind == LoopKind::kParallel ? 1 : 0;
      for (const Buffer& buffer : open_.back().used) found[buffer].last = position_;
      open_.pop_back();
      return;
    }
    if (const auto* allocate = s.as<Allocate>(); allocate && allocate->buffer->scope == Scope::kGlobal) {
      open(allocate->buffer);
    }
    if (const auto* store = s.as<Store>()) use(store->buffer);
    visit_children(s);
  }
  void visit(const Expr& e) override {
    if (!e.defined()) return;
    if (const auto* load = e.as<Load>()) use(load->buffer);
    visit_children(e);
  }

 private:
  struct OpenLoop {
    int start;
    std::vector<Buffer> used;  ///< allocated outside of it
  };

  void open(const Buffer& buffer) {
    std::int64_t elements = 1;
    for (const Expr& extent : buffer->shape) {
      const std::int64_t* constant = as_const_int(extent);
      if (!constant) {
        throw LowerError(
            fmt::format("buffer {} has no constant size: its place in the workspace cannot be planned", buffer->name));
      }
      elements *= *constant;
    }
    Lifetime& lifetime = found[buffer];
    lifetime.bytes = round_up_64(elements * buffer->element.bytes());
    lifetime.per_thread = parallel_ > 0;
    lifetime.loops_around = open_.size();
    lifetime.order = static_cast<int>(found.size());
  }

  void use(const Buffer& buffer) {
    const auto at = found.find(buffer);
    if (at == found.end()) return;
    Lifetime& lifetime = at->second;
    int start = position_;
    if (open_.size() > lifetime.loops_around) {
      OpenLoop& loop = open_[lifetime.loops_around];
      start = loop.start;
      if (std::find(loop.used.begin(), loop.used.end(), buffer) == loop.used.end()) loop.used.push_back(buffer);
    }
    if (lifetime.first < 0) lifetime.first = start;
    lifetime.last = position_;
  }

  int position_ = 0;
  int parallel_ = 0;
  std::vector<OpenLoop> open_;
};

// First fit, in the order of allocation; `base` bytes are taken already. Returns the bytes used.
std::int64_t place(std::map<Buffer, Lifetime>& lifetimes, bool per_thread, std::int64_t base) {
  std::vector<Lifetime*> pending, placed;
  for (auto& [buffer, lifetime] : lifetimes) {
    if (lifetime.per_thread == per_thread) pending.push_back(&lifetime);
  }
  std::sort(pending.begin(), pending.end(), [](const Lifetime* a, const Lifetime* b) { return a->order < b->order; });
  std::int64_t used = base;
  for (Lifetime* lifetime : pending) {
    std::vector<const Lifetime*> in_the_way;
    for (const Lifetime* other : placed) {
      if (lifetime->first <= other->last && other->first <= lifetime->last) in_the_way.push_back(other);
    }
    std::sort(in_the_way.begin(), in_the_way.end(),
              [](const Lifetime* a, const Lifetime* b) { return a->offset < b->offset; });
    lifetime->offset = base;
    for (const Lifetime* other : in_the_way) {
      if (lifetime->offset + lifetime->bytes <= other->offset) break;
      lifetime->offset = std::max(lifetime->offset, other->offset + other->bytes);
    }
    used = std::max(used, lifetime->offset + lifetime->bytes);
    placed.push_back(lifetime);
  }
  return used;
}

class Placer final : public Mutator {
 public:
  explicit Placer(const std::map<Buffer, Lifetime>& lifetimes) : lifetimes_(lifetimes) {}
  using Mutator::mutate;
  Stmt mutate(const Stmt& s) override {
    const auto* allocate = s.defined() ? s.as<Allocate>() : nullptr;
    const auto found = allocate ? lifetimes_.find(allocate->buffer) : lifetimes_.end();
    if (found == lifetimes_.end()) return mutate_children(s);
    return make_allocate(allocate->buffer, mutate(allocate->body), found->second.offset, found->second.per_thread);
  }

 private:
  const std::map<Buffer, Lifetime>& lifetimes_;
};

}  // namespace

Program plan_storage(Program program) {
  // What the host allocates lives through all launches; kernels run one after the other and share the rest.
  Lifetimes host;
  host.visit(program.host);
  for (auto& [buffer, lifetime] : host.found) {
    lifetime.first = 0;
    lifetime.last = 1;
  }
  const std::int64_t base = place(host.found, false, 0);
  program.host = Placer(host.found).mutate(program.host);
  program.workspace = {base, 0};
  for (Kernel& kernel : program.kernels) {
    Lifetimes lifetimes;
    lifetimes.visit(kernel.body);
    program.workspace.shared_bytes = std::max(program.workspace.shared_bytes, place(lifetimes.found, false, base));
    program.workspace.per_thread_bytes = std::max(program.workspace.per_thread_bytes, place(lifetimes.found, true, 0));
    kernel.body = Placer(lifetimes.found).mutate(kernel.body);
  }
  return program;
}

}  // namespace nestwright::expansion
