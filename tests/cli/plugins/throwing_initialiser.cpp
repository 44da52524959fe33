// A static object's initialiser throws, with a message of two lines.
#include <stdexcept>

#include "nestwright/plugin.h"

int licence_days = (throw std::runtime_error("the licence\nhas expired"), 0);

NESTWRIGHT_PLUGIN("throwing_initialiser", "1.0", registry) { registry.operators(); }
