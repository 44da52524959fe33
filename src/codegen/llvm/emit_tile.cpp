// Tile registers. A loop nest that fills a tile, adds to it or copies it out is one instruction. Registers are numbered
// here, in the order of the allocations around a place, and named by their numbers: LLVM's own allocation of them
// miscompiles more than eight (LLVM issue 110190), and takes the program down where it fails.
//
//   for i in 0..16: for j in 0..16: T[i, j + 16] = 0                            tilezero
//   for i in 0..16: for j in 0..16: T[i, j] = B[k + i, j]                       tileload
//   for i in 0..16: for k in 0..16: for j in 0..16:
//     T[i, j] = dot_bf16(T[i, j], A[i, k], B[k, j])                             tdpbf16ps
//   for i in 0..16: for j in 0..16: C[i, j] = T[i, j]                           tilestore
//
// The shapes of the tiles are set once a function (ldtilecfg) where all of its tiles have the same ones by their
// numbers, else at each outermost allocation: at the rest of a matrix tiles are smaller.
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <array>
#include <optional>

#include "codegen/llvm/function_emitter.h"
#include "ir/core/one_of.h"
#include "ir/core/print.h"
#include "ir/core/rewrite.h"
#include "support/error.h"

namespace nestwright::codegen {
namespace {

constexpr int kTiles = 8;
constexpr std::int64_t kRows = 16, kColumns = 16, kBytes = 4;  ///< of a tile, and of an element

/// The operand of ldtilecfg: palette, bytes a row and rows of each tile.
using TileConfig = std::array<std::uint8_t, 64>;

bool is_tile(const ir::Buffer& buffer) { return buffer->scope == ir::Scope::kTile; }

bool reads_tile(const ir::Expr& e) {
  return ir::any_expr(e, [&](const ir::Expr& part) {
    const auto* load = part.as<ir::Load>();
    return load != nullptr && is_tile(load->buffer);
  });
}

[[noreturn]] void refuse(const ir::Buffer& buffer, const std::string& why) {
  throw CompileError(fmt::format("buffer {} is kept in tile registers, but {}", buffer->name, why));
}

/// Extents of the last two dimensions.
std::pair<std::int64_t, std::int64_t> matrix_of(const ir::Buffer& buffer) {
  std::array<std::int64_t, 2> sizes{};
  const int rank = buffer->rank();
  if (rank < 2 || buffer->element.bytes() != kBytes) refuse(buffer, "is no matrix of elements of 4 bytes");
  for (int d = 0; d < rank; ++d) {
    const std::int64_t* extent = ir::as_const_int(buffer->shape[static_cast<std::size_t>(d)]);
    if (extent == nullptr || (d < rank - 2 && *extent != 1)) refuse(buffer, "is no matrix of constant size");
    if (d >= rank - 2) sizes[static_cast<std::size_t>(d - rank + 2)] = *extent;
  }
  return {sizes[0], sizes[1]};
}

std::int64_t tiles_of(std::int64_t extent, std::int64_t size) { return (extent + size - 1) / size; }

/// The shapes of the tiles of `buffer`, from register `first` on. Returns the first one that is free.
int add_shapes(const ir::Buffer& buffer, int first, TileConfig& config) {
  const auto [rows, columns] = matrix_of(buffer);
  const std::int64_t across = tiles_of(columns, kColumns), count = tiles_of(rows, kRows) * across;
  if (first + count > kTiles) {
    refuse(buffer, fmt::format("needs {} of them where {} of {} are free: use fewer or smaller tiles", count,
                               kTiles - first, kTiles));
  }
  for (std::int64_t t = 0; t < count; ++t) {
    const auto number = static_cast<std::size_t>(first + t);
    config[16 + 2 * number] = static_cast<std::uint8_t>(kBytes * std::min(kColumns, columns - t % across * kColumns));
    config[48 + number] = static_cast<std::uint8_t>(std::min(kRows, rows - t / across * kRows));
  }
  return first + static_cast<int>(count);
}

/// Shapes of all tiles that are allocated in `s`; later ones take the place of earlier ones that are free again.
void collect_shapes(const ir::Stmt& s, int first, TileConfig& config) {
  if (!s.defined()) return;
  std::visit(
      ir::overloaded{[&](const ir::For& n) { collect_shapes(n.body, first, config); },
                     [&](const ir::Block& n) {
                       for (const ir::Stmt& child : n.stmts) collect_shapes(child, first, config);
                     },
                     [&](const ir::Let& n) { collect_shapes(n.body, first, config); },
                     [&](const ir::IfThenElse& n) {
                       collect_shapes(n.then_case, first, config);
                       collect_shapes(n.else_case, first, config);
                     },
                     [&](const ir::Allocate& n) {
                       const bool tile = is_tile(n.buffer);
                       TileConfig own = config;
                       const int next = tile ? add_shapes(n.buffer, first, own) : first;
                       for (std::size_t i = 0; i < config.size(); ++i) {
                         if (config[i] != 0 && config[i] != own[i]) {
                           refuse(n.buffer,
                                  "has another shape than a tile of the same number before it, while "
                                  "others around it are in use: make the extents divisible");
                         }
                       }
                       config = own;
                       collect_shapes(n.body, next, config);
                     },
                     [](const ir::OneOf<ir::Store, ir::Prefetch, ir::CommitCopies, ir::Barrier, ir::Launch> auto&) {}},
      s.node().value);
}

/// The configuration at each outermost allocation of tiles; what runs in threads of its own is another function's.
void collect_configs(const ir::Stmt& s, std::vector<TileConfig>& configs) {
  if (!s.defined()) return;
  std::visit(
      ir::overloaded{[&](const ir::For& n) {
                       if (n.kind != ir::LoopKind::kParallel || ir::is_const_int(n.extent, 1))
                         collect_configs(n.body, configs);
                     },
                     [&](const ir::Block& n) {
                       for (const ir::Stmt& child : n.stmts) collect_configs(child, configs);
                     },
                     [&](const ir::Let& n) { collect_configs(n.body, configs); },
                     [&](const ir::IfThenElse& n) {
                       collect_configs(n.then_case, configs);
                       collect_configs(n.else_case, configs);
                     },
                     [&](const ir::Allocate& n) {
                       if (!is_tile(n.buffer)) return collect_configs(n.body, configs);
                       TileConfig config{};
                       config[0] = 1;
                       collect_shapes(ir::make_allocate(n.buffer, n.body), 0, config);
                       if (std::find(configs.begin(), configs.end(), config) == configs.end())
                         configs.push_back(config);
                     },
                     [](const ir::OneOf<ir::Store, ir::Prefetch, ir::CommitCopies, ir::Barrier, ir::Launch> auto&) {}},
      s.node().value);
}

/// The loops around one store, outermost first.
struct TileNest {
  std::vector<const ir::For*> loops;
  const ir::Store* store = nullptr;
};

TileNest nest_of(const ir::Stmt& s) {
  TileNest nest;
  const ir::Stmt* at = &s;
  for (const auto* loop = at->as<ir::For>(); loop != nullptr; loop = at->as<ir::For>()) {
    if (loop->kind != ir::LoopKind::kSerial || !loop->body.defined()) return {};
    nest.loops.push_back(loop);
    at = &loop->body;
  }
  nest.store = at->as<ir::Store>();
  if (nest.store != nullptr && !is_tile(nest.store->buffer) && !reads_tile(nest.store->value)) nest.store = nullptr;
  return nest;
}

/// One tile of a buffer, and the loops over its rows and columns; null where there is one row or column.
struct TileAccess {
  int number = 0;
  const ir::For *rows = nullptr, *columns = nullptr;
};

}  // namespace

struct TileEmitter {
  FunctionEmitter& self;
  const TileNest& nest;

