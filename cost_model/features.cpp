#include "cost_model/features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "cost_model/loop_nest.h"
#include "ir/traversal/rewrite.h"

namespace nestwright {
namespace {

constexpr std::size_t kStores = 3;  // the heaviest ones: a matrix product has its tile, its packing and its write-back
constexpr double kLine = 64;

constexpr std::array kStoreNames = {"trips",        "flops",        "lanes",        "unrolled",    "parallel",
                                    "inner_extent", "depth",        "l1_traffic",   "l2_traffic",  "l3_traffic",
                                    "l1_intensity", "l2_intensity", "l3_intensity", "contiguous",  "invariant",
                                    "strided",      "in_registers", "code",         "inner_bytes", "reuse_extent"};
constexpr std::array kProgramNames = {
    "stores",         "register_bytes",   "local_bytes",        "global_bytes", "padding_bytes",  "code",
    "parallel_tasks", "total_l2_traffic", "non_temporal_bytes", "prefetches",   "prefetch_trips", "prefetch_distance",
    "blocks",         "threads",          "virtual_threads",    "thread_step",  "block_step",     "other_trips",
    "other_vectors"};

float scale(double x) { return static_cast<float>(std::log2(1 + std::max(0.0, x))); }

bool is_expanded(ir::LoopKind kind) { return kind == ir::LoopKind::kVectorized || kind == ir::LoopKind::kUnrolled; }

/// The bytes that each access of a store touches at each level of the nest, computed once for all caches.
class Footprints {
 public:
  explicit Footprints(const NestStore& store) : levels_(store.loops.size() + 1) {
    bytes_.reserve(store.accesses.size() * levels_);
    moves_.reserve(store.accesses.size() * store.loops.size());
    for (const NestAccess& access : store.accesses) add(store, access);
  }

  /// Bytes of whole cache lines that the access touches while the loops from `level` inwards run.
  double bytes(std::size_t access, std::size_t level) const { return bytes_[access * levels_ + level]; }
  /// Whether the address of the access depends on the loop.
  bool moves(std::size_t access, std::size_t loop) const { return moves_[access * (levels_ - 1) + loop]; }

 private:
  /// Distance along one dimension, in elements, from one iteration of a loop to the next.
  struct Step {
    double elements;
    bool is_hidden;  ///< inside a non-affine term: unknown
  };

  void add(const NestStore& store, const NestAccess& access) {
    const std::size_t dimensions = access.indices.size();
    steps_.clear();
    for (const NestLoop& loop : store.loops) {
      bool moves = false;
      for (const ir::Linear& index : access.indices) {
        const std::int64_t coefficient = index.coefficient(loop.var);
        steps_.push_back({static_cast<double>(std::abs(coefficient)), index.is_nonlinear_in(loop.var)});
        moves = moves || coefficient != 0 || steps_.back().is_hidden;
      }
      moves_.push_back(moves);
    }
    for (std::size_t level = 0; level < levels_; ++level) {
      double bytes = access.buffer->element.bytes();
      for (std::size_t d = 0; d < dimensions; ++d) {
        double span = 1;
        for (std::size_t l = level; l < store.loops.size(); ++l) {
          const Step& step = steps_[l * dimensions + d];
          span += step.elements * (store.loops[l].extent - 1);
          if (step.is_hidden) span = std::numeric_limits<double>::max();
        }
        if (const std::int64_t* extent = ir::as_const_int(access.buffer->shape[d])) {
          span = std::min(span, static_cast<double>(*extent));
        }
        bytes *= span;
        if (d + 1 == dimensions) {
          const double row = span * access.buffer->element.bytes();
          bytes *= std::max(row, kLine) / row;
        }
      }
      bytes_.push_back(bytes);
    }
  }

