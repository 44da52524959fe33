// The values of an input, made in chunks: by several threads, and again whenever they are needed, so that a tensor of
// gigabytes is never held in double.
// Thread rule: immutable; any number of threads may read.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace nestwright {

class InputSource {
 public:
  /// Makes the elements from `begin`, the start of a chunk (support/base/chunks.h), on, one for each of `values`: those
  /// of the whole chunk. Several threads call it at once.
  using Chunk = std::function<void(std::size_t begin, std::span<double> values)>;

  InputSource(std::size_t size, Chunk chunk) : size_(size), chunk_(std::move(chunk)) {}
  /// Values that are there.
  explicit InputSource(std::vector<double> values);

  std::size_t size() const { return size_; }
  void read_chunk(std::size_t begin, std::span<double> values) const { chunk_(begin, values); }

  /// All values, made on all cores.
  std::vector<double> values() const;

 private:
  std::size_t size_;
  Chunk chunk_;
};

/// One for each input of an operator.
using InputSources = std::vector<InputSource>;

/// The values of all sources.
std::vector<std::vector<double>> values_of(const InputSources& sources);

/// Sources of these values.
InputSources sources_of(const std::vector<std::vector<double>>& tensors);

}  // namespace nestwright
