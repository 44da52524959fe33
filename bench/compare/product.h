// What a contestant brings: a matrix product, ready to be called on given tensors. Each library has one file that
// defines make_product and is linked into an executable of its own, so that no process holds two libraries. Thread
// rule: one thread at a time.
#pragma once

#include <functional>
#include <string>

#include "bench/compare/problem.h"

namespace nestwright::bench {

struct Product {
  std::string detail;          ///< version, routine and code path, as the library itself tells them
  bool runs_avx512 = false;    ///< as the library itself tells
  std::function<void()> call;  ///< packing included
};

struct ProductRequest {
  Problem problem;
  int threads = 1;
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  std::string database;  ///< for ours
};

/// The tensors outlive the product. Throws Error where the library cannot do it.
Product make_product(const ProductRequest& request);

/// Median time of a call in nanoseconds, over a few samples of about 20 ms: for choosing between routines of one
/// library.
double quick_time_ns(const std::function<void()>& call);

}  // namespace nestwright::bench
