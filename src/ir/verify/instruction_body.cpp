#include "ir/verify/instruction_body.h"

#include <utility>

#include "ir/simplify/simplify.h"
#include "ir/simplify/vector_access.h"
#include "ir/traversal/linear.h"

namespace nestwright::ir {

InstructionBody::InstructionBody(const Stmt& s) {
  const Stmt* at = &s;
  for (const auto* loop = at->as<For>(); loop != nullptr; loop = at->as<For>()) {
    loops.push_back(loop);
    at = &loop->body;
  }
  store = at->as<Store>();
}

std::vector<Element> InstructionBody::loaded() const {
  std::vector<Element> elements;
  for_each_expr(store->value, [&](const Expr& e) {
    if (const auto* load = e.as<Load>()) elements.push_back({load->buffer, load->indices});
  });
  return elements;
}

std::optional<std::array<Element, 2>> InstructionBody::factors(const Buffer& a) const {
  std::vector<Element> found = loaded();
  std::erase_if(found, [&](const Element& e) { return e.buffer == store->buffer; });
  if (found.size() != 2) return std::nullopt;
  if (found[0].buffer != a) std::swap(found[0], found[1]);
  return std::array{found[0], found[1]};
}

Expr InstructionBody::first_of(const Expr& e) const {
  Substitution first;
  for (const For* loop : loops) first[loop->var] = loop->min;
  return substitute(e, first);
}

std::optional<std::int64_t> InstructionBody::step_of(const Expr& e, const For& loop) const {
  const Linear sum = to_linear(e);
  if (sum.is_nonlinear_in(loop.var)) return std::nullopt;
  return sum.coefficient(loop.var);
}

std::optional<std::int64_t> InstructionBody::count_of(const Expr& e) const {
  const For* found = nullptr;
  for (const For* loop : loops) {
    const std::optional<std::int64_t> step = step_of(e, *loop);
    if (step == 0) continue;
    if (step != 1 || found != nullptr || as_const_int(loop->extent) == nullptr) return std::nullopt;
    found = loop;
  }
  return found != nullptr ? *as_const_int(found->extent) : 1;
}

bool InstructionContext::are_equal(const Expr& a, const Expr& b, const Ranges& known) const {
  const Expr distance = substitute(a, lets) - substitute(b, lets);
  const Linear sum = to_linear(distance);
  return (sum.is_constant() && sum.constant == 0) || is_const_int(simplify(distance, known), 0);
}

bool InstructionContext::is_place_of(const Operand& operand, const Element& element,
                                     const InstructionBody& body) const {
  return operand.buffer == element.buffer &&
         are_equal(operand.at, body.first_of(element_offset(element.buffer, element.indices)));
}

bool InstructionContext::is_register_of(const Operand& operand, const Element& element, const InstructionBody& body,
                                        int rows_below) const {
  const Buffer& buffer = element.buffer;
  const int rank = buffer->rank();
  if (operand.buffer != buffer || rank < 2) return false;
  const auto first = [&](int d) { return body.first_of(element.indices[static_cast<std::size_t>(d)]); };
  const auto matrix = [&](int d) { return first(d) / Expr(layout.side(buffer, d)); };
  MatrixPosition position{matrix(rank - 2), matrix(rank - 1)};
  if (layout.reduces_last(buffer) == false) std::swap(position.row, position.column);
  for (int d = 0; d < rank - 2; ++d) {
    position.slice = position.slice * Expr(fragment_extent(buffer, d)) + first(d);
  }
  return are_equal(operand.at, layout.register_of(buffer, position, rows_below));
}

}  // namespace nestwright::ir
