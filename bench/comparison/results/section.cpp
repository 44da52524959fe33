#include "bench/comparison/results/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

const char* conditions_text(Weights weights) {
  switch (weights) {
    case Weights::kPlain:
      return "packing included";
    case Weights::kPrepacked:
      return "weights prepacked";
    case Weights::kBlocked:
      return "all tensors in the libraries' own layouts, of ours the weights only";
  }
  throw InternalError("unknown treatment of weights");
}

}  // namespace

std::string Section::title() const {
  return fmt::format("{}, {} thread{}, {}", suite, threads, threads == 1 ? "" : "s", conditions_text(weights));
}

std::vector<Comparison> Section::comparisons() const {
  std::vector<Comparison> list;
  for (const Row& row : rows) {
    if (row.comparison) list.push_back(*row.comparison);
  }
  return list;
}

std::vector<std::string> Section::libraries() const {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (!row.comparison) continue;
    for (std::size_t i = 1; i < row.comparison->series.size(); ++i) {
      const std::string& name = row.comparison->series[i].name;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

int Section::without_template() const {
  return static_cast<int>(std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.comparison; }));
}

Section joined(const std::vector<Section>& sections) {
  Section all = sections.at(0);
  std::set<std::string> seen;
  for (const Row& row : all.rows) seen.insert(row.workload);
  for (std::size_t i = 1; i < sections.size(); ++i) {
    all.suite += " + " + sections[i].suite;
    for (const Row& row : sections[i].rows) {
      if (seen.insert(row.workload).second) all.rows.push_back(row);
    }
  }
  return all;
}

}  // namespace nestwright::bench
