// Double-buffers stages (software pipelining): a stage that is double-buffered in n slots is computed n - 1 iterations
// ahead, into the slot of its storage that no other iteration uses.
//
//   for v in a..b:                        T[n, ...]
//     T[...]                              fill(a) into T[0, ...], ..., fill(a + n - 2) into T[n - 2, ...]
//     fill(v)                     ->      for v in a..b:
//     rest(v)                               if likely(v + n - 1 < b): fill(v + n - 1) into T[(v + n - 1 - a)%n, ...]
//                                           rest(v), from T[(v - a)%n, ...]
//
// Fills of shared memory go through registers, except for asynchronous copies (lower/nest/staged_fill.h). With more
// than two slots, each fill by asynchronous copies is a group (ir::CommitCopies), so that a barrier waits for the
// oldest group only and n - 2 stay in flight. A loop with a constant number of iterations below n has as many slots as
// iterations, but at least two.
//
// Conditions and lets between the loop and fill(v) move with it. Stages of one loop move together, in their order.
// fill(v) may move if it reads nothing that the loop writes, except by fills that move with it; stages that may not
// move keep one buffer. Loops are rewritten one by one; a tail of one iteration has no next iteration to compute.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/analysis/symbol_ranges.h"
#include "ir/core/one_of.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/rewrite.h"
#include "lower/nest/staged_fill.h"
#include "lower/passes.h"
#include "lower/support/copier.h"
#include "nestwright/error.h"
#include "target/description/gpu_target.h"

namespace nestwright::passes {
namespace {

using namespace ir;
using Group = std::vector<DoubleBuffered>;

/// Buffers, each once, in the order in which the program mentions them first.
class BufferList {
 public:
  std::vector<Buffer>::const_iterator begin() const { return buffers_.begin(); }
  std::vector<Buffer>::const_iterator end() const { return buffers_.end(); }
  void insert(const Buffer& buffer) {
    if (!contains(buffer)) buffers_.push_back(buffer);
  }
  void insert(const BufferList& others) {
    for (const Buffer& buffer : others) insert(buffer);
  }
  bool contains(const Buffer& buffer) const {
    return std::find(buffers_.begin(), buffers_.end(), buffer) != buffers_.end();
  }

 private:
  std::vector<Buffer> buffers_;
};

/// The buffers that a statement reads, those that it stores to, and those that it allocates.
struct Uses {
  BufferList read, written, own;

  void add(const Stmt& s) {
    for_each_expr(s, [&](const Expr& e) { add_load(e); });
    for_each_stmt(s, [&](const Stmt& inner) {
      if (const auto* store = inner.as<Store>()) written.insert(store->buffer);
      if (const auto* allocate = inner.as<Allocate>()) own.insert(allocate->buffer);
    });
  }
  void add(const Expr& e) {
    for_each_expr(e, [&](const Expr& part) { add_load(part); });
  }