  /// The loop that an index moves with, one to one, and where it starts.
  std::pair<const ir::For*, std::int64_t> loop_of(const ir::Buffer& buffer, const ir::Expr& index) const {
    ir::Linear rest = ir::to_linear(index);
    const ir::For* found = nullptr;
    for (const ir::For* loop : nest.loops) {
      const std::int64_t moves = rest.hides(loop->var) ? 2 : rest.coefficient(loop->var);
      if (moves == 0) continue;
      if (moves != 1 || found != nullptr) refuse(buffer, "index " + ir::to_string(index) + " does not step through it");
      found = loop;
      rest.add(ir::to_linear(loop->var), -1).add(ir::to_linear(loop->min));
    }
    if (!rest.is_constant()) {
      refuse(buffer, fmt::format("index {} does not say which one: unroll the loops over tiles", ir::to_string(index)));
    }
    return {found, rest.constant};
  }

  TileAccess tile_of(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, const ir::Expr& mask) const {
    const auto [rows, columns] = matrix_of(buffer);
    if (mask.defined()) refuse(buffer, "is accessed under a mask");
    const auto [row_loop, row] = loop_of(buffer, indices[indices.size() - 2]);
    const auto [column_loop, column] = loop_of(buffer, indices.back());
    const auto covers = [](const ir::For* loop, std::int64_t start, std::int64_t extent, std::int64_t size) {
      const std::int64_t* length = loop != nullptr ? ir::as_const_int(loop->extent) : nullptr;
      const std::int64_t covered = loop == nullptr ? 1 : length != nullptr ? *length : 0;
      return start % size == 0 && covered == std::min(size, extent - start);
    };
    if (!covers(row_loop, row, rows, kRows) || !covers(column_loop, column, columns, kColumns)) {
      refuse(buffer, "a loop nest covers a part of a tile: split its loops by 16");
    }
    const auto first = self.tiles_.find(buffer);
    check(first != self.tiles_.end(), "a tile is used where it is not allocated");
    return {first->second + static_cast<int>(row / kRows * tiles_of(columns, kColumns) + column / kColumns), row_loop,
            column_loop};
  }

