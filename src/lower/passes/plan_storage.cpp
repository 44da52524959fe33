#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "nestwright/error.h"

namespace nestwright::passes {
namespace {

using namespace ir;

struct Lifetime {
  std::int64_t bytes = 0;
  Expr symbolic_bytes;  ///< the size of a buffer that shares no memory; undefined: `bytes` is the size
  bool per_thread = false;
  std::size_t loops_around = 0;  ///< number of loops around the allocation
  int first = -1, last = -1;     ///< its live range, in pre-order positions of statements; -1: never used
  std::int64_t offset = 0;
  Expr symbolic_offset;
  int order = 0;
};

// Computes the live range of each buffer, with statements numbered in pre-order. A use inside a loop that does not
// contain the allocation extends it to the whole loop: an iteration may read the values of another.
class Lifetimes final : public Visitor {
 public:
  using Visitor::visit;
  explicit Lifetimes(const std::vector<Var>& symbols) : symbols_(symbols) {}
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
    std::vector<Buffer> used;  ///< those allocated outside the loop
  };

  void open(const Buffer& buffer) {
    Expr elements = 1;  // from the first to the last, like BufferNode::elements()
    for (int d = 0; d < buffer->rank(); ++d) {
      const Expr& extent = buffer->shape[static_cast<std::size_t>(d)];
      check_symbols(extent, buffer);
      elements = buffer->strides.empty() ? elements * extent : elements + (extent - 1) * buffer->stride(d);
    }
    Lifetime& lifetime = found[buffer];
    if (const std::int64_t* constant = as_const_int(elements)) {
      lifetime.bytes = aligned_workspace_bytes(*constant * buffer->element.bytes());
    } else {
      lifetime.symbolic_bytes = aligned_workspace_bytes(elements * Expr(buffer->element.bytes()));
    }
    lifetime.per_thread = parallel_ > 0;
    lifetime.loops_around = open_.size();
    lifetime.order = static_cast<int>(found.size());
  }

  // The caller computes sizes from the symbols alone; loop variables have no value then.
  void check_symbols(const Expr& extent, const Buffer& buffer) const {
    for_each_expr(extent, [&](const Expr& e) {
      const auto* ref = e.as<VarRef>();
      if (!ref || std::find(symbols_.begin(), symbols_.end(), ref->var) != symbols_.end()) return;
      throw LowerError(
          fmt::format("the size of buffer {} depends on loop {}: its place in the workspace cannot be "
                      "planned; compute it at root, or split its consumer by a constant factor",
                      buffer->name, ref->var.name()));
    });
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

  const std::vector<Var>& symbols_;
  int position_ = 0;
  int parallel_ = 0;
  std::vector<OpenLoop> open_;
};

// Assigns offsets by first fit, in the order of allocation, from `base` bytes on. Returns the bytes used,
// those before `base` included.
std::int64_t place(std::map<Buffer, Lifetime>& lifetimes, bool per_thread, std::int64_t base) {
  std::vector<Lifetime*> pending, placed;
  for (auto& [buffer, lifetime] : lifetimes) {
    if (lifetime.per_thread == per_thread && !lifetime.symbolic_bytes.defined()) pending.push_back(&lifetime);
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

// Assigns offsets to buffers of symbolic size one after the other, from `base` + `taken` bytes on. Returns the bytes
// taken after `base`; undefined if none.
Expr place_symbolic(std::map<Buffer, Lifetime>& lifetimes, bool per_thread, std::int64_t base, Expr taken) {
  std::vector<Lifetime*> pending;
  for (auto& [buffer, lifetime] : lifetimes) {
    if (lifetime.per_thread == per_thread && lifetime.symbolic_bytes.defined()) pending.push_back(&lifetime);
  }
  std::sort(pending.begin(), pending.end(), [](const Lifetime* a, const Lifetime* b) { return a->order < b->order; });
  for (Lifetime* lifetime : pending) {
    lifetime->offset = base;
    lifetime->symbolic_offset = taken;
    taken = taken.defined() ? taken + lifetime->symbolic_bytes : lifetime->symbolic_bytes;
  }
  return taken;
}

Expr larger(const Expr& a, const Expr& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  return equal(a, b) ? a : max(a, b);
}

class Placer final : public Mutator {
 public:
  explicit Placer(const std::map<Buffer, Lifetime>& lifetimes) : lifetimes_(lifetimes) {}
  using Mutator::mutate;
  Stmt mutate(const Stmt& s) override {
    const auto* allocate = s.defined() ? s.as<Allocate>() : nullptr;
    const auto found = allocate ? lifetimes_.find(allocate->buffer) : lifetimes_.end();
    if (found == lifetimes_.end()) return mutate_children(s);
    const Lifetime& lifetime = found->second;
    return make_allocate(allocate->buffer, mutate(allocate->body), lifetime.offset, lifetime.per_thread,
                         lifetime.symbolic_offset);
  }

 private:
  const std::map<Buffer, Lifetime>& lifetimes_;
};

}  // namespace

Program plan_storage(Program program, PassContext&) {
  // The host's allocations are live through all launches; kernels run one after the other and share the rest.
  Lifetimes host(program.symbols);
  host.visit(program.host);
  for (auto& [buffer, lifetime] : host.found) {
    lifetime.first = 0;
    lifetime.last = 1;
  }
  const std::int64_t base = place(host.found, false, 0);
  Workspace& space = program.workspace;
  space = {base, 0, {}, {}};
  std::vector<Lifetimes> kernels;
  for (const Kernel& kernel : program.kernels) {
    Lifetimes& lifetimes = kernels.emplace_back(program.symbols);
    lifetimes.visit(kernel.body);
    space.shared_bytes = std::max(space.shared_bytes, place(lifetimes.found, false, base));
    space.per_thread_bytes = std::max(space.per_thread_bytes, place(lifetimes.found, true, 0));
  }
  // Buffers of symbolic size come last, so that the others have constant offsets.
  const Expr taken = place_symbolic(host.found, false, space.shared_bytes, {});
  for (Lifetimes& lifetimes : kernels) {
    space.symbolic_shared_bytes =
        larger(space.symbolic_shared_bytes, place_symbolic(lifetimes.found, false, space.shared_bytes, taken));
    space.symbolic_per_thread_bytes =
        larger(space.symbolic_per_thread_bytes, place_symbolic(lifetimes.found, true, space.per_thread_bytes, {}));
  }
  if (!space.symbolic_shared_bytes.defined()) space.symbolic_shared_bytes = taken;
  program.host = Placer(host.found).mutate(program.host);
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    program.kernels[k].body = Placer(kernels[k].found).mutate(program.kernels[k].body);
  }
  return program;
}

}  // namespace nestwright::passes
