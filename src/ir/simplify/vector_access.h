// Contiguity of vector accesses: which elements one access of memory moves together.
// Thread rule: pure functions. Units: offsets are in elements.
#pragma once

#include <span>
#include <vector>

#include "ir/analysis/ranges.h"

namespace nestwright::ir {

/// The distance of an element from the first one of its buffer, in elements.
Expr element_offset(const Buffer& buffer, const std::vector<Expr>& indices);

/// The load of an integer or half of `bits` bits below broadcasts, widening casts and reinterpretations; nullptr where
/// `part` has another form.
const Load* load_of_part(const Expr& part, int bits);

/// The load of the first of `parts`, the arguments of join_bytes or join_halves with `lanes` lanes, where one load of
/// words yields all: the parts of each word are adjacent in memory, and the words are adjacent or the same in all
/// lanes. nullptr otherwise.
const Load* first_of_adjacent(std::span<const Expr> parts, int lanes);

/// Whether one access moves all lanes: they are adjacent, and the first one is aligned to the size of all of them.
bool is_one_access(const Buffer& buffer, const std::vector<Expr>& indices, const Ranges& ranges);

}  // namespace nestwright::ir
