// Selects AMX instructions for buffers in tile registers (Scope::kTile): a loop nest that fills a tile, adds to it or
// copies it out becomes one instruction; other uses of a tile are refused.
//
//   for i in 0..16: for j in 0..16: T[i, j + 16] = 0                            tile_zero
//   for i in 0..16: for j in 0..16: T[i, j] = B[k + i, j]                       tile_load
//   for i in 0..16: for k in 0..16: for j in 0..16:
//     T[i, j] = dot_bf16(T[i, j], A[i, k], B[k, j])                             tile_multiply
//   for i in 0..16: for j in 0..16: C[i, j] = T[i, j]                           tile_store
//
// Registers are assigned here, in the order of the enclosing allocations (the offset of the allocation): LLVM's own
// allocation miscompiles more than eight tiles (LLVM issue 110190), and aborts the process if it fails. The shapes of
// the tiles are configured once in a function (tile_configure) if each register has one shape in all of it, else at
// each outermost allocation: tiles at the edge of a matrix are smaller.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "ir/analysis/lanes.h"
#include "ir/core/one_of.h"
#include "ir/simplify/vector_access.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::passes {
namespace {

using namespace ir;

constexpr int kTiles = 8;
constexpr std::int64_t kRows = 16, kColumns = 16, kBytes = 4;  ///< of a tile, and of an element

struct TileShape {
  std::int64_t rows = 0, row_bytes = 0;
  bool is_used() const { return rows > 0; }
  friend bool operator==(const TileShape&, const TileShape&) = default;
};
using TileShapes = std::array<TileShape, kTiles>;

bool is_tile(const Buffer& buffer) { return buffer->scope == Scope::kTile; }

bool reads_tile(const Expr& e) {
  return any_expr(e, [&](const Expr& part) {
    const auto* load = part.as<Load>();
    return load != nullptr && is_tile(load->buffer);
  });
}

bool has_tiles(const Stmt& s) {
  return any_stmt(s, [](const Stmt& inner) {
    const auto* allocation = inner.as<Allocate>();
    return allocation != nullptr && is_tile(allocation->buffer);
  });
}

[[noreturn]] void refuse(const Buffer& buffer, const std::string& why) {
  throw LowerError(fmt::format("buffer {} is kept in tile registers, but {}", buffer->name, why));
}

/// The extents of the last two dimensions.
std::pair<std::int64_t, std::int64_t> matrix_of(const Buffer& buffer) {
  std::array<std::int64_t, 2> sizes{};
  const int rank = buffer->rank();
  if (rank < 2 || buffer->element.bytes() != kBytes) refuse(buffer, "is no matrix of elements of 4 bytes");
  for (int d = 0; d < rank; ++d) {
    const std::int64_t* extent = as_const_int(buffer->shape[static_cast<std::size_t>(d)]);
    if (extent == nullptr || (d < rank - 2 && *extent != 1)) refuse(buffer, "is no matrix of constant size");
    if (d >= rank - 2) sizes[static_cast<std::size_t>(d - rank + 2)] = *extent;
  }
  return {sizes[0], sizes[1]};
}

std::int64_t tiles_of(std::int64_t extent, std::int64_t size) { return (extent + size - 1) / size; }

/// Adds the shapes of the tiles of `buffer`, from register `first` on. Returns the first register that is free.
int add_shapes(const Buffer& buffer, int first, TileShapes& shapes) {
  const auto [rows, columns] = matrix_of(buffer);
  const std::int64_t across = tiles_of(columns, kColumns), count = tiles_of(rows, kRows) * across;
  if (first + count > kTiles) {
    refuse(buffer, fmt::format("needs {} of them where {} of {} are free: use fewer or smaller tiles", count,
                               kTiles - first, kTiles));
  }
  for (std::int64_t t = 0; t < count; ++t) {
    shapes[static_cast<std::size_t>(first + t)] = {std::min(kRows, rows - t / across * kRows),
                                                   kBytes * std::min(kColumns, columns - t % across * kColumns)};
  }
  return first + static_cast<int>(count);
}

/// Adds the shapes of all tiles that are allocated in `s`; later ones reuse the registers of earlier ones that are free
/// again.
void collect_shapes(const Stmt& s, int first, TileShapes& shapes) {
  if (!s.defined()) return;
  const auto collect = [&](const Stmt& inside) { collect_shapes(inside, first, shapes); };
  std::visit(overloaded{[&](const For& n) { collect(n.body); },
                        [&](const Block& n) { std::for_each(n.stmts.begin(), n.stmts.end(), collect); },
                        [&](const Let& n) { collect(n.body); },
                        [&](const IfThenElse& n) {
                          collect(n.then_case);
                          collect(n.else_case);
                        },
                        [&](const Allocate& n) {
                          if (!is_tile(n.buffer)) return collect(n.body);
                          const TileShapes before = shapes;
                          const int next = add_shapes(n.buffer, first, shapes);
                          for (std::size_t i = 0; i < shapes.size(); ++i) {
                            if (!before[i].is_used() || before[i] == shapes[i]) continue;
                            refuse(n.buffer,
                                   "has another shape than a tile of the same number before it, while "
                                   "others around it are in use: make the extents divisible");
                          }
                          collect_shapes(n.body, next, shapes);
                        },
                        [](const OneOf<Store, Prefetch, CommitCopies, Barrier, Launch, TensorInstruction> auto&) {}},
             s.node().value);
}

TileShapes shapes_of(const Stmt& allocation) {
  TileShapes shapes;
  collect_shapes(allocation, 0, shapes);
  return shapes;
}

/// Whether the iterations of a loop run in threads, each of which configures its own tile registers.
bool runs_in_threads(const For& loop) { return loop.kind == LoopKind::kParallel && !is_const_int(loop.extent, 1); }

/// Adds the shapes at each outermost allocation of tiles that `s` executes in the current thread.
void collect_configurations(const Stmt& s, std::vector<TileShapes>& found) {
  if (!s.defined()) return;
  const auto collect = [&](const Stmt& inside) { collect_configurations(inside, found); };
  std::visit(overloaded{[&](const For& n) {
                          if (!runs_in_threads(n)) collect(n.body);
                        },
                        [&](const Block& n) { std::for_each(n.stmts.begin(), n.stmts.end(), collect); },
                        [&](const Let& n) { collect(n.body); },
                        [&](const IfThenElse& n) {
                          collect(n.then_case);
                          collect(n.else_case);
                        },
                        [&](const Allocate& n) {
                          if (!is_tile(n.buffer)) return collect(n.body);
                          const TileShapes shapes = shapes_of(s);
                          if (std::find(found.begin(), found.end(), shapes) == found.end()) found.push_back(shapes);
                        },
                        [](const OneOf<Store, Prefetch, CommitCopies, Barrier, Launch, TensorInstruction> auto&) {}},
             s.node().value);
}

Stmt configure(const TileShapes& shapes) {
  TensorInstruction instruction{.op = TensorOp::kTileConfigure};
  for (const TileShape& shape : shapes) {
    instruction.operands.push_back({{}, Expr(shape.rows)});
    instruction.operands.push_back({{}, Expr(shape.row_bytes)});
  }
  return make_tensor_instruction(std::move(instruction));
}

/// The loops around one store, outermost first.
struct TileNest {
  std::vector<const For*> loops;
  const Store* store = nullptr;  ///< nullptr: not a nest over tiles

