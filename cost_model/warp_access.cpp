#include "cost_model/warp_access.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace nestwright {
namespace {

constexpr std::int64_t kWarp = 32, kSector = 32, kBanks = 32, kWord = 4;
constexpr std::int64_t kMaxAccessBytes = 16;  // bytes that a thread moves by one access

/// The bytes that each thread of a warp accesses, relative to the first thread's, in order of threads.
struct Pieces {
  std::vector<std::int64_t> begins;
  std::int64_t bytes = 0;  ///< of each thread
};

/// The bytes of the adjacent lanes of a vector, as many as fit one access.
std::int64_t bytes_at_once(std::span<const NestLoop> loops, std::int64_t element,
                           const std::function<std::int64_t(std::span<const LoopValue>)>& address) {
  const auto vector =
      std::find_if(loops.rbegin(), loops.rend(), [](const NestLoop& l) { return l.kind == ir::LoopKind::kVectorized; });
  if (vector == loops.rend()) return element;
  if (address(std::array{LoopValue{vector->var, 1}}) - address({}) != 1) return element;
  return std::min(static_cast<std::int64_t>(vector->extent) * element, kMaxAccessBytes);
}

Pieces pieces_of(std::span<const NestLoop> loops, std::int64_t element,
                 const std::function<std::int64_t(std::span<const LoopValue>)>& address) {
  Pieces pieces;
  std::vector<LoopValue> at;
  std::vector<std::int64_t> extents;
  for (const ir::LoopKind kind : {ir::LoopKind::kThreadX, ir::LoopKind::kThreadY, ir::LoopKind::kThreadZ}) {
    for (const NestLoop& loop : loops) {
      if (loop.kind != kind) continue;
      at.push_back({loop.var, 0});
      extents.push_back(static_cast<std::int64_t>(loop.extent));
    }
  }
  pieces.bytes = bytes_at_once(loops, element, address);
  for (std::int64_t thread = 0; thread < kWarp; ++thread) {
    std::int64_t rest = thread;
    for (std::size_t i = 0; i < at.size(); ++i) {
      at[i].value = rest % extents[i];
      rest /= extents[i];
    }
    if (rest > 0) break;  // past the last thread of the block
    pieces.begins.push_back(address(at) * element);
  }
  return pieces;
}

double sectors_of(const Pieces& pieces) {
  std::set<std::int64_t> sectors;
  for (const std::int64_t begin : pieces.begins) {
    for (std::int64_t sector = begin / kSector; sector <= (begin + pieces.bytes - 1) / kSector; ++sector) {
      sectors.insert(sector);
    }
  }
  return static_cast<double>(sectors.size());
}

/// Wide accesses are split into phases whose threads request all banks once (CUDA Programming Guide, "Shared Memory").
double ways_of(const Pieces& pieces) {
  const std::int64_t threads = std::max<std::int64_t>(1, kBanks * kWord / std::max(pieces.bytes, kWord));
  double ways = 0;
  int phases = 0;
  for (std::size_t first = 0; first < pieces.begins.size(); first += static_cast<std::size_t>(threads), ++phases) {
    std::map<std::int64_t, std::set<std::int64_t>> words;  // by bank
    const std::size_t last = std::min(first + static_cast<std::size_t>(threads), pieces.begins.size());
    for (std::size_t i = first; i < last; ++i) {
      const std::int64_t end = pieces.begins[i] + pieces.bytes;
      for (std::int64_t word = pieces.begins[i] / kWord; word * kWord < end; ++word) words[word % kBanks].insert(word);
    }
    std::size_t most = 0;
    for (const auto& [bank, asked] : words) most = std::max(most, asked.size());
    ways += static_cast<double>(most);
  }
  return phases > 0 ? ways / phases : 0;
}

}  // namespace

WarpAccess warp_access(std::span<const NestLoop> loops, const ir::Buffer& buffer,
                       const std::function<std::int64_t(std::span<const LoopValue>)>& address) {
  WarpAccess access;
  const bool is_global = buffer->scope == ir::Scope::kGlobal, is_shared = buffer->scope == ir::Scope::kShared;
  if (!is_global && !is_shared) return access;
  const Pieces pieces = pieces_of(loops, buffer->element.bytes(), address);
  access.bytes = static_cast<double>(pieces.bytes) * static_cast<double>(pieces.begins.size());
  if (is_global) access.sectors = sectors_of(pieces);
  if (is_shared) access.ways = ways_of(pieces);
  return access;
}

}  // namespace nestwright
