// A static object's initialiser throws what is no std::exception.
#include "nestwright/plugin.h"

int licence_number = (throw 5, 0);

NESTWRIGHT_PLUGIN("throwing_number", "1.0", registry) { registry.operators(); }
