// Adds the operator that counts how often it is resolved, and prints the counts when the process ends.
#include "tests/lookup/counting_operator.h"

#include <cstdio>

#include "nestwright/plugin.h"

using namespace nestwright;

namespace {

struct PrintedAtEnd {
  ~PrintedAtEnd() {
    const CountingOperator::Counts& counts = counting.counts();
    std::fprintf(stderr, "counting: defined %d, discovered %d, seeded %d\n", counts.defined.load(),
                 counts.discovered.load(), counts.seeded.load());
  }

  CountingOperator counting;
} printed;

}  // namespace

NESTWRIGHT_PLUGIN("counting", "1.0", registry) { registry.add(printed.counting.op()); }