  llvm::Value* number(const TileAccess& tile) const {
    return self.builder_.getInt8(static_cast<std::uint8_t>(tile.number));
  }

  /// Where the tile's first element lies in memory, and how far its rows lie apart. `width`: elements of the memory's
  /// type in one of the tile.
  std::pair<llvm::Value*, llvm::Value*> memory(const TileAccess& tile, const ir::Buffer& buffer,
                                               FunctionEmitter::Access access, std::int64_t width) const {
    std::int64_t row_stride = kBytes * kColumns;
    if (access.offsets != nullptr || access.lanes != 1) refuse(buffer, "it is read in vectors");
    for (const ir::For* loop : nest.loops) {
      const std::int64_t moves = access.offset.hides(loop->var) ? 0 : access.offset.coefficient(loop->var);
      access.offset.add(ir::to_linear(loop->var), -moves).add(ir::to_linear(loop->min), moves);
      if (loop == tile.columns && moves == width) continue;
      if (loop == tile.rows && moves > 0) {
        row_stride = moves * buffer->element.bytes();
        continue;
      }
      throw CompileError(fmt::format("{} is no rows of a tile in memory as loop {} reads or stores it", buffer->name,
                                     loop->var.name()));
    }
    return {self.address(buffer, access.offset), self.int64(row_stride)};
  }

  void load(const TileAccess& tile, const ir::Expr& value) const {
    if (const auto* load = value.as<ir::Load>()) {
      if (load->mask.defined() || load->buffer->element.bytes() != kBytes)
        refuse(nest.store->buffer, "is filled with less than whole rows");
      const auto [pointer, stride] = memory(tile, load->buffer, self.take_apart(load->buffer, load->indices), 1);
      emit(llvm::Intrinsic::x86_tileloadd64, {number(tile), pointer, stride});
      return;
    }
    const auto* call = value.as<ir::Call>();
    const bool joins = call != nullptr &&
                       (call->intrinsic == ir::Intrinsic::kJoinBytes || call->intrinsic == ir::Intrinsic::kJoinHalves);
    const auto joined = joins ? self.joined_access(call->args) : std::nullopt;
    if (!joined) {
      refuse(nest.store->buffer, fmt::format("is filled with {}, which no instruction computes", ir::to_string(value)));
    }
    const auto [pointer, stride] =
        memory(tile, joined->first, joined->second, static_cast<std::int64_t>(call->args.size()));
    emit(llvm::Intrinsic::x86_tileloadd64, {number(tile), pointer, stride});
  }

