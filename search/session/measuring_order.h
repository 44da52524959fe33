// Decides the order in which the points of a compiled batch are measured. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "search/propose/ranker.h"
#include "search/trials/built_point.h"

namespace nestwright {

/// Indices of the points, in measuring order. Where the compiler reported resources and `ranker` (may be null) ranks,
/// the points with the highest scores come first: slow points are then abandoned sooner, and a budget that runs out has
/// been spent on the best. Otherwise in the order of proposal. Requires the resources to be recorded in `ranker`.
std::vector<std::size_t> measuring_order(const std::vector<Point>& points, const std::vector<BuiltPoint>& built,
                                         Ranker* ranker);

/// The items in that order.
template <class T>
std::vector<T> permuted(std::vector<T> items, const std::vector<std::size_t>& order) {
  std::vector<T> result;
  for (const std::size_t i : order) result.push_back(std::move(items[i]));
  return result;
}

}  // namespace nestwright
