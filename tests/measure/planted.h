// The planted kernels (planted_kernels.c) and their task: C = A + B over 1000 elements.
#pragma once

#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "measure/run/runner.h"
#include "tests/measure/use_worker.h"

namespace nestwright {

inline CompiledObject planted(const char* path, const std::string& symbol) {
  std::ifstream file(path, std::ios::binary);
  CompiledObject object;
  object.object.assign(std::istreambuf_iterator<char>(file), {});
  object.symbol = symbol;
  object.workspace = {64, 64};  // 128 bytes with one thread
  return object;
}
inline CompiledObject planted(const std::string& symbol) { return planted(PLANTED_KERNELS, symbol); }

inline CheckData addition(std::int64_t n = 1000) {
  CheckData data;
  data.types.assign(3, kFloat32);
  data.elements.assign(3, n);
  data.roles = {ir::Role::kInput, ir::Role::kInput, ir::Role::kOutput};
  data.inputs.resize(2);
  data.expected.resize(1);
  data.bound.resize(1);
  for (std::int64_t i = 0; i < n; ++i) {
    data.inputs[0].push_back(static_cast<double>(i));
    data.inputs[1].push_back(0.5);
    data.expected[0].push_back(static_cast<double>(i) + 0.5);
    data.bound[0].push_back(1e-3);
  }
  return data;
}

/// The same with inputs of integers, and of large and small magnitudes.
inline CheckData addition_of_three_sets(std::int64_t n = 1000) {
  CheckData data = addition(n);
  const auto elements = static_cast<std::size_t>(n);
  data.integer_inputs = {std::vector<double>(elements, 2), std::vector<double>(elements, 3)};
  data.integer_expected = {std::vector<double>(elements, 5)};
  data.wide_inputs.assign(2, std::vector<double>(elements));
  data.wide_expected.assign(1, std::vector<double>(elements));
  data.wide_bound.assign(1, std::vector<double>(elements));
  for (std::size_t i = 0; i < elements; ++i) {
    const double scale = std::ldexp(1.0, static_cast<int>(i % 49) - 24);
    data.wide_inputs[0][i] = scale;
    data.wide_inputs[1][i] = 0.5 * scale;
    data.wide_expected[0][i] = 1.5 * scale;
    data.wide_bound[0][i] = 1e-6 * scale;
  }
  return data;
}

/// Options with few and short samples.
inline RunnerOptions planted_options(double timeout_s = 5, int threads = 1) {
  RunnerOptions options;
  options.timeout_s = timeout_s;
  options.threads = threads;
  options.timing.sample_ns = options.timing.finalist_sample_ns = 2e5;
  options.timing.rounds = {3, 5};
  options.timing.finalist_processes = options.timing.max_finalist_processes = 3;
  options.timing.finalist_samples = options.timing.finalist_max_samples = 2;
  return options;
}

/// Makes a runner with the real worker.
inline std::unique_ptr<Runner> planted_runner(const RunnerOptions& options) {
  use_worker(WORKER);
  return make_local_runner(addition(), options);
}
inline std::unique_ptr<Runner> planted_runner(double timeout_s = 5, int threads = 1) {
  return planted_runner(planted_options(timeout_s, threads));
}

inline RunResult run_planted(Runner& runner, const std::vector<std::string>& symbols,
                             const std::optional<Contender>& incumbent = {}) {
  std::vector<CompiledObject> objects;
  for (const std::string& symbol : symbols) objects.push_back(planted(symbol));
  std::vector<Contender> contenders;
  for (const CompiledObject& object : objects) contenders.push_back({&object});
  return runner.run(contenders, incumbent);
}

}  // namespace nestwright
