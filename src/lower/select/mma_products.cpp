// Selects instructions of tensor cores, mma.sync and ldmatrix: loop nests over tiles of fragments become instructions
// that the threads of a warp execute together. Nests that no instruction computes are refused.
//
//   for i in 0..16: for j in 0..8: T[i, j] = 0                                       fragment_fill
//   for i in 0..16: for k in 0..16: A[i, k] = S[i, k]                                fragment_load
//   for k in 0..16: for i in 0..16: A[k, i] = S[k, i]                                fragment_load_transposed, or load
//   for i in 0..16: for k in 0..8: A[i, k] = round_tf32(S[i, k])                     fragment_load, of float32
//   for i in 0..16: for j in 0..8: for k in 0..16: T[i, j] += A[i, k] * B[k, j]      fragment_multiply
//
// A step of the reduction is 16 halves, 32 bytes, or 8 float32, which are multiplied as tf32. Other statements may read
// sums, each thread its own elements (ir/gpu/fragment_layout.h).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/analysis/lanes.h"
#include "ir/analysis/symbol_ranges.h"
#include "ir/gpu/fragment_layout.h"
#include "ir/simplify/vector_access.h"
#include "ir/traversal/linear.h"
#include "lower/passes.h"
#include "lower/support/ranges_mutator.h"
#include "nestwright/program.h"

namespace nestwright::passes {
namespace {

using namespace ir;

// mma.sync.m16n8k16, m16n8k32 of bytes and m16n8k8 of tf32: the product of one instruction, and the bytes of its steps
// along the reduction.
constexpr std::int64_t kRows = 16, kColumns = 8, kStepBytes = 32;

/// The load in a value that is a load, or a load rounded to tf32; nullptr for others.
const Load* loaded(const Expr& value) {
  const auto* call = value.as<Call>();
  return (call != nullptr && call->intrinsic == Intrinsic::kRoundTf32 ? call->args[0] : value).as<Load>();
}

/// Adjacent matrices of a fragment, and the loops over them.
struct Tile {
  Buffer buffer;
  const For *first = nullptr, *second = nullptr;  ///< over the second-last dimension, and the last
  MatrixPosition position;                        ///< of the first matrix
};

class Selector final : public RangesMutator {
 public:
  Selector(const Stmt& kernel, Ranges known) : RangesMutator(std::move(known)), layout_(kernel) {}
  using Mutator::mutate;

  Expr mutate(const Expr& e) override {
    const auto* load = e.defined() ? e.as<Load>() : nullptr;
    if (load != nullptr && load->buffer->scope == Scope::kFragment) require_own(*load);
    return mutate_children(e);
  }

  Stmt mutate(const Stmt& s) override {
    if (!s.defined() || s.as<TensorInstruction>() != nullptr) return s;
    if (const auto* allocation = s.as<Allocate>();
        allocation != nullptr && allocation->buffer->scope == Scope::kFragment) {
      layout_.registers(allocation->buffer);
      layout_.register_type(allocation->buffer);
    }
    if (const auto* let = s.as<Let>(); let != nullptr && let->var.type().lanes > 1) {
      vectors_.emplace(let->var, substitute(let->value, vectors_));
    }
    if (const auto* store = s.as<Store>(); store != nullptr && store->buffer->scope == Scope::kFragment) {
      refuse_fragment(store->buffer,
                      "one element of it is stored to: split the loops of what fills it by the tile's size");
    }
    if (const auto* loop = s.as<For>()) {
      if (auto instruction = instruction_of(*loop)) {
        instruction->body = s;
        return make_tensor_instruction(std::move(*instruction));
      }
    }
    return mutate_inside(s);
  }

 private:
  /// Throws LowerError for an element that the thread does not have.
  void require_own(const Load& load) const {
    std::vector<Expr> indices;
    for (const Expr& index : load.indices) indices.push_back(substitute(index, vectors_));
    for (int lane = 0; lane < lanes_of(indices); ++lane) {
      layout_.own_register(load.buffer, at_lane(indices, lane), known());
    }
  }

  /// The instruction of a nest; absent for an ordinary loop.
  std::optional<TensorInstruction> instruction_of(const For& loop) const {
    const FragmentNest nest(loop);
    if (nest.store == nullptr) return std::nullopt;
    const Store& store = *nest.store;
    const bool multiplies = as_fragment_product(store.value).is_product();
    const std::size_t depth = multiplies ? 3 : 2;
    if (nest.loops.size() > depth) return std::nullopt;  // over tiles
    if (nest.loops.size() < depth || store.mask.defined()) {
      refuse_fragment(store.buffer, "a loop nest covers a part of a tile: split its loops by the tile's size");
    }
    if (const Load* load = loaded(store.value)) return load_of(nest, *load);
    if (layout_.reduces_last(store.buffer)) {
      refuse_fragment(store.buffer,
                      "it is multiplied, and not loaded: what is multiplied is copied from shared memory");
    }
    return multiplies ? product_of(nest) : fill_of(nest);
  }

