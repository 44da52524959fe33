// The values of an input, made in chunks: by several threads, and again whenever they are needed, so that a tensor of
// gigabytes is never held in double.
// Thread rule: immutable; any number of threads may read.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "support/chunks.h"

namespace nestwright {

class InputSource {
 public:
  /// Makes the elements from `begin`, the start of a chunk (support/chunks.h), on, one for each of `values`: those of
  /// the whole chunk. Several threads call it at once.
  using Chunk = std::function<void(std::size_t begin, std::span<double> values)>;

  InputSource(std::size_t size, Chunk chunk) : size_(size), chunk_(std::move(chunk)) {}
  /// Values that are there.
  explicit InputSource(std::vector<double> values)
      : size_(values.size()),
        chunk_([kept = std::make_shared<const std::vector<double>>(std::move(values))](std::size_t begin,
                                                                                       std::span<double> chunk) {
          std::copy_n(kept->begin() + static_cast<std::ptrdiff_t>(begin), chunk.size(), chunk.begin());
        }) {}

  std::size_t size() const { return size_; }
  void read_chunk(std::size_t begin, std::span<double> values) const { chunk_(begin, values); }

  /// All values, made on all cores.
  std::vector<double> values() const {
    std::vector<double> all(size_);
    for_chunks(size_,
               [&](std::size_t begin, std::size_t end) { chunk_(begin, std::span(all).subspan(begin, end - begin)); });
    return all;
  }

 private:
  std::size_t size_;
  Chunk chunk_;
};

/// One for each input of an operator.
using InputSources = std::vector<InputSource>;

/// The values of all sources.
inline std::vector<std::vector<double>> values_of(const InputSources& sources) {
  std::vector<std::vector<double>> tensors;
  for (const InputSource& source : sources) tensors.push_back(source.values());
  return tensors;
}

/// Sources of these values.
inline InputSources sources_of(const std::vector<std::vector<double>>& tensors) {
  return {tensors.begin(), tensors.end()};
}

}  // namespace nestwright
