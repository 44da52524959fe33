// A section of the results, which is shown together and never mixed with another: the workloads of a suite with one
// number of threads and one treatment of weights. Thread rule: values and pure functions.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

#include "bench/comparison/results/summary.h"

namespace nestwright::bench {

struct Row {
  std::string label, workload;
  std::optional<Comparison>
      comparison;  ///< absent: there is no template for it, or the one asked for does not serve it
};

struct Section {
  std::string suite;  ///< its name, or several joined names
  int threads = 1;
  Weights weights = Weights::kPlain;
  std::vector<Row> rows;

  /// "gemm, 2 threads, packing included".
  std::string title() const;
  /// The comparisons of the rows that have one.
  std::vector<Comparison> comparisons() const;
  /// The names of all libraries in any comparison, in order of first appearance.
  std::vector<std::string> libraries() const;
  int without_template() const;
};

/// One section with the rows of several, which must have equal threads and weights. A workload in two suites counts
/// once.
Section joined(const std::vector<Section>& sections);

/// The table of rows, then the geometric mean and the worst ratio over each library and over the best one, and the
/// share of the roofline.
std::string to_text(const Section& section);
nlohmann::json to_json(const Section& section);

}  // namespace nestwright::bench
