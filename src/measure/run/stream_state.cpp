#include "measure/run/stream_state.h"

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

namespace nestwright {

namespace {

constexpr std::size_t kLine = 64;

/// Returns the part of `data` that belongs to one of `parts`, in whole lines.
template <class Byte>
std::span<Byte> share_of(std::span<Byte> data, std::size_t part, std::size_t parts) {
  const std::size_t lines = (data.size() + kLine - 1) / kLine;
  const std::size_t begin = std::min(lines * part / parts * kLine, data.size());
  const std::size_t end = std::min(lines * (part + 1) / parts * kLine, data.size());
  return data.subspan(begin, end - begin);
}

/// Stores to each line, which makes it modified in this core's cache, whatever its contents.
void write_lines(std::span<std::byte> data) {
  for (std::size_t i = 0; i < data.size(); i += kLine) {
    volatile std::byte* const at = &data[i];
    *at = *at;
  }
}

void evict_lines(std::span<const std::byte> data) {
  for (std::size_t i = 0; i < data.size(); i += kLine) _mm_clflush(&data[i]);
}

}  // namespace

void StreamState::establish(const nestwright_parallel& loops) const {
  struct Closure {
    const StreamState* state;
    std::size_t parts;
  } closure{this, static_cast<std::size_t>(loops.threads)};
  const auto body = [](std::int32_t task, std::int32_t, void* context) {
    const auto& [state, parts] = *static_cast<const Closure*>(context);
    for (const std::span<const std::byte> data : state->evicted_) {
      evict_lines(share_of(data, static_cast<std::size_t>(task), parts));
    }
    _mm_mfence();
    for (const std::span<std::byte> data : state->written_) {
      write_lines(share_of(data, static_cast<std::size_t>(task), parts));
    }
  };
  loops.run(loops.pool, loops.threads, body, &closure);
}

}  // namespace nestwright