  TensorInstruction fill_of(const FragmentNest& nest) const {
    const Store& store = *nest.store;
    if (store.value.as<FloatImm>() == nullptr && store.value.as<IntImm>() == nullptr) {
      refuse_fragment(store.buffer,
                      fmt::format("it is filled with {}, which no instruction computes: compute that before, in "
                                  "shared scope",
                                  to_string(store.value)));
    }
    const Tile tile = tile_of(nest, store.buffer, store.indices);
    if (!is_const_int(tile.first->extent, kRows) || !is_const_int(tile.second->extent, kColumns)) {
      refuse_fragment(store.buffer,
                      "it is filled by other tiles than 16 x 8: split its rows by 16 and its columns by 8");
    }
    return {.op = TensorOp::kFragmentFill,
            .operands = {rows_of(tile, 0), rows_of(tile, 1), {{}, store.value}},
            .type = store.buffer->element};
  }

  TensorInstruction load_of(const FragmentNest& nest, const Load& load) const {
    const Buffer &to = nest.store->buffer, &from = load.buffer;
    const std::optional<bool> reduces_last = layout_.reduces_last(to);
    if (!reduces_last) {
      refuse_fragment(to,
                      "it is copied from another buffer, and multiplied nowhere: only what is multiplied is loaded");
    }
    if (to->element == kFloat32 && nest.store->value.as<Load>() != nullptr) {
      refuse_fragment(to, fmt::format("float32 is multiplied as tf32: load round_tf32 of {}", from->name));
    }
    const Tile tile = tile_of(nest, to, nest.store->indices);
    const For *across = *reduces_last ? tile.first : tile.second, *along = *reduces_last ? tile.second : tile.first;
    const std::int64_t bytes = to->element.bytes(), steps = kStepBytes / bytes;
    if (!is_const_int(across->extent, kRows) || !is_const_int(along->extent, steps)) {
      refuse_fragment(
          to, fmt::format("it is loaded by other tiles than 16 by {} steps of the reduction: split its loops by these",
                          steps));
    }
    if (from->scope != Scope::kShared || load.mask.defined() || from->element != to->element) {
      refuse_fragment(
          to, fmt::format("it is not loaded from shared memory as it lies there: cache_read {} in shared scope first",
                          from->name));
    }
    Linear base = to_linear(element_offset(from, load.indices));
    const std::int64_t step_across = base.coefficient(across->var), step_along = base.coefficient(along->var);
    base.add_term(across->var, -step_across).add_term(along->var, -step_along);
    const bool transposed = step_across == 1 && step_along != 1;
    const std::int64_t step = transposed ? step_along : step_across, row = kOperandRowBytes / bytes;
    if (transposed && bytes == 1) {
      refuse_fragment(to,
                      fmt::format("bytes are multiplied along rows only: store {} in rows that run along the reduction",
                                  from->name));
    }
    const bool hidden = base.is_nonlinear_in(across->var) || base.is_nonlinear_in(along->var);
    // ldmatrix reads rows of 16 bytes that are aligned to 16; types that it cannot transpose are loaded by element.
    const bool in_rows = !transposed || bytes == 2;
    if (hidden || (step_along != 1 && step_across != 1) || (in_rows && (step % row != 0 || !is_multiple(base, row)))) {
      refuse_fragment(to,
                      fmt::format("rows of {} are not read from multiples of 16 bytes on: pad them by storage_align to "
                                  "multiples of {} elements",
                                  from->name, row));
    }
    return {.op = transposed ? TensorOp::kFragmentLoadTransposed : TensorOp::kFragmentLoad,
            .operands = {rows_of(tile, 0), rows_of(tile, 1), {from, base.expr()}, {{}, Expr(step * bytes)}},
            .type = to->element};
  }

