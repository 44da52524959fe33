// A compiled point of a search space. Private to search/. Thread rule: values.
#pragma once

#include "cost_model/least_time.h"
#include "measure/build/builder.h"

namespace nestwright {

struct BuiltPoint {
  BuildResult result;
  LeastWork work;  ///< a lower bound on the work of any kernel for the lowered program; of a part, that of the whole
  /// Above 0: the object is a part of the kernel, and the whole takes this many times as long (lower/program_part.h).
  double part_ratio = 0;
};

}  // namespace nestwright
