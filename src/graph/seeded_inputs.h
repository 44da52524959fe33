// The inputs on which a network is judged: those that an exported self-test draws.
// Thread rule: a generator belongs to one thread; functions are pure.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/array.h"
#include "nestwright/model/graph.h"

namespace nestwright {

/// Numbers in [-1, 1) by Marsaglia's xorshift, as exporter/c/self_test/uniform.c.in draws them.
class Uniform {
 public:
  double next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1;
  }

 private:
  std::uint64_t state_ = 88172645463325252U;
};

/// The elements of each input of a graph, in order: numbers in [-1, 1), integers of 0 and 1.
std::vector<Array> seeded_inputs(const Graph& graph);

}  // namespace nestwright
