// Throws while it registers.
#include <stdexcept>

#include "nestwright/plugin.h"

NESTWRIGHT_PLUGIN("throwing", "1.0", registry) {
  if (registry.operators().empty()) throw 1;
  throw std::runtime_error("the licence has expired");
}
