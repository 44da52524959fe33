// The cache files of Kernel Tuner, which simulate a device when strategies are compared. They are defined by
// kernel_tuner/util.py, process_cache() and store_cache(), and by kernel_tuner/schema/cache/1.1.0/schema.json:
//
//   {"device_name": "NVIDIA A100", "kernel_name": "convolution", "problem_size": [4096, 4096],
//    "tune_params_keys": ["block_size_x"], "tune_params": {"block_size_x": [16, 32]}, "objective": "time",
//    "cache": {"16": {"block_size_x": 16, "time": 3.87, "times": [3.97, 3.88], "compile_time": 918.6,
//                     "verification_time": 0, "benchmark_time": 126.4, "strategy_time": 0, "framework_time": 105.2,
//                     "timestamp": "2023-12-22 09:54:05.502007+00:00", "GFLOP/s": 1948.2},
//              "32": {"block_size_x": 32, "time": "CompilationFailedConfig", ...}}}
//
// Times are in milliseconds. The file of a run that has not ended has no closing brackets, and may end in a comma.
// An entry is read as the result of T4 that Kernel Tuner makes of it (kernel_tuner/file_utils.py, get_t4_results()).
// Thread rule: any thread.
#pragma once

#include <string_view>
#include <vector>

#include "logs/exchange/file_format.h"

namespace nestwright {

bool recognises_kernel_tuner_cache(std::string_view head);
ImportReport import_kernel_tuner_cache(const std::string& database, const ImportRequest& request,
                                       const OpenOptions& options);
ExportReport write_kernel_tuner_cache(const sqlite::Database& database, const std::vector<StoredTask>& tasks,
                                      OutputFile& file);

}  // namespace nestwright
