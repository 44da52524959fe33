// The machine code that was already measured for a task: configurations with the same code are not measured again.
// Thread rule: one thread at a time.
#pragma once

#include <string>
#include <unordered_map>

#include "nestwright/records.h"

namespace nestwright {

class KnownCode {
 public:
  struct Known {
    TrialId trial = 0;
    Measurement measurement;
  };

  /// Adds a trial that was itself measured. The first trial of a code stays, except that a disturbed measurement is
  /// replaced by an undisturbed one or a newer one of the same trial. Ignores trials that were not compiled.
  void add(const std::string& identity, TrialId trial, const Measurement& measurement);
  /// Forgets the trial with this code, whose measurement is no longer that of this code.
  void forget(const std::string& identity) { by_identity_.erase(identity); }
  /// The measurement of the trial; nullptr where there is none.
  const Measurement* measurement_of(TrialId trial) const;
  /// Replaces the timing of the trial, if it is known: it was scored by a wrong reference time.
  void rescore(TrialId trial, const Timing& timing);
  /// The trial with this code; nullptr where there is none.
  const Known* find(const std::string& identity) const;

 private:
  std::unordered_map<std::string, Known> by_identity_;
};

/// The record of a trial with known code: the outcome, times and evidence of the known trial, without a check of its
/// own.
Measurement taken_from(const KnownCode::Known& known, double compile_ms);

}  // namespace nestwright
