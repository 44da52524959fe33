// A concept for visitors that treat several kinds of nodes alike: it lists each kind, so that a visitor does not
// compile with a new kind until it handles it.
// Thread rule: a concept.
//
//   std::visit(overloaded{[&](const Store& n) { ... }, [](const OneOf<Prefetch, Barrier> auto&) {}}, s.node().value);
#pragma once

#include <concepts>

namespace nestwright::ir {

template <class T, class... Nodes>
concept OneOf = (std::same_as<T, Nodes> || ...);

}  // namespace nestwright::ir
