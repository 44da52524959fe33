// Describes itself as a plugin, and has no function that registers.
#include "nestwright/plugin.h"

extern "C" {
extern const char nestwright_plugin_description[];
[[gnu::used]] const char nestwright_plugin_description[] =
    NESTWRIGHT_PLUGIN_MARK NESTWRIGHT_PLUGIN_INTERFACE "\nempty\n1.0\n";
}
