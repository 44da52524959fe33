// Intrinsics for tensorize whose statements a Python function gives.
// Thread rule: the caller holds the interpreter's lock; the intrinsics themselves may be used on any thread.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "held.h"
#include "nestwright/schedule.h"

namespace nestwright::python {

/// An intrinsic, and the functions that it calls.
class PythonIntrinsic {
 public:
  /// `init` may be None. Throws UsageError.
  PythonIntrinsic(nanobind::handle pattern, nanobind::callable emit, std::string name, nanobind::handle inputs,
                  nanobind::handle scalars, nanobind::object init);
  const TensorIntrinsic& pattern() const { return pattern_; }
  /// The intrinsic for a schedule that is made now: an exception of its functions belongs to the current run. Where
  /// there is none, it passes through the lowering.
  TensorIntrinsic in_current_run() const;

 private:
  TensorIntrinsic pattern_;  ///< without functions
  std::shared_ptr<nanobind::callable> emit_, init_;
};

/// One of Python's, or a built-in one by its name. Throws UsageError, TypeError.
TensorIntrinsic intrinsic_from(nanobind::handle object);
/// A list of Python's.
std::vector<TensorIntrinsic> intrinsics_from(nanobind::handle object);

}  // namespace nestwright::python
