#include "measure/race/scale_scores.h"

#include "nestwright/error.h"

namespace nestwright {

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kInvalidConfig:
      return "invalid_config";
    case Outcome::kCompileError:
      return "compile_error";
    case Outcome::kLaunchError:
      return "launch_error";
    case Outcome::kTimeout:
      return "timeout";
    case Outcome::kCrash:
      return "crash";
    case Outcome::kWrongResult:
      return "wrong_result";
  }
  throw InternalError("internal error: an outcome that is none of the known ones");
}

void scale_scores(Timing& timing, double factor) {
  for (double* ns : {&timing.median_ns, &timing.low_ns, &timing.high_ns}) *ns *= factor;
  for (double& ns : timing.samples_ns) ns *= factor;
}

}  // namespace nestwright
