#include "codegen/source/fragments.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/source/expression.h"
#include "codegen/source/warpgroup_product.h"
#include "ir/core/equal.h"
#include "ir/core/linear.h"
#include "ir/core/print.h"
#include "ir/core/rewrite.h"
#include "ir/verify/fragments.h"
#include "support/error.h"

namespace nestwright::codegen {
namespace {

using namespace ir;

// mma.sync.m16n8k16, m16n8k32 of bytes and m16n8k8 of tf32: of a product of tiles, and the bytes of its steps of the
// reduction.
constexpr std::int64_t kRows = 16, kColumns = 8, kStepBytes = 32;
constexpr std::int64_t kRowBytes = 16;  // of a matrix that is loaded
constexpr const char* kNoProduct =
    "what is added to it is no product of two matrices of float16, bfloat16 or tf32 in float32, or of bytes by int8 in "
    "int32";

bool is_fragment(const Buffer& buffer) { return buffer->scope == Scope::kFragment; }
bool is_byte(Type type) { return type == kInt8 || type == kUInt8; }
bool is_operand_type(Type type) { return type == kFloat16 || type == kBFloat16 || type == kFloat32 || is_byte(type); }
bool is_sum_type(Type type) { return type == kFloat32 || type == kInt32; }
/// Whether there is a product of these, with such sums.
bool are_multiplied(Type a, Type b, Type sums) {
  return is_byte(a) ? b == kInt8 && sums == kInt32 : is_operand_type(a) && a == b && sums == kFloat32;
}

[[noreturn]] void refuse(const Buffer& buffer, const std::string& why) {
  throw CompileError(fmt::format("buffer {} is kept in fragment scope, but {}", buffer->name, why));
}

bool is_multiple(const Linear& sum, std::int64_t of) {
  return sum.constant % of == 0 && std::all_of(sum.terms.begin(), sum.terms.end(),
                                               [&](const LinearTerm& term) { return term.coefficient % of == 0; });
}

/// Requires multiples.
Expr divided(Linear sum, std::int64_t by) {
  sum.constant /= by;
  for (LinearTerm& term : sum.terms) term.coefficient /= by;
  return sum.expr();
}

std::int64_t extent_of(const Buffer& buffer, int dimension) {
  const std::int64_t* extent = as_const_int(buffer->shape[static_cast<std::size_t>(dimension)]);
  if (extent == nullptr) refuse(buffer, "it has no constant size: split the loops that it is computed for");
  return *extent;
}

const Load* converted_load(const Expr& e) {
  const auto* cast = e.as<Cast>();
  return cast != nullptr && cast->value.as<Load>() != nullptr ? cast->value.as<Load>() : e.as<Load>();
}

/// Of a value that is read as it is, or rounded to tf32.
const Load* loaded(const Expr& value) {
  const auto* call = value.as<Call>();
  return (call != nullptr && call->intrinsic == Intrinsic::kRoundTf32 ? call->args[0] : value).as<Load>();
}

/// sum + a * b
struct Product {
  const Load *sum = nullptr, *a = nullptr, *b = nullptr;
  bool is_of_shared() const { return a->buffer->scope == Scope::kShared && b->buffer->scope == Scope::kShared; }
};

Product as_product(const Expr& value) {
  const auto* sum = value.as<Binary>();
  if (sum == nullptr || sum->op != BinaryOp::kAdd) return {};
  const bool first = sum->a.as<Load>() != nullptr;
  const auto* product = (first ? sum->b : sum->a).as<Binary>();
  if (product == nullptr || product->op != BinaryOp::kMul) return {};
  return {(first ? sum->a : sum->b).as<Load>(), converted_load(product->a), converted_load(product->b)};
}

}  // namespace

/// The loops around one store to a fragment, outermost first.
struct Fragments::Nest {
  std::vector<const For*> loops;
  const Store* store = nullptr;

