// A plugin: a shared object that adds operators and templates to a program's registry.
//
//   #include <nestwright/plugin.h>
//
//   NESTWRIGHT_PLUGIN("rows", "1.0", registry) {
//     registry.add(row_scale_operator());
//     registry.add("softmax", my_softmax_template());
//   }
//
// Build it with nestwright_plugin(rows rows.cpp) of the CMake package, which links it with libnestwright.so. The
// command line loads it (--plugin); a program that is linked with the same shared library can do so by load_plugin().
// Not stable: a plugin is compiled with the headers and the compiler of the library that it is loaded by, which is
// checked before any of its code runs.
//
// Thread rule: plugins are registered by one thread, before the registry is used.
#pragma once

#include "nestwright/plugin_interface.h"
#include "nestwright/registry.h"

#define NESTWRIGHT_TEXT_OF(x) #x
#define NESTWRIGHT_TEXT(x) NESTWRIGHT_TEXT_OF(x)

#if defined(__clang__)
#define NESTWRIGHT_COMPILER "clang " NESTWRIGHT_TEXT(__clang_major__)
#else
#define NESTWRIGHT_COMPILER "gcc " NESTWRIGHT_TEXT(__GNUC__)
#endif

/// What a plugin and the program that loads it must agree on: version, hash of the headers, compiler.
#define NESTWRIGHT_PLUGIN_INTERFACE "nestwright " NESTWRIGHT_HEADERS " with " NESTWRIGHT_COMPILER

/// The mark that begins a plugin's description, which is read from the file before any of its code runs: the mark, the
/// interface, name and version, with a newline after each.
#define NESTWRIGHT_PLUGIN_MARK "\nnestwright-plugin\n"

/// Begins the definition of the function that registers a plugin's operators and templates; `name` and `version` are
/// literals of one word each, without blanks, and `registry` becomes its argument, a Registry&. If it throws, or the
/// registry rejects an entry, the command that loads the plugin fails with the exception's message.
#define NESTWRIGHT_PLUGIN(name, version, registry)                                         \
  extern "C" {                                                                             \
  [[gnu::visibility("default")]] extern const char nestwright_plugin_description[];        \
  [[gnu::used]] const char nestwright_plugin_description[] =                               \
      NESTWRIGHT_PLUGIN_MARK NESTWRIGHT_PLUGIN_INTERFACE "\n" name "\n" version "\n";      \
  [[gnu::visibility("default")]] void nestwright_plugin_register(::nestwright::Registry&); \
  }                                                                                        \
  void nestwright_plugin_register(::nestwright::Registry& registry)
