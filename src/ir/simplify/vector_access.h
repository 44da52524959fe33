// Where the elements of accesses lie in memory, and which of them one access moves together.
// Thread rule: pure functions.
#pragma once

#include <span>
#include <vector>

#include "ir/analysis/ranges.h"

namespace nestwright::ir {

/// The distance of an element from the first one of its buffer, in elements.
Expr element_offset(const Buffer& buffer, const std::vector<Expr>& indices);

/// The load below broadcasts, widening casts and reinterpretations of an integer or half of `bits` bits; nullptr where
/// there is none.
const Load* load_of_part(const Expr& part, int bits);

/// The load of the first of `parts`, the arguments of join_bytes or join_halves with `lanes` lanes, where one load has
/// the words: the parts of each are adjacent in memory, and so are the words, or all lanes have the same one. nullptr
/// elsewhere.
const Load* first_of_adjacent(std::span<const Expr> parts, int lanes);

/// Whether one access moves all lanes: they are adjacent and the first one is aligned to the size of all.
bool is_one_access(const Buffer& buffer, const std::vector<Expr>& indices, const Ranges& ranges);

}  // namespace nestwright::ir
