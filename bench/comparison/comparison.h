// What was measured of one workload, and how it is kept as JSON.
// Thread rule: values and pure functions. Units: nanoseconds of one call, GFLOP/s, GB/s.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "bench/comparison/conditions.h"

namespace nestwright::bench {

/// What is compared.
struct Case {
  std::string label, workload;
  int threads = 1;
  Weights weights = Weights::kPlain;
  double flops = 0, bytes = 0;  ///< of one call: the arithmetic, and the tensors, each touched once
  double peak_scale = 1;        ///< peak of its element type over that of float32; 0: not known

  /// What tells it apart from all others: "matmul m=8 ... | 2 threads | plain".
  std::string key() const;
};

/// The tuning that came before.
struct TuningSummary {
  double seconds = 0;  ///< 0: nothing was tuned, the database's best was taken
  std::int64_t trials = 0, earlier_trials = 0;
};

/// One contestant's samples, one a round that counts.
struct Series {
  std::string name;      ///< "oneDNN"
  std::string detail;    ///< what of it ran, or why it did not
  bool refused = false;  ///< it should have run and could not: wrong code path, wrong result, crash
  std::vector<double> times_ns;
};

/// Ours is the first series. A series has as many times as there are rounds, or none at all.
struct Comparison {
  Case subject;
  TuningSummary tuning;
  int rounds_asked = 0;
  int dropped = 0;                   ///< rounds that did not count
  double launch_ns = 0;              ///< on a device, of a kernel that computes one element; 0: not measured
  std::vector<double> peaks_gflops;  ///< float32, of each round that counts
  std::vector<double> copies_gb_s;   ///< read plus written by a copy over the same bytes, of each round that counts
  std::vector<Series> series;

  bool complete() const { return static_cast<int>(peaks_gflops.size()) >= rounds_asked; }
};

nlohmann::json to_json(const Comparison& comparison);
/// Throws nlohmann::json::exception for anything else than what to_json made.
Comparison comparison_from_json(const nlohmann::json& json);

}  // namespace nestwright::bench