  explicit Nest(const For& outermost) {
    const For* loop = &outermost;
    for (const Stmt* at = nullptr; loop != nullptr; loop = at->as<For>()) {
      if ((loop->kind != LoopKind::kSerial && loop->kind != LoopKind::kUnrolled) || !loop->body.defined()) return;
      loops.push_back(loop);
      at = &loop->body;
      store = at->as<Store>();
    }
    if (store != nullptr && !is_fragment(store->buffer)) store = nullptr;
  }
};

/// One or several matrices of a fragment that lie next to each other, and the loops over them.
struct Fragments::Tile {
  Buffer buffer;
  const For *first = nullptr, *second = nullptr;  ///< over the last dimension but one, and the last
  Expr row, column;                               ///< of matrices, where they begin; of an operand across and along
  Expr leading;                                   ///< number by the other dimensions
};

Fragments::Fragments(const Stmt& kernel) {
  for_each_stmt(kernel, [&](const Stmt& s) {
    if (const auto* let = s.as<Let>(); let != nullptr && warps_.var.defined() && let->var.type() == kIndex) {
      const Expr value = substitute(let->value, warps_.made_of);
      if (mentions(value, warps_.var)) warps_.made_of.emplace(let->var, value);
    }
    const auto* loop = s.as<For>();
    if (loop == nullptr) return;
    if (loop->kind == LoopKind::kThreadX) x_ = loop->var;
    if (loop->kind == LoopKind::kThreadY) y_ = loop->var;
    if (const std::int64_t* warps = as_const_int(loop->extent); loop->kind == LoopKind::kThreadZ && warps != nullptr) {
      warps_ = {loop->var, *warps, {}};
    }
    const Nest nest(*loop);
    const Product product = nest.store != nullptr ? as_product(nest.store->value) : Product{};
    if (product.a == nullptr || product.b == nullptr) return;
    if (product.is_of_shared()) of_warpgroups_.insert(nest.store->buffer);
    for (const Load* operand : {product.a, product.b}) {
      if (!is_fragment(operand->buffer) || operand->buffer->rank() < 2) continue;
      // The reduction is the loop that the sums do not move with.
      const For* steps = nullptr;
      for (const For* around : nest.loops) {
        const bool moves = std::any_of(nest.store->indices.begin(), nest.store->indices.end(),
                                       [&](const Expr& index) { return mentions(index, around->var); });
        const bool reads = std::any_of(operand->indices.begin(), operand->indices.end(),
                                       [&](const Expr& index) { return mentions(index, around->var); });
        if (!moves && reads) steps = around;
      }
      if (steps == nullptr) continue;
      const bool is_last = mentions(operand->indices.back(), steps->var);
      const auto [known, is_new] = operands_.emplace(operand->buffer, is_last);
      if (!is_new && known->second != is_last) refuse(operand->buffer, "it is multiplied along both of its dimensions");
    }
  });
  require_whole_warpgroups(kernel, of_warpgroups_);
}

bool Fragments::is_sums(const Buffer& buffer) const {
  return is_sum_type(buffer->element) && !operands_.contains(buffer);
}

Type Fragments::register_type(const Buffer& buffer) const {
  if (is_sums(buffer)) return buffer->element;
  if (is_operand_type(buffer->element)) return kUInt32;
  refuse(buffer, fmt::format("elements of {} are neither multiplied nor sums there: use float16, bfloat16 or tf32 with "
                             "sums of float32, or bytes with sums of int32",
                             buffer->element.str()));
}

std::int64_t Fragments::registers(const Buffer& buffer) const {
  if (buffer->rank() < 2) refuse(buffer, "it is no matrix");
  std::int64_t elements = 1;
  for (int d = 0; d < buffer->rank(); ++d) {
    const std::int64_t extent = extent_of(buffer, d);
    elements *= extent;
    if (d < buffer->rank() - 2 || extent % side(buffer, d) == 0) continue;
    refuse(buffer, fmt::format("its size {} is no multiple of {}", extent, side(buffer, d)));
  }
  return elements * buffer->element.bytes() / 4 / (kWarpX * kWarpY);
}

/// Of the matrices that it is made up of, by dimension.
std::int64_t Fragments::side(const Buffer& buffer, int dimension) const {
  const auto operand = operands_.find(buffer);
  if (operand == operands_.end()) return kFragmentSide;
  const int along = buffer->rank() - (operand->second ? 1 : 2);
  return dimension == along ? kRowBytes / buffer->element.bytes() : kFragmentSide;
}

bool Fragments::is_lanes(const Expr& e) const {
  return (x_.defined() && mentions(e, x_)) || (y_.defined() && mentions(e, y_));
}

Fragments::Tile Fragments::tile_of(const Nest& nest, const Buffer& buffer, const std::vector<Expr>& indices) const {
  Tile tile{buffer, nullptr, nullptr, {}, {}, Expr(0)};
  registers(buffer);  // refuses what is no such matrix
  const int rank = buffer->rank();
  for (int d = 0; d < rank; ++d) {
    const Expr& index = indices[static_cast<std::size_t>(d)];
    Linear rest = to_linear(index);
    const For* found = nullptr;
    for (const For* loop : nest.loops) {
      const std::int64_t moves = rest.hides(loop->var) ? 2 : rest.coefficient(loop->var);
      if (moves == 0) continue;
      if (moves != 1 || found != nullptr || d < rank - 2 || !is_const_int(loop->min, 0)) {
        refuse(buffer, fmt::format("index {} does not step through a tile of it: split its loops by the tile's size",
                                   to_string(index)));
      }
      found = loop;
      rest.add_term(loop->var, -1);
    }
    if (d < rank - 2) {
      tile.leading = tile.leading * Expr(extent_of(buffer, d)) + rest.expr();
      continue;
    }
    if (found == nullptr || !is_multiple(rest, side(buffer, d))) {
      refuse(buffer, fmt::format("index {} does not begin at a tile of it: split its loops by the tile's size",
                                 to_string(index)));
    }
    (d == rank - 2 ? tile.first : tile.second) = found;
    (d == rank - 2 ? tile.row : tile.column) = divided(rest, side(buffer, d));
  }
  // Registers of an operand are in the order of what is across, then along the reduction.
  const auto operand = operands_.find(buffer);
  if (operand != operands_.end() && !operand->second) std::swap(tile.row, tile.column);
  return tile;
}

/// The first register of the tile's matrices in row number `row` of these.
Expr Fragments::register_of(const Tile& tile, int row) const {
  const int rank = tile.buffer->rank();
  std::int64_t rows = extent_of(tile.buffer, rank - 2) / side(tile.buffer, rank - 2),
               columns = extent_of(tile.buffer, rank - 1) / side(tile.buffer, rank - 1);
  const auto operand = operands_.find(tile.buffer);
  if (operand != operands_.end() && !operand->second) std::swap(rows, columns);
  const Expr matrix = (tile.leading * Expr(rows) + tile.row + Expr(row)) * Expr(columns) + tile.column;
  return to_linear(matrix * Expr(is_sums(tile.buffer) ? 2 : 1)).expr();
}

Expr Fragments::own_register(const Buffer& buffer, const std::vector<Expr>& indices, const Ranges& known) const {
  registers(buffer);
  const auto refuse_element = [&] {
    refuse(buffer, fmt::format("a thread reads {}, which another one may have: split the rows by 8 and bind the inner "
                               "loop to threadIdx.y, the columns by 8 and 2 and bind the loop between to threadIdx.x",
                               to_string(make_load(buffer, indices))));
  };
  if (!is_sums(buffer) || !x_.defined() || !y_.defined()) refuse_element();
  const std::size_t rank = indices.size();
  Linear row = to_linear(indices[rank - 2]), column = to_linear(indices[rank - 1]);
  row.add_term(y_, -1);
  column.add_term(x_, -2);
  Linear matrix{column.constant - floor_mod(column.constant, kFragmentSide), {}},
      pair{column.constant - matrix.constant, {}};
  for (const LinearTerm& term : column.terms) {
    (term.coefficient % kFragmentSide == 0 ? matrix : pair).terms.push_back(term);
  }
  const Interval within = bounds(pair.expr(), known);
  if (!is_multiple(row, kFragmentSide) || within.lo < 0 || within.hi > 1) refuse_element();
  if (is_lanes(row.expr()) || is_lanes(column.expr())) refuse_element();
  Tile tile{buffer, nullptr, nullptr, divided(row, kFragmentSide), divided(matrix, kFragmentSide), Expr(0)};
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    tile.leading = tile.leading * Expr(extent_of(buffer, static_cast<int>(d))) + indices[d];
  }
  return to_linear(register_of(tile, 0) + pair.expr()).expr();
}