  void multiply(const TileAccess& sums, const ir::Call& call) const {
    const auto* before = call.args[0].as<ir::Load>();
    const auto *a = call.args[1].as<ir::Load>(), *b = call.args[2].as<ir::Load>();
    const ir::Buffer& buffer = nest.store->buffer;
    if (before == nullptr || a == nullptr || b == nullptr || !(before->buffer == buffer) || !is_tile(a->buffer) ||
        !is_tile(b->buffer)) {
      refuse(buffer, "a product that is added to it is not one of tiles");
    }
    const TileAccess same = tile_of(buffer, before->indices, before->mask),
                     of_a = tile_of(a->buffer, a->indices, a->mask), of_b = tile_of(b->buffer, b->indices, b->mask);
    if (same.number != sums.number || same.rows != sums.rows || same.columns != sums.columns ||
        of_a.rows != sums.rows || of_b.columns != sums.columns || of_a.columns != of_b.rows) {
      refuse(buffer, "what is added to it is no product of two tiles");
    }
    using namespace llvm::Intrinsic;
    ID product = not_intrinsic;
    if (call.intrinsic == ir::Intrinsic::kDotBF16) product = x86_tdpbf16ps;
    if (call.intrinsic == ir::Intrinsic::kDotU8S8) product = x86_tdpbusd;
    if (call.intrinsic == ir::Intrinsic::kDotS8S8) product = x86_tdpbssd;
    if (product == not_intrinsic)
      refuse(buffer, fmt::format("there is no {} of tiles", ir::intrinsic_name(call.intrinsic)));
    emit(product, {number(sums), number(of_a), number(of_b)});
  }

  void emit(llvm::Intrinsic::ID instruction, const std::vector<llvm::Value*>& args) const {
    self.builder_.CreateIntrinsic(instruction, {}, args);
  }

  void run() const {
    const ir::Store& store = *nest.store;
    if (!is_tile(store.buffer)) {
      const auto* load = store.value.as<ir::Load>();
      if (load == nullptr || store.mask.defined() || store.buffer->element.bytes() != kBytes) {
        throw CompileError(
            fmt::format("what is stored in {} is computed from tiles: copy these out first", store.buffer->name));
      }
      const TileAccess tile = tile_of(load->buffer, load->indices, load->mask);
      const auto [pointer, stride] = memory(tile, store.buffer, self.take_apart(store.buffer, store.indices), 1);
      return emit(llvm::Intrinsic::x86_tilestored64, {number(tile), pointer, stride});
    }
    const TileAccess tile = tile_of(store.buffer, store.indices, store.mask);
    const auto* real = store.value.as<ir::FloatImm>();
    if (real != nullptr ? real->value == 0 : ir::is_const_int(store.value, 0)) {
      return emit(llvm::Intrinsic::x86_tilezero, {number(tile)});
    }
    const auto* call = store.value.as<ir::Call>();
    if (call != nullptr && ir::is_dot(call->intrinsic)) return multiply(tile, *call);
    load(tile, store.value);
  }
};

bool FunctionEmitter::emit_tile_operation(const ir::Stmt& stmt) {
  const TileNest nest = nest_of(stmt);
  if (nest.store == nullptr) return false;
  TileEmitter{*this, nest}.run();
  return true;
}

void FunctionEmitter::load_tile_shapes(const void* config) {
  const auto& bytes = *static_cast<const TileConfig*>(config);
  llvm::Constant* data = llvm::ConstantDataArray::get(function_->getContext(), llvm::ArrayRef<std::uint8_t>(bytes));
  auto* global =
      new llvm::GlobalVariable(module_.module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "tiles");
  global->setAlignment(llvm::Align(64));
  builder_.CreateIntrinsic(llvm::Intrinsic::x86_ldtilecfg, {}, {global});
}

void FunctionEmitter::open_tiles(const ir::Stmt& body) {
  std::vector<TileConfig> configs;
  collect_configs(body, configs);
  if (configs.empty()) return;
  uses_tiles_ = true;
  shapes_differ_ = configs.size() > 1;
  if (!shapes_differ_) load_tile_shapes(&configs.front());
}

void FunctionEmitter::close_tiles() {
  if (uses_tiles_) builder_.CreateIntrinsic(llvm::Intrinsic::x86_tilerelease, {}, {});
}

void FunctionEmitter::emit_tiles(const ir::Allocate& allocate) {
  if (tiles_in_use_ == 0 && shapes_differ_) {
    TileConfig config{};
    config[0] = 1;
    collect_shapes(ir::make_allocate(allocate.buffer, allocate.body), 0, config);
    load_tile_shapes(&config);
  }
  TileConfig own{};
  const int before = tiles_in_use_;
  tiles_[allocate.buffer] = before;
  tiles_in_use_ = add_shapes(allocate.buffer, before, own);
  emit(allocate.body);
  tiles_in_use_ = before;
  tiles_.erase(allocate.buffer);
}

}  // namespace nestwright::codegen
