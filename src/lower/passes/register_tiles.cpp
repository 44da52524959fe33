#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "lower/support/constant_index.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::passes {
namespace {

using namespace ir;

bool is_private(const Buffer& buffer) { return buffer->scope == Scope::kRegister || buffer->scope == Scope::kLocal; }

// The number of active lanes of a mask ramp(0, 1) < constant; -1 for any other mask.
std::int64_t active_lanes(const Expr& mask) {
  const auto* less = mask.as<Binary>();
  if (!less || less->op != BinaryOp::kLt) return -1;
  const auto* ramp = less->a.as<Ramp>();
  const auto* bound = less->b.as<Broadcast>();
  if (!ramp || !bound || !is_const_int(ramp->stride, 1) || !is_const_int(ramp->base, 0)) return -1;
  const std::int64_t* active = as_const_int(bound->value);
  return active ? *active : -1;
}

struct Tile {
  std::int64_t row = 0;            ///< elements that the last dimension needs
  bool constant = true;            ///< all indices are constant
  bool whole_vectors_only = true;  ///< every store is of a vector along the last dimension
};

class Collector final : public Visitor {
 public:
  using Visitor::visit;
  void visit(const Stmt& s) override {
    if (!s.defined()) return;
    if (const auto* store = s.as<Store>(); store && is_private(store->buffer)) {
      note(store->buffer, store->indices, true);
    }
    visit_children(s);
  }
  void visit(const Expr& e) override {
    if (!e.defined()) return;
    if (const auto* load = e.as<Load>(); load && is_private(load->buffer)) note(load->buffer, load->indices, false);
    visit_children(e);
  }
  std::map<Buffer, Tile> tiles;

 private:
  void note(const Buffer& buffer, const std::vector<Expr>& indices, bool is_store) {
    Tile& tile = tiles[buffer];
    for (const Expr& index : indices) {
      if (constant_index(index)) continue;
      tile.constant = false;
      if (buffer->scope != Scope::kRegister) continue;
      throw LowerError(
          fmt::format("register buffer {} is indexed by {}, which is not constant once loops are unrolled: unroll the "
                      "loops over it, or keep it in local scope",
                      buffer->name, to_string(index)));
    }
    if (indices.empty() || !tile.constant) return;
    const ConstantIndex last = *constant_index(indices.back());
    if (last.lanes > 1 && last.stride == 1) {
      tile.row = std::max(tile.row, last.base + last.lanes);
    } else if (is_store) {
      tile.whole_vectors_only = false;
    }
  }
};

class Padder final : public Mutator {
 public:
  explicit Padder(const std::map<Buffer, Tile>& tiles) : tiles_(tiles) {}
  using Mutator::mutate;

  Stmt mutate(const Stmt& s) override {
    if (!s.defined()) return s;
    if (const auto* allocate = s.as<Allocate>(); allocate && is_private(allocate->buffer)) {
      pad(allocate->buffer);
      const auto found = padded_.find(allocate->buffer);
      if (found == padded_.end()) return mutate_children(s);
      return make_allocate(found->second, mutate(allocate->body));
    }
    if (const auto* store = s.as<Store>()) {
      store_mask_ = store->mask;
      const auto found = padded_.find(store->buffer);
      if (found == padded_.end()) return mutate_children(s);
      Store padded = *store;
      padded.buffer = found->second;
      padded.indices = constants(store->indices);
      padded.value = mutate(store->value);
      padded.mask = needed(store->buffer, store->indices, store->mask);
      return make_store(std::move(padded));
    }
    return mutate_children(s);
  }

  Expr mutate(const Expr& e) override {
    if (!e.defined()) return e;
    const auto* load = e.as<Load>();
    const auto found = load ? padded_.find(load->buffer) : padded_.end();
    if (found == padded_.end()) return mutate_children(e);
    // Inactive lanes of a load are 0, which matters unless the store has the same mask.
    const bool unseen = load->mask.defined() && store_mask_.defined() && equal(load->mask, store_mask_);
    return make_load(found->second, constants(load->indices),
                     unseen ? needed(load->buffer, load->indices, load->mask) : mutate(load->mask));
  }

 private:
  void pad(const Buffer& buffer) {
    const auto tile = tiles_.find(buffer);
    if (tile == tiles_.end() || !tile->second.constant || buffer->rank() == 0 || !buffer->strides.empty()) return;
    const std::int64_t* extent = as_const_int(buffer->shape.back());
    if (!extent) return;
    std::vector<Expr> shape = buffer->shape;
    if (tile->second.row > *extent) shape.back() = make_int(tile->second.row, shape.back().type());
    padded_[buffer] = Buffer(buffer->name, buffer->element, std::move(shape), buffer->scope, {}, buffer->alignment);
  }

  static std::vector<Expr> constants(const std::vector<Expr>& indices) {
    std::vector<Expr> result;
    for (const Expr& index : indices) {
      const ConstantIndex c = *constant_index(index);
      const Expr base = make_int(c.base, index.type().element());
      result.push_back(index.as<Ramp>() ? make_ramp(base, make_int(c.stride, base.type()), c.lanes)
                                        : make_broadcast(base, c.lanes));
    }
    return result;
  }

  // The mask; undefined if its inactive lanes are padding, in rows that only whole vectors store to.
  Expr needed(const Buffer& buffer, const std::vector<Expr>& indices, const Expr& mask) {
    if (!mask.defined()) return mask;
    const ConstantIndex last = *constant_index(indices.back());
    const bool to_end =
        last.lanes > 1 && last.stride == 1 && last.base + active_lanes(mask) == *as_const_int(buffer->shape.back());
    return to_end && active_lanes(mask) > 0 && tiles_.at(buffer).whole_vectors_only ? Expr() : mutate(mask);
  }

  const std::map<Buffer, Tile>& tiles_;
  std::map<Buffer, Buffer> padded_;
  Expr store_mask_;  ///< of the store whose value is being rewritten
};

}  // namespace

Program register_tiles(Program program, PassContext&) {
  return on_kernels(std::move(program), [](const Stmt& body) {
    Collector collector;
    collector.visit(body);
    return Padder(collector.tiles).mutate(body);
  });
}

}  // namespace nestwright::passes