  std::size_t levels_;
  std::vector<double> bytes_;  ///< by access and level
  std::vector<bool> moves_;    ///< by access and loop
  std::vector<Step> steps_;    ///< of one access, by loop and dimension
};

bool is_in_registers(const ir::Buffer& buffer) {
  return buffer->scope == ir::Scope::kRegister || buffer->scope == ir::Scope::kTile ||
         buffer->scope == ir::Scope::kFragment;
}

/// Bytes that move into a cache of `capacity`: the footprint at the outermost level that fits, times the extents of the
/// loops outside it, except that the innermost of these does not count where the address does not depend on it.
double traffic(const NestStore& store, const Footprints& footprints, std::int64_t capacity) {
  std::size_t level = store.loops.size();
  while (level > 0) {
    double total = 0;
    for (std::size_t a = 0; a < store.accesses.size(); ++a) {
      if (!is_in_registers(store.accesses[a].buffer)) total += footprints.bytes(a, level - 1);
    }
    if (total > static_cast<double>(capacity)) break;
    --level;
  }
  double bytes = 0;
  for (std::size_t a = 0; a < store.accesses.size(); ++a) {
    if (is_in_registers(store.accesses[a].buffer)) continue;
    double repeats = store.share;
    for (std::size_t l = 0; l < level; ++l) repeats *= store.loops[l].extent;
    if (level > 0 && !footprints.moves(a, level - 1)) repeats /= store.loops[level - 1].extent;
    bytes += repeats * footprints.bytes(a, level);
  }
  return bytes;
}

double code_size(const NestStore& store) {
  double copies = 1;
  for (const NestLoop& loop : store.loops) {
    if (loop.kind == ir::LoopKind::kUnrolled) copies *= loop.extent;
  }
  return copies;
}

void store_features(const NestStore& store, const CacheCapacities& caches, Features& out) {
  double lanes = 1, unrolled = 1, parallel = 1, inner_extent = 1, reuse_extent = 1;
  std::size_t inner_level = store.loops.size(), lane = store.loops.size();
  const Footprints footprints(store);
  for (std::size_t l = 0; l < store.loops.size(); ++l) {
    const NestLoop& loop = store.loops[l];
    if (loop.kind == ir::LoopKind::kVectorized) {
      lanes *= loop.extent;
      lane = l;
    } else if (loop.kind == ir::LoopKind::kUnrolled) {
      unrolled *= loop.extent;
    } else if (loop.kind == ir::LoopKind::kParallel) {
      parallel *= loop.extent;
    }
    if (!is_expanded(loop.kind)) {
      inner_extent = loop.extent;
      inner_level = l;
    }
    if (!store.accesses.empty() && !footprints.moves(0, l)) reuse_extent *= loop.extent;
  }

  double contiguous = 0, invariant = 0, strided = 0, in_registers = 0, inner_bytes = 0;
  for (std::size_t a = 0; a < store.accesses.size(); ++a) {
    const NestAccess& access = store.accesses[a];
    if (is_in_registers(access.buffer)) {
      in_registers += 1;
      continue;
    }
    if (inner_level < store.loops.size()) inner_bytes += footprints.bytes(a, inner_level);
    if (lane == store.loops.size() || !footprints.moves(a, lane)) {
      invariant += 1;
    } else if (!access.indices.empty() && std::abs(access.indices.back().coefficient(store.loops[lane].var)) == 1) {
      contiguous += 1;
    } else {
      strided += 1;
    }
  }

  const double trips = store.trips(), flops = trips * store.flops;
  const double l1 = traffic(store, footprints, caches.l1_bytes), l2 = traffic(store, footprints, caches.l2_bytes),
               l3 = traffic(store, footprints, caches.l3_bytes);
  const auto intensity = [&](double bytes) { return bytes > 0 ? flops / bytes : 0.0; };
  for (const double value : {trips, flops, lanes, unrolled, parallel, inner_extent}) out.push_back(scale(value));
  out.push_back(static_cast<float>(store.loops.size()));
  for (const double value : {l1, l2, l3, intensity(l1), intensity(l2), intensity(l3)}) out.push_back(scale(value));
  for (const double value : {contiguous, invariant, strided, in_registers}) out.push_back(static_cast<float>(value));
  for (const double value : {code_size(store), inner_bytes, reuse_extent}) out.push_back(scale(value));
}

bool is_parallel(ir::LoopKind kind) { return kind == ir::LoopKind::kParallel; }
bool is_vectorized(ir::LoopKind kind) { return kind == ir::LoopKind::kVectorized; }
bool is_virtual_thread(ir::LoopKind kind) { return kind == ir::LoopKind::kVirtualThread; }

/// Appends the columns of the whole program, whose stores are in order.
void program_columns(const FlatProgram& flat, const CacheCapacities& caches, Features& out) {
  double code = 0, tasks = 1, l2_traffic = 0, non_temporal = 0;
  double blocks = 1, threads = 1, virtual_threads = 1;
  double thread_step = 0, block_step = 0;     // sums of logarithms, one for each access
  double other_trips = 0, other_vectors = 0;  // of the stores without columns of their own
  for (std::size_t i = 0; i < flat.stores.size(); ++i) {
    const NestStore& store = flat.stores[i];
    code += code_size(store);
    l2_traffic += traffic(store, Footprints(store), caches.l2_bytes);
    tasks = std::max(tasks, store.extents(is_parallel));
    blocks = std::max(blocks, store.extents(ir::is_block_index));
    threads = std::max(threads, store.extents(ir::is_device_thread));
    virtual_threads = std::max(virtual_threads, store.extents(is_virtual_thread));
    if (store.is_non_temporal) non_temporal += store.trips() * store.accesses.front().buffer->element.bytes();
    for (const NestAccess& access : store.accesses) {
      // Stores count twice, since reading rows and writing columns differs from the reverse.
      thread_step += (access.is_write ? 2 : 1) * std::log2(1 + access.thread_step);
      block_step += (access.is_write ? 2 : 1) * std::log2(1 + access.block_step);
    }
    if (i < kStores) continue;
    other_trips += store.trips();
    other_vectors += store.trips() / store.extents(is_vectorized);
  }
  double prefetch_trips = 0, prefetch_distance = 0;
  for (const NestPrefetch& prefetch : flat.prefetches) {
    prefetch_trips += prefetch.trips;
    prefetch_distance += std::log2(1 + prefetch.distance_bytes);
  }
  const auto stores = static_cast<double>(flat.stores.size()), prefetches = static_cast<double>(flat.prefetches.size());
  for (const double value : {stores, flat.register_bytes, flat.local_bytes, flat.global_bytes, flat.padding_bytes, code,
                             tasks, l2_traffic, non_temporal, prefetches, prefetch_trips}) {
    out.push_back(scale(value));
  }
  out.push_back(static_cast<float>(prefetch_distance));
  for (const double value : {blocks, threads, virtual_threads}) out.push_back(scale(value));
  for (const double value : {thread_step, block_step}) out.push_back(static_cast<float>(value));
  for (const double value : {other_trips, other_vectors}) out.push_back(scale(value));
}

}  // namespace

std::size_t program_feature_count() { return kStores * kStoreNames.size() + kProgramNames.size(); }

std::vector<std::string> program_feature_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kStores; ++i) {
    for (const char* name : kStoreNames) names.push_back("store" + std::to_string(i) + "." + name);
  }
  names.insert(names.end(), kProgramNames.begin(), kProgramNames.end());
  return names;
}

void program_features(const ir::Program& program, const CacheCapacities& caches, Features& out) {
  FlatProgram flat = flatten(program);
  std::stable_sort(flat.stores.begin(), flat.stores.end(), [](const NestStore& a, const NestStore& b) {
    return a.trips() * (1 + a.flops) > b.trips() * (1 + b.flops);
  });
  for (std::size_t i = 0; i < kStores; ++i) {
    if (i < flat.stores.size()) {
      store_features(flat.stores[i], caches, out);
    } else {
      out.insert(out.end(), kStoreNames.size(), std::numeric_limits<float>::quiet_NaN());
    }
  }

  program_columns(flat, caches, out);
}

ProgramCounts program_counts(const ir::Program& program, const CacheCapacities& caches) {
  ProgramCounts counts;
  for (const NestStore& store : flatten(program).stores) {
    counts.flops += store.flops * store.trips() * store.share;
    counts.l2_bytes += traffic(store, Footprints(store), caches.l2_bytes);
  }
  return counts;
}

}  // namespace nestwright