 private:
  void add_load(const Expr& e) {
    if (const auto* load = e.as<Load>()) read.insert(load->buffer);
  }
};

Uses uses_of(const auto& part) {
  Uses uses;
  if (part.defined()) uses.add(part);
  return uses;
}

bool touches(const auto& part, const std::set<Buffer>& buffers) {
  const Uses uses = uses_of(part);
  const auto is_one = [&](const Buffer& buffer) { return buffers.count(buffer) > 0; };
  return std::any_of(uses.read.begin(), uses.read.end(), is_one) ||
         std::any_of(uses.written.begin(), uses.written.end(), is_one);
}

/// Whether `s` multiplies matrices in shared memory by warpgroups. The product then runs while its threads fetch,
/// provided that they fetch after starting it.
bool multiplies_shared(const Stmt& s) {
  const auto reads_shared = [](const Expr& e) {
    const auto* load = e.as<Load>();
    return load != nullptr && load->buffer->scope == Scope::kShared;
  };
  return any_stmt(s, [&](const Stmt& inner) {
    const auto* store = inner.as<Store>();
    return store != nullptr && store->buffer->scope == Scope::kFragment && store->value.as<Binary>() != nullptr &&
           any_expr(store->value, reads_shared);
  });
}

std::set<Buffer> buffers_of(const Group& group) {
  std::set<Buffer> buffers;
  for (const DoubleBuffered& member : group) buffers.insert(member.buffers.begin(), member.buffers.end());
  return buffers;
}

/// The path of statements from the body of a loop to the block in which the group is computed and used, block included.
/// Absent if there is no such block.
std::optional<std::vector<Stmt>> find_block(const Stmt& body, const std::set<Buffer>& buffers) {
  std::vector<Stmt> path;
  for (Stmt at = body; at.defined();) {
    path.push_back(at);
    if (const auto* let = at.as<Let>()) {
      if (touches(let->value, buffers)) return std::nullopt;
      at = Stmt(let->body);
    } else if (const auto* allocate = at.as<Allocate>()) {
      at = Stmt(allocate->body);
    } else if (const auto* branch = at.as<IfThenElse>()) {
      const bool in_then = touches(branch->then_case, buffers), in_else = touches(branch->else_case, buffers);
      if (touches(branch->condition, buffers) || in_then == in_else) return std::nullopt;
      at = Stmt(in_then ? branch->then_case : branch->else_case);
    } else if (const auto* sequence = at.as<Block>()) {
      std::vector<Stmt> touching;
      for (const Stmt& s : sequence->stmts) {
        if (touches(s, buffers)) touching.push_back(s);
      }
      if (touching.size() != 1) return path;
      at = touching.front();
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// The statements of the block that compute the group, in order.
std::vector<Stmt> fills_of(const Block& sequence, const std::set<Buffer>& buffers) {
  std::vector<Stmt> fills;
  for (const Stmt& s : sequence.stmts) {
    const Uses uses = uses_of(s);
    const auto is_one = [&](const Buffer& buffer) { return buffers.count(buffer) > 0; };
    if (std::any_of(uses.written.begin(), uses.written.end(), is_one)) fills.push_back(s);
  }
  return fills;
}

/// Redirects accesses to buffers to a slot of their double-buffered storage.
class Redirector : public Mutator {
 public:
  Redirector(std::map<Buffer, Buffer> slotted, Expr slot) : slotted_(std::move(slotted)), slot_(std::move(slot)) {}
  using Mutator::mutate;
  Expr mutate(const Expr& e) override {
    const Expr changed = mutate_children(e);
    const auto* load = changed.defined() ? changed.as<Load>() : nullptr;
    const auto found = load != nullptr ? slotted_.find(load->buffer) : slotted_.end();
    return found == slotted_.end() ? changed : make_load(found->second, in_slot(load->indices), load->mask);
  }
  Stmt mutate(const Stmt& s) override {
    const Stmt changed = mutate_children(s);
    if (!changed.defined()) return changed;
    if (const auto* store = changed.as<Store>(); store != nullptr && slotted_.count(store->buffer) > 0) {
      Store redirected = *store;
      redirected.buffer = slotted_.at(store->buffer);
      redirected.indices = in_slot(store->indices);
      return make_store(std::move(redirected));
    }
    if (const auto* hint = changed.as<Prefetch>(); hint != nullptr && slotted_.count(hint->buffer) > 0) {
      return make_prefetch(slotted_.at(hint->buffer), in_slot(hint->indices), hint->for_write, hint->locality);
    }
    return changed;
  }

 private:
  std::vector<Expr> in_slot(std::vector<Expr> indices) const {
    indices.insert(indices.begin(), slot_);
    return indices;
  }

  std::map<Buffer, Buffer> slotted_;
  Expr slot_;
};

Buffer make_slots(const Buffer& buffer, std::int64_t slots) {
  std::vector<Expr> shape = buffer->shape, strides = buffer->strides;
  if (!strides.empty()) strides.insert(strides.begin(), strides.front() * shape.front());
  shape.insert(shape.begin(), Expr(slots));
  return {buffer->name, buffer->element, std::move(shape), buffer->scope, std::move(strides), buffer->alignment};
}

/// The rewriting of one loop: its new body, the statements before it, and the buffers allocated around it.
struct LoopRewrite {
  const For& loop;
  Stmt body;
  std::vector<Stmt> before;
  std::vector<Buffer> allocated;
};

class SlotRewriter : public Mutator {
 public:
  SlotRewriter(const std::vector<Group>& groups, const Stmt& s, bool has_async_copy)
      : groups_(groups), has_async_copy_(has_async_copy), around_(groups.size()) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const Buffer& buffer : buffers_of(groups[g])) group_of_.emplace(buffer, g);
    }
    std::vector<Var> open;
    find_loops(s, open);
  }
  using Mutator::mutate;
  Expr mutate(const Expr& e) override { return e; }
  Stmt mutate(const Stmt& s) override {
    Stmt inside = mutate_children(s);
    if (!inside.defined()) return inside;
    if (const auto* allocate = inside.as<Allocate>()) {
      const auto found = swapped_.find(allocate->buffer);
      return found == swapped_.end() ? inside : with_body(*allocate, found->second, allocate->body);
    }
    const auto* loop = inside.as<For>();
    if (loop == nullptr || (loop->kind != LoopKind::kSerial && loop->kind != LoopKind::kUnrolled)) return inside;
    LoopRewrite rewrite{*loop, loop->body, {}, {}};
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (around_[g] && !around_[g]->empty() && around_[g]->back() == loop->var)
        apply_double_buffering(rewrite, groups_[g]);
    }
    if (rewrite.before.empty()) return inside;
    rewrite.before.push_back(make_for(loop->var, loop->min, loop->extent, loop->kind, rewrite.body));
    Stmt result = block(std::move(rewrite.before));
    for (const Buffer& buffer : rewrite.allocated) result = make_allocate(buffer, std::move(result));
    return result;
  }

