// Made-up tasks, proposals and measurements for the tests of the log.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "nestwright/database.h"

namespace nestwright {

inline WorkloadKey matmul(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& dtype = "float32",
                          int tb = 0) {
  WorkloadKey key;
  key.parameters = {{"m", std::to_string(m), true}, {"n", std::to_string(n), true}, {"k", std::to_string(k), true}};
  if (tb != 0) key.parameters.push_back({"tb", std::to_string(tb), false});
  if (dtype != "float32") key.parameters.push_back({"dtype", dtype, false});
  key.op = "matmul";
  key.text = key.op;
  for (const WorkloadParameter& parameter : key.parameters) key.text += " " + parameter.name + "=" + parameter.value;
  key.dtype = dtype;
  key.flops = 2.0 * static_cast<double>(m * n * k);
  return key;
}

inline TaskKey task_of(const WorkloadKey& workload) {
  TaskKey task;
  task.workload = workload;
  task.target = "cpu,isa=avx512,threads=2";
  task.threads = 2;
  task.machine = "made-up machine";
  task.backend = "LLVM 19.1.7";
  return task;
}

inline Point point(int number, int version = 1) {
  Config config;
  config.set("unroll_k", {number});
  config.set("tile_i", {4, 2, 14});
  config.set("pack_b", {1}, "yes");
  return {"matmul.cpu", version, config};
}

inline std::vector<Point> points(int first, int count) {
  std::vector<Point> points;
  for (int i = 0; i < count; ++i) points.push_back(point(first + i));
  return points;
}

inline Measurement timed(double median_ns) {
  Measurement m;
  m.timing.median_ns = median_ns;
  m.timing.low_ns = median_ns * 0.99;
  m.timing.high_ns = median_ns * 1.01;
  m.timing.samples_ns = {median_ns * 0.99, median_ns, median_ns * 1.01};
  m.timing.raw_ns = {median_ns, median_ns * 1.02, median_ns * 1.03};
  m.timing.reference_ns = {80.5, 81, 80.25};
  m.timing.fma_ns = {25000.5, 25001.25, 25002.125};
  m.timing.walk_ns = {9000, 9001.5, 9002};
  m.evidence = {true, 1.0 / 3e6, 0.125};
  m.compile_ms = 15.5;
  m.check_ms = 2.25;
  m.measure_ms = 30.125;
  m.device_clock_mhz = 1980;
  m.device_temperature_c = 41.5;
  m.resources = {{"first", 64, 8, 16, 4096, 256, 0.5}, {"second", 255, 0, 0, 0, 0, 0}};
  return m;
}

inline Measurement failed(Outcome outcome, const std::string& message) {
  Measurement m;
  m.outcome = outcome;
  m.message = message;
  return m;
}

inline SessionInfo info() { return {7, "evolutionary", "xgboost", R"({"batch":64})"}; }

/// A temporary folder for each test, in memory if possible, because every trial waits for its disk.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const bool in_memory = access("/dev/shm", W_OK | X_OK) == 0;
    const std::filesystem::path parent = in_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "nestwright-logs-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace nestwright