std::optional<FragmentCall> Fragments::call_of(const For& loop) const {
  const Nest nest(loop);
  if (nest.store == nullptr) return std::nullopt;
  const Store& store = *nest.store;
  const Product product = as_product(store.value);
  const bool multiplies = product.a != nullptr && product.b != nullptr;
  if (multiplies && product.is_of_shared()) {
    const bool adds =
        product.sum != nullptr && !store.mask.defined() &&
        equal(make_load(product.sum->buffer, product.sum->indices), make_load(store.buffer, store.indices));
    // What is rounded to tf32 is known of fragments only.
    if (!adds || product.a->buffer->element == kFloat32 ||
        !are_multiplied(product.a->buffer->element, product.b->buffer->element, store.buffer->element)) {
      refuse(store.buffer, kNoProduct);
    }
    return warpgroup_product(nest.loops, store, *product.a, *product.b, warps_);
  }
  if (of_warpgroups_.contains(store.buffer)) return warpgroup_fill(nest.loops, store);
  const std::size_t depth = multiplies ? 3 : 2;
  if (nest.loops.size() > depth) return std::nullopt;  // over tiles
  if (nest.loops.size() < depth || store.mask.defined()) {
    refuse(store.buffer, "a loop nest covers a part of a tile: split its loops by the tile's size");
  }
  if (const Load* load = loaded(store.value)) return load_of(nest, *load);
  if (operands_.contains(store.buffer)) {
    refuse(store.buffer, "it is multiplied, and not loaded: what is multiplied is copied from shared memory");
  }
  if (multiplies) return product_of(nest);
  if (store.value.as<FloatImm>() == nullptr && store.value.as<IntImm>() == nullptr) {
    refuse(store.buffer, fmt::format("it is filled with {}, which no instruction computes: compute that before, in "
                                     "shared scope",
                                     to_string(store.value)));
  }
  const Tile tile = tile_of(nest, store.buffer, store.indices);
  if (!is_const_int(tile.first->extent, kRows) || !is_const_int(tile.second->extent, kColumns)) {
    refuse(store.buffer, "it is filled by other tiles than 16 x 8: split its rows by 16 and its columns by 8");
  }
  return FragmentCall{FragmentCall::Kind::kFill,
                      {{store.buffer, register_of(tile, 0)}, {store.buffer, register_of(tile, 1)}, {{}, store.value}},
                      store.buffer->element};
}

