// A plugin for a version of Nestwright that there never was. Its initialiser, which must not run, ends the process.
#include <cstdlib>

extern "C" {
extern const char nestwright_plugin_description[];
[[gnu::used]] const char nestwright_plugin_description[] =
    "\nnestwright-plugin\nnestwright 0.0.1 (0123456789abcdef) with gcc 4\nold\n1.0\n";
}

int ends_the_process = (std::abort(), 0);
