// The file that comparisons are appended to as they are made, so that a long suite can be run in pieces and resumed
// after a kill. Its first line is JSON that describes the origin; each further line is a comparison. All comparisons in
// a file have one commit, one machine and one set of conditions. Thread rule: one thread at a time, one process at a
// time.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>

#include "bench/comparison/results/comparison.h"
#include "support/os/unique_fd.h"

namespace nestwright::bench {

struct Provenance {
  std::string commit;
  nlohmann::json doctor;      ///< the output of `nestwright doctor --json`
  nlohmann::json conditions;  ///< how it was measured: an object
  /// False where times depend on a device that `conditions` name: doctor's output is then not compared.
  bool depends_on_host = true;
};

/// How two origins differ, for people to read, such as "commit (abc1234 there, def5678 here)". Of doctor's output, only
/// what is the same in every call is compared, not its measurements.
std::vector<std::string> differences(const Provenance& there, const Provenance& here);

class ResultsFile {
 public:
  /// Starts a new file; an earlier one of that name is kept as PATH.old. Throws Error where it cannot be written.
  static ResultsFile begin(const std::string& path, const Provenance& provenance);
  /// Continues an existing file, without an unfinished last line, or starts one. Throws UsageError where the file has
  /// another origin, or is not a results file.
  static ResultsFile resume(const std::string& path, const Provenance& provenance);

  /// The complete comparison with this key; nullptr where there is none.
  const Comparison* find(const std::string& key) const;
  /// Appends a comparison. It is durable when the function returns.
  void add(const Comparison& comparison);
  /// Records durably that the comparison with this key is about to begin, so that one that kills its process is known.
  void note_attempt(const std::string& key);
  /// How often it was begun, also by earlier processes.
  int attempts(const std::string& key) const;
  int comparisons() const { return static_cast<int>(kept_.size()); }

 private:
  ResultsFile(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  void append(const nlohmann::json& line);

  std::string path_;
  UniqueFd fd_;
  std::map<std::string, Comparison> kept_;  ///< by key; the last one in the file
  std::map<std::string, int> attempts_;     ///< by key
};

}  // namespace nestwright::bench