  explicit TileNest(const Stmt& s) {
    const Stmt* at = &s;
    for (const auto* loop = at->as<For>(); loop != nullptr; loop = at->as<For>()) {
      if (loop->kind != LoopKind::kSerial || !loop->body.defined()) return;
      loops.push_back(loop);
      at = &loop->body;
    }
    const auto* found = at->as<Store>();
    if (found != nullptr && (is_tile(found->buffer) || reads_tile(found->value))) store = found;
  }
};

/// One tile of a buffer, and the loops over its rows and columns; nullptr if there is only one row or column.
struct TileAccess {
  int number = 0;
  const For *rows = nullptr, *columns = nullptr;

  Operand operand() const { return {{}, Expr(number)}; }
};

/// Selects the instruction of one nest.
class NestSelector {
 public:
  /// `registers` has the number of the first register of each buffer.
  NestSelector(const TileNest& nest, const std::map<Buffer, int>& registers) : nest_(nest), registers_(registers) {}

  TensorInstruction select() const {
    const Store& store = *nest_.store;
    if (!is_tile(store.buffer)) return copy_out(store);
    const TileAccess tile = tile_of(store.buffer, store.indices, store.mask);
    const auto* real = store.value.as<FloatImm>();
    if (real != nullptr ? real->value == 0 : is_const_int(store.value, 0)) {
      return {.op = TensorOp::kTileZero, .operands = {tile.operand()}, .type = store.buffer->element};
    }
    const auto* call = store.value.as<Call>();
    if (call != nullptr && is_dot(call->intrinsic)) return multiply(tile, *call);
    return load(tile, store.value);
  }