  TensorInstruction product_of(const FragmentNest& nest) const {
    const Store& store = *nest.store;
    const Buffer& sums = store.buffer;
    const FragmentProduct product = as_fragment_product(store.value);
    const auto is_fragment = [](const Load* load) { return load->buffer->scope == Scope::kFragment; };
    if (product.sum == nullptr || product.sum->buffer != sums || !is_fragment(product.a) || !is_fragment(product.b)) {
      refuse_fragment(sums, "what is added to it is no product of two fragments: cache_read both in fragment scope");
    }
    const Tile to = tile_of(nest, sums, store.indices), same = tile_of(nest, sums, product.sum->indices);
    Tile a = tile_of(nest, product.a->buffer, product.a->indices);
    Tile b = tile_of(nest, product.b->buffer, product.b->indices);
    const auto has = [](const Tile& tile, const For* loop) { return tile.first == loop || tile.second == loop; };
    if (!has(a, to.first)) std::swap(a, b);
    const For* steps = nullptr;
    for (const For* loop : nest.loops) steps = loop != to.first && loop != to.second ? loop : steps;
    const Linear apart = to_linear(rows_of(to, 0).at - rows_of(same, 0).at);
    const bool fits = steps != nullptr && to.first == same.first && to.second == same.second && apart.is_constant() &&
                      apart.constant == 0 && has(a, to.first) && has(a, steps) && has(b, to.second) && has(b, steps) &&
                      can_multiply(a.buffer->element, b.buffer->element, sums->element);
    if (!fits) refuse_fragment(sums, kNoFragmentProduct);
    const std::int64_t count = kStepBytes / a.buffer->element.bytes();
    if (!is_const_int(to.first->extent, kRows) || !is_const_int(to.second->extent, kColumns) ||
        !is_const_int(steps->extent, count)) {
      refuse_fragment(
          sums, fmt::format("it is added to by other tiles than 16 x 8, {0} steps at a time: split its rows by 16, its "
                            "columns by 8 and the reduction by {0}",
                            count));
    }
    return {.op = TensorOp::kFragmentMultiply,
            .operands = {rows_of(to, 0), rows_of(to, 1), rows_of(a, 0), rows_of(a, 1), rows_of(b, 0)},
            .type = a.buffer->element};
  }

  Tile tile_of(const FragmentNest& nest, const Buffer& buffer, const std::vector<Expr>& indices) const {
    Tile tile{.buffer = buffer};
    layout_.registers(buffer);  // throws unless the buffer has the layout of a fragment
    const int rank = buffer->rank();
    for (int d = 0; d < rank; ++d) {
      const Expr& index = indices[static_cast<std::size_t>(d)];
      const auto [loop, rest] = step_through(nest, buffer, index, d < rank - 2);
      if (d < rank - 2) {
        tile.position.slice = tile.position.slice * Expr(fragment_extent(buffer, d)) + rest.expr();
        continue;
      }
      if (loop == nullptr || !is_multiple(rest, layout_.side(buffer, d))) {
        refuse_fragment(buffer,
                        fmt::format("index {} does not begin at a tile of it: split its loops by the tile's size",
                                    to_string(index)));
      }
      (d == rank - 2 ? tile.first : tile.second) = loop;
      (d == rank - 2 ? tile.position.row : tile.position.column) = divided(rest, layout_.side(buffer, d));
    }
    // An operand's registers are ordered across the reduction first, then along it.
    if (layout_.reduces_last(buffer) == false) std::swap(tile.position.row, tile.position.column);
    return tile;
  }

  /// The loop of the nest that the index steps through, or nullptr, and the index's start.
  static std::pair<const For*, Linear> step_through(const FragmentNest& nest, const Buffer& buffer, const Expr& index,
                                                    bool is_slice) {
    Linear rest = to_linear(index);
    const For* found = nullptr;
    for (const For* loop : nest.loops) {
      const std::int64_t step = rest.is_nonlinear_in(loop->var) ? 2 : rest.coefficient(loop->var);
      if (step == 0) continue;
      if (step != 1 || found != nullptr || is_slice || !is_const_int(loop->min, 0)) {
        refuse_fragment(buffer,
                        fmt::format("index {} does not step through a tile of it: split its loops by the tile's size",
                                    to_string(index)));
      }
      found = loop;
      rest.add_term(loop->var, -1);
    }
    return {found, rest};
  }

  /// The first register of the upper (0) or lower (1) rows of the tile's matrices.
  Operand rows_of(const Tile& tile, int rows) const {
    return {tile.buffer, layout_.register_of(tile.buffer, tile.position, rows)};
  }

  FragmentLayout layout_;
  Substitution vectors_;  ///< values of lets that are vectors
};

}  // namespace

Program mma_products(Program program, PassContext&) {
  const Ranges known = ranges_of_host(program);
  return on_kernels(std::move(program),
                    [&](const Stmt& body) { return has_fragments(body) ? Selector(body, known).mutate(body) : body; });
}

}  // namespace nestwright::passes