  /// Throws LowerError for a stage that was refused in every loop.
  void require_effect() const {
    for (const auto& [stage, reason] : refused_) {
      if (done_.count(stage) == 0) throw LowerError(reason);
    }
  }

 private:
  /// The loops around all accesses to each group.
  void find_loops(const Stmt& s, std::vector<Var>& open) {
    if (!s.defined()) return;
    const auto note = [&](const Buffer& buffer) {
      const auto found = group_of_.find(buffer);
      if (found == group_of_.end()) return;
      std::optional<std::vector<Var>>& around = around_[found->second];
      if (!around) around = open;
      const auto [end, other] = std::mismatch(around->begin(), around->end(), open.begin(), open.end());
      around->erase(end, around->end());
    };
    const auto note_reads = [&](const Expr& e) {
      const auto* load = e.as<Load>();
      if (load != nullptr) note(load->buffer);
    };
    std::visit(overloaded{[&](const For& n) {
                            for_each_expr(n.min, note_reads);
                            for_each_expr(n.extent, note_reads);
                            open.push_back(n.var);
                            find_loops(n.body, open);
                            open.pop_back();
                          },
                          [&](const Block& n) {
                            for (const Stmt& inner : n.stmts) find_loops(inner, open);
                          },
                          [&](const Let& n) {
                            for_each_expr(n.value, note_reads);
                            find_loops(n.body, open);
                          },
                          [&](const IfThenElse& n) {
                            for_each_expr(n.condition, note_reads);
                            find_loops(n.then_case, open);
                            find_loops(n.else_case, open);
                          },
                          [&](const Allocate& n) { find_loops(n.body, open); },
                          [&](const Store& n) {
                            note(n.buffer);
                            for_each_expr(s, note_reads);
                          },
                          [](const OneOf<Prefetch, CommitCopies, Barrier, Launch, TensorInstruction> auto&) {}},
               s.node().value);
  }

  void refuse(const For& loop, const std::string& stage, const std::string& why) {
    refused_.emplace(stage, fmt::format("{} is double-buffered at loop {}, but {}", stage, loop.var.name(), why));
  }

