#include "text/syntax/reduction_parts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/syntax/canonical.h"
#include "text/syntax/program.h"

namespace nestwright::text {
namespace {

bool is_same(const Reduction& a, const Reduction& b) {
  return a.kind == b.kind &&
         std::ranges::equal(a.axes, b.axes, [](const Name& x, const Name& y) { return x.text == y.text; });
}

Access read_of(const Definition& part) {
  Access read{part.tensor.text, {}, std::nullopt};
  for (const Name& index : part.indices) read.indices.push_back({part.tensor.at, 1, IndexValue{index.text}});
  return read;
}

}  // namespace

Access ReductionParts::add(Reduction reduction, Term body, std::span<const Name> scope, std::size_t first_inside,
                           std::set<std::string>& taken) {
  const std::string body_text = to_string(body);
  for (const Definition& part : parts_) {
    if (is_same(*part.reduction, reduction) && to_string(part.body) == body_text) return read_of(part);
  }
  for (std::size_t p = first_inside; p < parts_.size(); ++p) {
    if (!parts_[p].part_of) parts_[p].part_of = parts_.size();
  }
  std::set<std::string> mentioned;
  for_each_term(body, [&](const Term& part, bool) {
    if (const auto* index = std::get_if<IndexValue>(&part.value)) mentioned.insert(index->name);
  });
  const std::string name = statement_ + "_" + reduction_name(reduction.kind);
  std::string unique = name;
  for (int n = 2; !taken.insert(unique).second; ++n) unique = name + std::to_string(n);
  Definition part{.tensor = {unique, reduction.at}, .body = std::move(body)};
  std::ranges::copy_if(scope, std::back_inserter(part.indices),
                       [&](const Name& index) { return mentioned.contains(index.text); });
  part.reduction = std::move(reduction);
  parts_.push_back(std::move(part));
  return read_of(parts_.back());
}

void ReductionParts::move_to(std::vector<Definition>& definitions, Definition statement) {
  const auto* whole = std::get_if<Access>(&statement.body.value);
  if (whole != nullptr && !parts_.empty() && whole->tensor == parts_.back().tensor.text) {
    statement.reduction = std::move(parts_.back().reduction);
    statement.body = std::move(parts_.back().body);
    parts_.pop_back();
  }
  const std::size_t first = definitions.size(), last = parts_.size();
  for (Definition& part : parts_) {
    part.part_of = first + part.part_of.value_or(last);
    definitions.push_back(std::move(part));
  }
  definitions.push_back(std::move(statement));
  parts_.clear();
}

}  // namespace nestwright::text
