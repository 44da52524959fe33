#include "nestwright/tune.h"

namespace nestwright {

StageTimes& StageTimes::operator+=(const StageTimes& other) {
  start_up += other.start_up;
  propose += other.propose;
  features += other.features;
  train += other.train;
  lower += other.lower;
  compile += other.compile;
  check += other.check;
  measure += other.measure;
  log += other.log;
  race += other.race;
  return *this;
}

}  // namespace nestwright