 private:
  /// The loop whose variable the index contains with coefficient 1, or nullptr, and the index's start.
  std::pair<const For*, std::int64_t> loop_of(const Buffer& buffer, const Expr& index) const {
    Linear rest = to_linear(index);
    const For* found = nullptr;
    for (const For* loop : nest_.loops) {
      const std::int64_t step = rest.is_nonlinear_in(loop->var) ? 2 : rest.coefficient(loop->var);
      if (step == 0) continue;
      if (step != 1 || found != nullptr) refuse(buffer, "index " + to_string(index) + " does not step through it");
      found = loop;
      rest.add(to_linear(loop->var), -1).add(to_linear(loop->min));
    }
    if (!rest.is_constant()) {
      refuse(buffer, fmt::format("index {} does not say which one: unroll the loops over tiles", to_string(index)));
    }
    return {found, rest.constant};
  }

  TileAccess tile_of(const Buffer& buffer, const std::vector<Expr>& indices, const Expr& mask) const {
    const auto [rows, columns] = matrix_of(buffer);
    if (mask.defined()) refuse(buffer, "is accessed under a mask");
    const auto [row_loop, row] = loop_of(buffer, indices[indices.size() - 2]);
    const auto [column_loop, column] = loop_of(buffer, indices.back());
    const auto covers = [](const For* loop, std::int64_t start, std::int64_t extent, std::int64_t size) {
      const std::int64_t* length = loop != nullptr ? as_const_int(loop->extent) : nullptr;
      const std::int64_t covered = loop == nullptr ? 1 : length != nullptr ? *length : 0;
      return start % size == 0 && covered == std::min(size, extent - start);
    };
    if (!covers(row_loop, row, rows, kRows) || !covers(column_loop, column, columns, kColumns)) {
      refuse(buffer, "a loop nest covers a part of a tile: split its loops by 16");
    }
    const auto first = registers_.find(buffer);
    check(first != registers_.end(), "a tile is used where it is not allocated");
    return {first->second + static_cast<int>(row / kRows * tiles_of(columns, kColumns) + column / kColumns), row_loop,
            column_loop};
  }

  /// The address of the tile's first element in memory, and the bytes from row to row. `width` is the number of
  /// elements of the memory's type in one of the tile.
  std::pair<Operand, Operand> memory(const TileAccess& tile, const Buffer& buffer, const std::vector<Expr>& indices,
                                     std::int64_t width) const {
    std::int64_t row_bytes = kBytes * kColumns;
    if (lanes_of(indices) != 1) refuse(buffer, "it is read in vectors");
    Linear first = to_linear(element_offset(buffer, indices));
    for (const For* loop : nest_.loops) {
      const std::int64_t step = first.is_nonlinear_in(loop->var) ? 0 : first.coefficient(loop->var);
      first.add(to_linear(loop->var), -step).add(to_linear(loop->min), step);
      if (loop == tile.columns && step == width) continue;
      if (loop == tile.rows && step > 0) {
        row_bytes = step * buffer->element.bytes();
        continue;
      }
      throw LowerError(fmt::format("{} is no rows of a tile in memory as loop {} reads or stores it", buffer->name,
                                   loop->var.name()));
    }
    return {{buffer, first.expr()}, {{}, Expr(row_bytes)}};
  }

  TensorInstruction copy_out(const Store& store) const {
    const auto* load = store.value.as<Load>();
    if (load == nullptr || store.mask.defined() || store.buffer->element.bytes() != kBytes) {
      throw LowerError(
          fmt::format("what is stored in {} is computed from tiles: copy these out first", store.buffer->name));
    }
    const TileAccess tile = tile_of(load->buffer, load->indices, load->mask);
    const auto [place, row_bytes] = memory(tile, store.buffer, store.indices, 1);
    return {.op = TensorOp::kTileStore, .operands = {tile.operand(), place, row_bytes}, .type = store.buffer->element};
  }

  TensorInstruction load(const TileAccess& tile, const Expr& value) const {
    const Buffer& to = nest_.store->buffer;
    const auto from = [&](const Load& load, std::int64_t width) -> TensorInstruction {
      const auto [place, row_bytes] = memory(tile, load.buffer, load.indices, width);
      return {.op = TensorOp::kTileLoad, .operands = {tile.operand(), place, row_bytes}, .type = to->element};
    };
    if (const auto* load = value.as<Load>()) {
      if (load->mask.defined() || load->buffer->element.bytes() != kBytes) {
        refuse(to, "is filled with less than whole rows");
      }
      return from(*load, 1);
    }
    const auto* call = value.as<Call>();
    if (call == nullptr || (call->intrinsic != Intrinsic::kLoadBytes && call->intrinsic != Intrinsic::kLoadHalves)) {
      refuse(to, fmt::format("is filled with {}, which no instruction computes", to_string(value)));
    }
    return from(*first_of_adjacent(call->args, 1), static_cast<std::int64_t>(call->args.size()));
  }

