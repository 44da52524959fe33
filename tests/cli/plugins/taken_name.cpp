// Registers an operator whose name is taken, after one that is not.
#include "nestwright/plugin.h"

using namespace nestwright;

static Operator named(const char* name) {
  return {.name = name,
          .define = [](const Workload&) { return Definition(); },
          .reference = [](const Workload&, const HostTensors&) { return Reference(); }};
}

NESTWRIGHT_PLUGIN("taken", "1.0", registry) {
  registry.add(named("fresh"));
  registry.add(named("matmul"));
}
