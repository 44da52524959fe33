// The filters of a node: steps along the first dimension of its result, each with constants of its own.
//
//   T[o,y,x]=sum(c,X[c,y,x]*W[o,c]);Y[o,y,x]=max(T[o,y,x]+B[o],0)     filters o: dimension 0 of W and of B, none of X
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "text/syntax/program.h"

namespace nestwright {

/// For each input the dimension that the filters run over; absent for one that all filters read alike.
using FilterDimensions = std::vector<std::optional<std::size_t>>;

/// The dimensions of the filters; nullopt if the first axis of the results is more than an index of inputs and of the
/// first dimensions of computed tensors.
std::optional<FilterDimensions> filter_dimensions(const text::Program& program);

/// The program with so many filters. It has to be checked.
text::Program with_filters(text::Program program, const FilterDimensions& dimensions, std::int64_t count);

/// The program of one filter: all that it computes, and the inputs `own`, have a first dimension of one element.
text::Program as_one_filter(text::Program program, const std::set<std::string>& own);

}  // namespace nestwright
