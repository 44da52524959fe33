// The values of a tensor in double, wherever they come from: memory, in the tensor's own type, or a function that makes
// them when they are read. References of single elements read their operands in this way, so that a tensor of gigabytes
// is neither copied nor, where few of its elements matter, made.
//
//   const ValuesInMemory x(kFloat32, floats.data(), floats.size());
//   std::vector<double> column(rows);
//   x.read(3, columns, column);               // column 3 of a matrix
//
// Thread rule: immutable; any number of threads may read.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ir/core/elements.h"

namespace nestwright {

class TensorValues {
 public:
  TensorValues() = default;
  TensorValues(const TensorValues&) = delete;
  TensorValues& operator=(const TensorValues&) = delete;
  virtual ~TensorValues() = default;

  virtual std::size_t size() const = 0;  ///< elements
  /// Reads elements `begin`, `begin` + `stride`, ..., one for each of `values`.
  virtual void read(std::size_t begin, std::size_t stride, std::span<double> values) const = 0;
  double operator[](std::size_t at) const {
    double value = 0;
    read(at, 1, {&value, 1});
    return value;
  }
};

/// The inputs of an operator.
using InputValues = std::vector<std::shared_ptr<const TensorValues>>;

/// Elements of a type in memory, which must outlive this.
class ValuesInMemory final : public TensorValues {
 public:
  ValuesInMemory(ir::Type type, const void* memory, std::size_t size) : type_(type), memory_(memory), size_(size) {}
  std::size_t size() const override { return size_; }
  void read(std::size_t begin, std::size_t stride, std::span<double> values) const override {
    ir::decode_elements(type_, memory_, begin, stride, values);
  }

 private:
  ir::Type type_;
  const void* memory_;
  std::size_t size_;
};

/// Views of doubles, which must outlive them.
inline InputValues values_of(const std::vector<std::vector<double>>& tensors) {
  InputValues values;
  for (const std::vector<double>& tensor : tensors) {
    values.push_back(std::make_shared<ValuesInMemory>(kFloat64, tensor.data(), tensor.size()));
  }
  return values;
}

}  // namespace nestwright