  void apply_double_buffering(LoopRewrite& rewrite, Group group) {
    const For& loop = rewrite.loop;
    const auto path = find_block(rewrite.body, buffers_of(group));
    if (!path) {
      for (const DoubleBuffered& member : group) {
        refuse(loop, member.stage, "it is computed and used by one loop there, so that none of it can be done ahead");
      }
      return;
    }
    const Uses in_loop = uses_of(rewrite.body);
    std::vector<Stmt> fills;
    do {
      fills = fills_of(*path->back().as<Block>(), buffers_of(group));
    } while (drop_unmovable(rewrite, *path, in_loop, fills, group));
    if (fills.empty()) return;

    const std::int64_t* extent = as_const_int(loop.extent);
    std::int64_t slots = group.front().slots;
    if (extent != nullptr) slots = std::max<std::int64_t>(2, std::min(slots, *extent));
    std::map<Buffer, Buffer> doubled;
    for (const Buffer& buffer : buffers_of(group)) doubled.emplace(buffer, make_slots(buffer, slots));
    Redirector redirect(doubled, (loop.var - loop.min) % Expr(slots));
    Stmt fill = block(fills);
    for (std::size_t n = path->size(); n-- > 0;) fill = with_conditions((*path)[n], n, *path, std::move(fill));
    fill = redirect.mutate(fill);
    Stmt rest = redirect.mutate(without_fills(*path, fills, rewrite, doubled));

    const auto fill_for = [&](const Expr& iteration) { return Copier({{loop.var, iteration}}, true).mutate(fill); };
    const std::int64_t ahead = slots - 1;
    Stmt next = fill_for(loop.var + ahead);
    // With one iteration ahead, barriers wait for all copies in flight, so that groups would make no difference.
    const bool in_groups = ahead > 1 && has_copies(next, has_async_copy_);
    const Stmt commit = in_groups ? make_commit_copies(static_cast<int>(ahead - 1)) : Stmt();
    for (std::int64_t i = 0; i < ahead; ++i) {
      Stmt first = fill_for(i == 0 ? loop.min : loop.min + i);
      if (extent == nullptr) first = make_if(Expr(i) < loop.extent, std::move(first));
      rewrite.before.push_back(std::move(first));
      rewrite.before.push_back(commit);
    }
    const Expr has_next = likely(loop.var + ahead < loop.min + loop.extent);
    if (const auto staged = stage_in_registers(next, has_async_copy_)) {
      rewrite.body =
          block({make_if(has_next, staged->load), commit, std::move(rest), make_if(has_next, staged->store)});
      for (const Buffer& buffer : staged->registers) rewrite.body = make_allocate(buffer, rewrite.body);
    } else if (multiplies_shared(rest)) {
      rewrite.body = block({std::move(rest), make_if(has_next, std::move(next)), commit});
    } else {
      rewrite.body = block({make_if(has_next, std::move(next)), commit, std::move(rest)});
    }
    for (const DoubleBuffered& member : group) done_.insert(member.stage);
  }

  /// Removes one stage that cannot be computed ahead from the group. False if all of them can be.
  bool drop_unmovable(const LoopRewrite& rewrite, const std::vector<Stmt>& path, const Uses& in_loop,
                      const std::vector<Stmt>& fills, Group& group) {
    const auto drop = [&](std::size_t member, const std::string& why) {
      refuse(rewrite.loop, group[member].stage, why);
      group.erase(group.begin() + static_cast<std::ptrdiff_t>(member));
      return true;
    };
    std::set<Var> varying{rewrite.loop.var};
    BufferList conditions;
    for (const Stmt& s : path) {
      if (const auto* let = s.as<Let>()) varying.insert(let->var);
      const auto* branch = s.as<IfThenElse>();
      const auto* let = s.as<Let>();
      const Uses uses = uses_of(branch != nullptr ? branch->condition : let != nullptr ? let->value : Expr());
      conditions.insert(uses.read);
    }
    for (std::size_t m = 0; m < group.size(); ++m) {
      if (size_varies(group[m], varying)) {
        return drop(m, "its size there depends on the iteration, and all slots have one size");
      }
    }
    const std::set<Buffer> buffers = buffers_of(group);
    std::set<Buffer> moved = buffers;
    for (const Stmt& s : fills) {
      const Uses uses = uses_of(s);
      moved.insert(uses.own.begin(), uses.own.end());
    }
    for (const Stmt& s : fills) {
      Uses uses = uses_of(s);
      const std::size_t m = member_of(uses, group);
      for (const Buffer& buffer : uses.written) {
        if (moved.count(buffer) > 0) continue;
        return drop(m, fmt::format("it is computed by one loop with {}, which cannot be done ahead", buffer->name));
      }
      uses.read.insert(conditions);
      for (const Buffer& buffer : uses.read) {
        if (!in_loop.written.contains(buffer) || moved.count(buffer) > 0) continue;
        return drop(m, fmt::format("reads {0}, which is computed in the same loop, so that nothing can be done ahead: "
                                   "compute {0} outside of the loop or inside {1}, or double-buffer it too",
                                   buffer->name, group[m].stage));
      }
    }
    return false;
  }

