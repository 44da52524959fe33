// Calls a function that no program has.
#include "nestwright/plugin.h"

void function_that_no_program_has();

NESTWRIGHT_PLUGIN("undefined", "1.0", registry) {
  registry.operators();
  function_that_no_program_has();
}
