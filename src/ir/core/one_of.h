// For visitors of nodes that treat several kinds alike: they name each, so that a kind that is new does not compile
// until every visitor knows it.
//
//   std::visit(overloaded{[&](const Store& n) { ... }, [](const OneOf<Prefetch, Barrier> auto&) {}}, s.node().value);
#pragma once

#include <concepts>

namespace nestwright::ir {

template <class T, class... Nodes>
concept OneOf = (std::same_as<T, Nodes> || ...);

}  // namespace nestwright::ir