  static bool size_varies(const DoubleBuffered& member, const std::set<Var>& varying) {
    const auto varies = [&](const Expr& size) {
      return any_expr(size, [&](const Expr& e) {
        const auto* ref = e.as<VarRef>();
        return ref != nullptr && varying.count(ref->var) > 0;
      });
    };
    return std::any_of(member.buffers.begin(), member.buffers.end(), [&](const Buffer& buffer) {
      return std::any_of(buffer->shape.begin(), buffer->shape.end(), varies) ||
             std::any_of(buffer->strides.begin(), buffer->strides.end(), varies);
    });
  }

  static std::size_t member_of(const Uses& uses, const Group& group) {
    const auto stores = [&](const DoubleBuffered& member) {
      return std::any_of(member.buffers.begin(), member.buffers.end(),
                         [&](const Buffer& buffer) { return uses.written.contains(buffer); });
    };
    return static_cast<std::size_t>(std::find_if(group.begin(), group.end(), stores) - group.begin());
  }

  /// `fill`, which lies inside path[n], with the let or condition of `s`.
  static Stmt with_conditions(const Stmt& s, std::size_t n, const std::vector<Stmt>& path, Stmt fill) {
    if (const auto* let = s.as<Let>()) return make_let(let->var, let->value, std::move(fill));
    const auto* branch = s.as<IfThenElse>();
    if (branch == nullptr) return fill;
    const bool in_then = branch->then_case.defined() && branch->then_case.same_as(path[n + 1]);
    return in_then ? make_if(branch->condition, std::move(fill)) : make_if(branch->condition, {}, std::move(fill));
  }

  /// The loop's body without `fills` and without the allocations of the buffers that they fill, which move out of the
  /// loop unless they are outside already.
  Stmt without_fills(const std::vector<Stmt>& path, const std::vector<Stmt>& fills, LoopRewrite& rewrite,
                     const std::map<Buffer, Buffer>& doubled) {
    const auto is_fill = [&](const Stmt& s) {
      return std::any_of(fills.begin(), fills.end(), [&](const Stmt& fill) { return fill.same_as(s); });
    };
    for (const auto& [whole, halves] : doubled) swapped_.emplace(whole, halves);
    Stmt result;
    for (std::size_t n = path.size(); n-- > 0;) {
      const Stmt& s = path[n];
      if (const auto* sequence = s.as<Block>()) {
        std::vector<Stmt> kept;
        for (const Stmt& inner : sequence->stmts) {
          const bool is_next = n + 1 < path.size() && inner.same_as(path[n + 1]);
          if (is_next || !is_fill(inner)) kept.push_back(is_next ? result : inner);
        }
        result = block(std::move(kept));
      } else if (const auto* let = s.as<Let>()) {
        result = make_let(let->var, let->value, std::move(result));
      } else if (const auto* branch = s.as<IfThenElse>()) {
        const bool in_then = branch->then_case.defined() && branch->then_case.same_as(path[n + 1]);
        result = in_then ? make_if(branch->condition, std::move(result), branch->else_case)
                         : make_if(branch->condition, branch->then_case, std::move(result));
      } else if (const auto* allocate = s.as<Allocate>()) {
        const auto found = doubled.find(allocate->buffer);
        if (found != doubled.end()) {
          rewrite.allocated.push_back(found->second);
        } else {
          result = with_body(*allocate, allocate->buffer, std::move(result));
        }
      }
    }
    return result;
  }

  const std::vector<Group>& groups_;
  bool has_async_copy_;
  std::map<Buffer, std::size_t> group_of_;
  std::vector<std::optional<std::vector<Var>>> around_;  ///< by group; absent if nothing accesses it
  std::map<Buffer, Buffer> swapped_;
  std::map<std::string, std::string> refused_;  ///< the first reason, by stage
  std::set<std::string> done_;                  ///< stages
};

}  // namespace

Program double_buffer(Program program, PassContext& context) {
  const bool has_async_copy = has_asynchronous_copies(context.target);
  for (std::size_t k = 0; k < context.notes.size(); ++k) {
    if (context.notes[k].double_buffered.empty()) continue;
    Stmt& body = program.kernels[k].body;
    SlotRewriter rewriter(context.notes[k].double_buffered, body, has_async_copy);
    const Stmt result = rewriter.mutate(body);
    rewriter.require_effect();
    if (!result.same_as(body)) body = simplify(result, ranges_of_symbols(program));
  }
  return program;
}

}  // namespace nestwright::passes
