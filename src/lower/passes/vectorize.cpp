#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "ir/simplify/simplify.h"
#include "ir/traversal/linear.h"
#include "lower/passes.h"
#include "lower/support/copier.h"
#include "lower/support/lane_builder.h"
#include "nestwright/error.h"
#include "nestwright/schedule.h"

namespace nestwright::passes {
namespace {

using namespace ir;

// Iterations `first` .. first + active - 1 of a loop as one vector; a scalar if `lanes` is 1.
struct Piece {
  std::int64_t first;
  int lanes, active;
};

std::vector<Piece> cut(std::int64_t extent, int width, bool has_masks) {
  std::vector<Piece> pieces;
  std::int64_t first = 0;
  for (; extent - first >= width; first += width) pieces.push_back({first, width, width});
  while (first < extent) {
    const auto rest = static_cast<unsigned>(extent - first);
    const int lanes = static_cast<int>(has_masks ? std::bit_ceil(rest) : std::bit_floor(rest));
    const int active = std::min(lanes, static_cast<int>(rest));
    pieces.push_back({first, lanes, active});
    first += active;
  }
  return pieces;
}

// The lanes of a full vector of the widest element type that the loop accesses.
int vector_width(const Stmt& body, const Target& target) {
  int width = 0;
  const auto note = [&](const Buffer& buffer) {
    const int lanes = std::max(1, target.lanes(buffer->element));
    width = width == 0 ? lanes : std::min(width, lanes);
  };
  for_each_stmt(body, [&](const Stmt& s) {
    if (const auto* store = s.as<Store>()) note(store->buffer);
  });
  for_each_expr(body, [&](const Expr& e) {
    if (const auto* load = e.as<Load>()) note(load->buffer);
  });
  return std::max(width, 1);
}

// Whether vectors may be partial. AVX2 has masked loads and stores of elements of 4 and 8 bytes only.
bool can_mask(const Stmt& body, const Target& target) {
  if (target.has_masks()) return true;
  bool wide = target.isa == CpuIsa::kAvx2;
  const auto note = [&](const Buffer& buffer) { wide &= buffer->element.bytes() >= 4; };
  for_each_stmt(body, [&](const Stmt& s) {
    if (const auto* store = s.as<Store>()) note(store->buffer);
  });
  for_each_expr(body, [&](const Expr& e) {
    if (const auto* load = e.as<Load>()) note(load->buffer);
  });
  return wide;
}

class Vectorizer final : public Mutator {
 public:
  explicit Vectorizer(const Target& target) : target_(target) {}
  using Mutator::mutate;

  Stmt mutate(const Stmt& s) override {
    const auto* loop = s.defined() ? s.as<For>() : nullptr;
    if (loop == nullptr) return mutate_children(s);
    if (loop->kind == LoopKind::kVectorized) return expand(*loop);
    ranges_.bind(loop->var, loop->min, loop->extent);
    return mutate_children(s);
  }

 private:
  Stmt expand(const For& loop) const {
    const Linear extent = to_linear(loop.extent);
    if (!extent.is_constant()) {
      throw LowerError(fmt::format(
          "loop {} cannot be vectorized: its extent is not constant; split it by a constant first", loop.var.name()));
    }
    if (extent.constant > kMaxVectorizedIterations) {
      throw LowerError(
          fmt::format("loop {} cannot be vectorized: it has {} iterations, at most {} can be; split it "
                      "first",
                      loop.var.name(), extent.constant, kMaxVectorizedIterations));
    }
    std::vector<Stmt> stmts;
    const bool has_masks = can_mask(loop.body, target_);
    for (const Piece& piece : cut(extent.constant, vector_width(loop.body, target_), has_masks)) {
      const Expr first = loop.min + Expr(piece.first);
      const bool fresh = piece.first > 0;  // only one copy may keep the bindings
      if (piece.lanes == 1) {
        stmts.push_back(Copier({{loop.var, first}}, fresh).mutate(loop.body));
        continue;
      }
      const Var lane(loop.var.name());
      LaneBuilder builder(lane, piece.lanes, piece.active, has_masks, ranges_, loop.var.name());
      stmts.push_back(builder.build(Copier({{loop.var, first + lane}}, fresh).mutate(loop.body)));
    }
    return block(std::move(stmts));
  }

  const Target& target_;
  Ranges ranges_;
};

}  // namespace

Program vectorize(Program program, PassContext& context) {
  return on_kernels(std::move(program), [&](const Stmt& body) { return Vectorizer(context.target).mutate(body); });
}

}  // namespace nestwright::passes
