// The canonical text of a program, which is the key of its workload: no spaces, indices named i0, i1, ... and declared
// extents n0, n1, ... in the order of their appearance, and only the declarations that are not implied. Texts that
// differ in spaces, in the names of indices and in how extents are given have the same canonical text.
//
//   C[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1])
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "text/syntax/program.h"

namespace nestwright::text {

struct NamedSize {
  std::string name;
  std::int64_t value = 0;
  friend bool operator==(const NamedSize&, const NamedSize&) = default;
};

struct Canonical {
  std::string text;              ///< without sizes
  std::vector<NamedSize> sizes;  ///< that follow it, as in i0=512
};

Canonical canonical_of(const Program& program);

/// A term as the canonical text writes it, with the index names that it has.
std::string to_string(const Term& term);

}  // namespace nestwright::text
