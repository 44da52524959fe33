// A float32 matrix with gaps between its rows.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "nestwright/array.h"

namespace nestwright {

/// Rows of `pitch` numbers; the gaps between the rows contain -1.
struct Matrix {
  std::int64_t rows, columns, pitch;
  std::vector<float> data;

  Matrix(std::int64_t m, std::int64_t n, std::int64_t ld)
      : rows(m), columns(n), pitch(ld), data(static_cast<std::size_t>(m * ld), -1.0F) {}
  float& at(std::int64_t i, std::int64_t j) { return data[static_cast<std::size_t>(i * pitch + j)]; }
  ArrayView view() { return {data.data(), kFloat32, {rows, columns}, {pitch, 1}}; }
  void fill(const std::function<float(std::int64_t i, std::int64_t j)>& element) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) at(i, j) = element(i, j);
    }
  }
  bool gaps_intact() {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = columns; j < pitch; ++j) {
        if (at(i, j) != -1) return false;
      }
    }
    return true;
  }
};

}  // namespace nestwright