FragmentCall Fragments::load_of(const Nest& nest, const Load& load) const {
  const Buffer &to = nest.store->buffer, &from = load.buffer;
  const auto operand = operands_.find(to);
  if (operand == operands_.end()) {
    refuse(to, "it is copied from another buffer, and multiplied nowhere: only what is multiplied is loaded");
  }
  if (to->element == kFloat32 && nest.store->value.as<Load>() != nullptr) {
    refuse(to, fmt::format("float32 is multiplied as tf32: load round_tf32 of {}", from->name));
  }
  const Tile tile = tile_of(nest, to, nest.store->indices);
  const For *across = operand->second ? tile.first : tile.second, *along = operand->second ? tile.second : tile.first;
  const std::int64_t bytes = to->element.bytes(), steps = kStepBytes / bytes;
  if (!is_const_int(across->extent, kRows) || !is_const_int(along->extent, steps)) {
    refuse(to, fmt::format("it is loaded by other tiles than 16 by {} steps of the reduction: split its loops by these",
                           steps));
  }
  if (from->scope != Scope::kShared || load.mask.defined() || from->element != to->element) {
    refuse(to, fmt::format("it is not loaded from shared memory as it lies there: cache_read {} in shared scope first",
                           from->name));
  }
  Linear base = to_linear(element_offset(from, load.indices));
  const std::int64_t step_across = base.coefficient(across->var), step_along = base.coefficient(along->var);
  base.add_term(across->var, -step_across).add_term(along->var, -step_along);
  const bool transposed = step_across == 1 && step_along != 1;
  const std::int64_t step = transposed ? step_along : step_across, row = kRowBytes / bytes;
  if (transposed && bytes == 1) {
    refuse(to, fmt::format("bytes are multiplied along rows only: store {} in rows that run along the reduction",
                           from->name));
  }
  const bool hidden = base.hides(across->var) || base.hides(along->var);
  // ldmatrix reads rows of 16 bytes, which begin at multiples of these; what it cannot transpose is read one by one.
  const bool in_rows = !transposed || bytes == 2;
  if (hidden || (step_along != 1 && step_across != 1) || (in_rows && (step % row != 0 || !is_multiple(base, row)))) {
    refuse(to, fmt::format("rows of {} are not read from multiples of 16 bytes on: pad them by storage_align to "
                           "multiples of {} elements",
                           from->name, row));
  }
  return {transposed ? FragmentCall::Kind::kLoadTransposed : FragmentCall::Kind::kLoad,
          {{to, register_of(tile, 0)}, {to, register_of(tile, 1)}, {from, base.expr()}, {{}, Expr(step * bytes)}},
          to->element};
}

