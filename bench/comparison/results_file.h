// Where comparisons are kept as they come, so that a long suite can be run in pieces and goes on after a kill: a line
// of JSON first that says where they come from, then a line a comparison. All of one file come from one commit, one
// machine and one way of measuring. Thread rule: one thread at a time, one process at a time.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>

#include "bench/comparison/comparison.h"
#include "support/unique_fd.h"

namespace nestwright::bench {

struct Provenance {
  std::string commit;
  nlohmann::json doctor;      ///< the output of `nestwright doctor --json`
  nlohmann::json conditions;  ///< how it was measured: an object
  /// False where times depend on a device that `conditions` name: none of doctor's output is compared then.
  bool depends_on_host = true;
};

/// What tells two origins apart, for people: "commit (abc1234 there, def5678 here)", one an item. Of doctor's output
/// whatever stays the same from one call to the next counts, not what it measured.
std::vector<std::string> differences(const Provenance& there, const Provenance& here);

class ResultsFile {
 public:
  /// Begins anew; an earlier file of that name is kept as PATH.old. Throws Error where it cannot be written.
  static ResultsFile begin(const std::string& path, const Provenance& provenance);
  /// Goes on with what is there; a last line that was not finished does not count, and where there is no file it begins
  /// one. Throws UsageError where the file is of another origin, or no such file at all.
  static ResultsFile resume(const std::string& path, const Provenance& provenance);

  /// nullptr where there is no complete comparison of that key.
  const Comparison* find(const std::string& key) const;
  /// Durable when it returns.
  void add(const Comparison& comparison);
  /// Notes that the comparison of that key is begun now, durably: one that kills its process is known by that.
  void note_attempt(const std::string& key);
  /// How often it was begun, by earlier processes as well.
  int attempts(const std::string& key) const;
  int comparisons() const { return static_cast<int>(kept_.size()); }

 private:
  ResultsFile(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  void append(const nlohmann::json& line);

  std::string path_;
  UniqueFd fd_;
  std::map<std::string, Comparison> kept_;  ///< by key; the last one counts
  std::map<std::string, int> attempts_;     ///< by key
};

}  // namespace nestwright::bench