  TensorInstruction multiply(const TileAccess& sums, const Call& call) const {
    const auto* before = call.args[0].as<Load>();
    const auto *a = call.args[1].as<Load>(), *b = call.args[2].as<Load>();
    const Buffer& buffer = nest_.store->buffer;
    if (before == nullptr || a == nullptr || b == nullptr || before->buffer != buffer || !is_tile(a->buffer) ||
        !is_tile(b->buffer)) {
      refuse(buffer, "a product that is added to it is not one of tiles");
    }
    const TileAccess same = tile_of(buffer, before->indices, before->mask),
                     of_a = tile_of(a->buffer, a->indices, a->mask), of_b = tile_of(b->buffer, b->indices, b->mask);
    if (same.number != sums.number || same.rows != sums.rows || same.columns != sums.columns ||
        of_a.rows != sums.rows || of_b.columns != sums.columns || of_a.columns != of_b.rows) {
      refuse(buffer, "what is added to it is no product of two tiles");
    }
    for (const For* loop : nest_.loops) {
      if (loop == sums.rows || loop == sums.columns || loop == of_a.columns) continue;
      refuse(buffer, fmt::format("the same product is added to it in each iteration of {}: take that loop apart",
                                 loop->var.name()));
    }
    return {.op = TensorOp::kTileMultiply,
            .operands = {sums.operand(), of_a.operand(), of_b.operand()},
            .type = multiplied_by(call.intrinsic)};
  }

  /// The type of A's elements.
  Type multiplied_by(Intrinsic dot) const {
    if (dot == Intrinsic::kDotBF16) return kBFloat16;
    if (dot == Intrinsic::kDotU8S8) return kUInt8;
    if (dot == Intrinsic::kDotS8S8) return kInt8;
    refuse(nest_.store->buffer, fmt::format("there is no {} of tiles", intrinsic_name(dot)));
  }

  const TileNest& nest_;
  const std::map<Buffer, int>& registers_;
};

class Selector final : public Mutator {
 public:
  using Mutator::mutate;

  /// Selects in the body of a function: a kernel, or a loop whose iterations run in threads.
  Stmt select_function(const Stmt& body) {
    std::vector<TileShapes> configurations;
    collect_configurations(body, configurations);
    const bool outside = std::exchange(shapes_differ_, configurations.size() > 1);
    Stmt selected = mutate(body);
    shapes_differ_ = outside;
    if (configurations.empty()) return selected;
    const Stmt release = make_tensor_instruction({.op = TensorOp::kTileRelease});
    return configurations.size() == 1 ? block({configure(configurations.front()), selected, release})
                                      : block({selected, release});
  }

  Stmt mutate(const Stmt& s) override {
    if (!s.defined()) return s;
    if (const auto* allocation = s.as<Allocate>(); allocation != nullptr && is_tile(allocation->buffer)) {
      return select_allocation(*allocation, s);
    }
    if (const TileNest nest(s); nest.store != nullptr) {
      TensorInstruction instruction = NestSelector(nest, registers_).select();
      instruction.body = s;
      return make_tensor_instruction(std::move(instruction));
    }
    const auto* loop = s.as<For>();
    if (loop == nullptr || !runs_in_threads(*loop)) return mutate_children(s);
    return make_for(loop->var, loop->min, loop->extent, loop->kind, select_function(loop->body));
  }

 private:
  Stmt select_allocation(const Allocate& allocation, const Stmt& s) {
    TileShapes own;
    const int first = in_use_;
    registers_[allocation.buffer] = first;
    in_use_ = add_shapes(allocation.buffer, first, own);
    Stmt body = mutate(allocation.body);
    in_use_ = first;
    registers_.erase(allocation.buffer);
    Stmt selected = make_allocate(allocation.buffer, std::move(body), first);
    return first == 0 && shapes_differ_ ? block({configure(shapes_of(s)), selected}) : selected;
  }

  std::map<Buffer, int> registers_;  ///< the first register of each buffer
  int in_use_ = 0;
  bool shapes_differ_ = false;  ///< whether a register has different shapes in the current function
};

}  // namespace

Program amx_tiles(Program program, PassContext& context) {
  return on_kernels(std::move(program), [&](const Stmt& body) {
    if (!has_tiles(body)) return body;
    if (!context.target.has(CpuFeature::kAmxBf16) && !context.target.has(CpuFeature::kAmxInt8)) {
      throw LowerError("the program keeps buffers in tile registers, which " + context.target.str() + " does not have");
    }
    return Selector().select_function(body);
  });
}

}  // namespace nestwright::passes
