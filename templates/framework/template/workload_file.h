// A list of workloads in a JSON file that a user can write: what `nestwright tune --file` reads, and what bench's
// suites are made of.
//
//   {
//     "summary": "what these shapes stand for, one line",
//     "entries": [
//       {"label": "BERT-base qkv", "workload": "matmul m=128 n=2304 k=768", "weight": 12},
//       "matmul m=512 n=512 k=512",
//       ...
//     ]
//   }
//
// A list alone will do as well; "summary", "label" and "weight" may be left out: the label is then the workload as it
// is written, the weight 1. Thread rule: values and pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct WorkloadEntry {
  std::string label;
  std::string workload;  ///< as it is written, not validated
  double weight = 1;     ///< of a relative gain; above 0
  int line = 1;          ///< of the file, where the entry begins
};

struct WorkloadFile {
  std::string summary;  ///< may be empty
  std::vector<WorkloadEntry> entries;
};

/// The name of an entry in messages: "shapes.json, line 7, entry 3 (BERT-base qkv)", with the label or the workload.
std::string entry_place(const std::string& source, std::size_t index, const WorkloadEntry& entry);

/// Throws UsageError, one sentence that begins with `source` and names the entry at fault, for text that is not JSON, a
/// field that is unknown, missing or of a wrong type, a file without entries, and a weight that is not above 0.
WorkloadFile parse_workload_file(std::string_view json, const std::string& source);

}  // namespace nestwright
