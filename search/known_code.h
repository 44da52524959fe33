// Which machine code of a task was measured already: configurations whose code is the same need no measuring.
// Thread rule: one thread at a time.
#pragma once

#include <string>
#include <unordered_map>

#include "logs/record.h"

namespace nestwright {

class KnownCode {
 public:
  struct Known {
    TrialId trial = 0;
    Measurement measurement;
  };

  /// A trial that was measured itself. The first of a code stays; where its time is disturbed, until it is measured
  /// again or another trial's is not. One that was not compiled is ignored.
  void add(const std::string& identity, TrialId trial, const Measurement& measurement);
  /// nullptr where no trial of this code was measured.
  const Known* find(const std::string& identity) const;

 private:
  std::unordered_map<std::string, Known> by_identity_;
};

/// What a trial of known code records: the known outcome, times and evidence; nothing was checked or measured for it.
Measurement taken_from(const KnownCode::Known& known, double compile_ms);

}  // namespace nestwright