FragmentCall Fragments::product_of(const Nest& nest) const {
  const Store& store = *nest.store;
  const Buffer& sums = store.buffer;
  const Product product = as_product(store.value);
  if (product.sum == nullptr || !(product.sum->buffer == sums) || !is_fragment(product.a->buffer) ||
      !is_fragment(product.b->buffer)) {
    refuse(sums, "what is added to it is no product of two fragments: cache_read both in fragment scope");
  }
  const Tile to = tile_of(nest, sums, store.indices), same = tile_of(nest, sums, product.sum->indices);
  Tile a = tile_of(nest, product.a->buffer, product.a->indices);
  Tile b = tile_of(nest, product.b->buffer, product.b->indices);
  const auto has = [](const Tile& tile, const For* loop) { return tile.first == loop || tile.second == loop; };
  if (!has(a, to.first)) std::swap(a, b);
  const For* steps = nullptr;
  for (const For* loop : nest.loops) steps = loop != to.first && loop != to.second ? loop : steps;
  const Linear apart = to_linear(register_of(to, 0) - register_of(same, 0));
  const bool fits = steps != nullptr && to.first == same.first && to.second == same.second && apart.is_constant() &&
                    apart.constant == 0 && has(a, to.first) && has(a, steps) && has(b, to.second) && has(b, steps) &&
                    are_multiplied(a.buffer->element, b.buffer->element, sums->element);
  if (!fits) {
    refuse(sums, kNoProduct);
  }
  const std::int64_t count = kStepBytes / a.buffer->element.bytes();
  if (!is_const_int(to.first->extent, kRows) || !is_const_int(to.second->extent, kColumns) ||
      !is_const_int(steps->extent, count)) {
    refuse(sums,
           fmt::format("it is added to by other tiles than 16 x 8, {0} steps at a time: split its rows by 16, its "
                       "columns by 8 and the reduction by {0}",
                       count));
  }
  return {FragmentCall::Kind::kMultiply,
          {{sums, register_of(to, 0)},
           {sums, register_of(to, 1)},
           {a.buffer, register_of(a, 0)},
           {a.buffer, register_of(a, 1)},
           {b.buffer, register_of(b, 0)}},
          a.buffer->element};
}

}  // namespace nestwright::codegen
