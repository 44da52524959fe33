// The measurements of one workload, and their form in JSON.
// Thread rule: values and pure functions. Units: nanoseconds of one call, GFLOP/s, GB/s.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "bench/comparison/results/conditions.h"

namespace nestwright::bench {

/// The subject of a comparison.
struct Case {
  std::string label, workload;
  int threads = 1;
  Weights weights = Weights::kPlain;
  double flops = 0, bytes = 0;  ///< of one call: arithmetic, and the size of the tensors
  double peak_scale = 1;        ///< peak of its element type relative to float32; 0: unknown

  /// A unique key: "matmul m=8 ... | 2 threads | plain".
  std::string key() const;
};

/// The tuning that preceded the comparison.
struct TuningSummary {
  double seconds = 0;  ///< 0: nothing was tuned, the best in the database was used
  std::int64_t trials = 0, earlier_trials = 0;
};

/// The samples of one contestant, one for each round that counts.
struct Series {
  std::string name;      ///< "oneDNN"
  std::string detail;    ///< what ran, or why nothing did
  bool refused = false;  ///< it should have run but failed: wrong code path, wrong result, crash
  std::vector<double> times_ns;
};

/// Ours is the first series. A series has one time for each round that counts, or none at all.
struct Comparison {
  Case subject;
  TuningSummary tuning;
  int rounds_asked = 0;
  int dropped = 0;                   ///< rounds that did not count
  double launch_ns = 0;              ///< on a device, of a kernel that computes one element; 0: not measured
  std::vector<double> peaks_gflops;  ///< float32, in each round that counts
  std::vector<double> copies_gb_s;   ///< read plus written by a copy of the same size, in each round that counts
  std::vector<Series> series;

  bool is_complete() const { return static_cast<int>(peaks_gflops.size()) >= rounds_asked; }
};

nlohmann::json to_json(const Comparison& comparison);
/// The inverse of to_json. Throws nlohmann::json::exception for anything else.
Comparison comparison_from_json(const nlohmann::json& json);

}  // namespace nestwright::bench
