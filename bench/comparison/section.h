// A part of what is shown together and never mixed with another part: the workloads of a suite with one number of
// threads and one treatment of weights. Thread rule: values and pure functions.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

#include "bench/comparison/summary.h"

namespace nestwright::bench {

struct Row {
  std::string label, workload;
  std::optional<Comparison>
      comparison;  ///< absent: there is no template for it, or the one asked for does not serve it
};

struct Section {
  std::string suite;  ///< its name; several joined where it stands for all of them
  int threads = 1;
  Weights weights = Weights::kPlain;
  std::vector<Row> rows;

  /// "gemm, 2 threads, packing included".
  std::string title() const;
  /// Of the rows that have one.
  std::vector<Comparison> comparisons() const;
  /// Names of all libraries that some comparison has, in the order of their first appearance.
  std::vector<std::string> libraries() const;
  int without_template() const;
};

/// One section over the rows of several, which are of the same threads and weights. A workload that is in two suites
/// counts once.
Section joined(const std::vector<Section>& sections);

/// The table of rows, then geomean and worst over each library, over the best one, and of the share of what binds.
std::string to_text(const Section& section);
nlohmann::json to_json(const Section& section);

}  // namespace nestwright::bench
