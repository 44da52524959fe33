// Loads plugins (framework/plugin.h).
// Thread rule: one thread at a time. A plugin stays loaded until the process ends, because operators refer to its code.
#pragma once

#include <string>

#include "templates/framework/registry/registry.h"

namespace nestwright {

/// The description of a plugin's file, read without running any of its code.
struct PluginFile {
  std::string name;     ///< a word
  std::string version;  ///< a word
  std::string hash;     ///< of the file's content: 16 hexadecimal digits
  /// "rows 1.0 0123456789abcdef": Operator::plugin, Template::plugin, and what records hold.
  std::string identity() const { return name + " " + version + " " + hash; }
};

/// Throws UsageError if the file cannot be read, is not a plugin, was compiled for another version or by another
/// compiler, or if its name or its version is not one word.
PluginFile read_plugin(const std::string& path);

/// Adds what the plugin registers; all of it or, if it throws, nothing. The program must export the library's symbols
/// (nestwright_plugin_host() of the CMake package). Throws UsageError, which names the file, as read_plugin() does, if
/// the registry has a plugin of the same name, and if the file cannot be loaded or the plugin throws, for example
/// because the registry refuses what it adds. If the initialisation of the plugin's static objects throws, which
/// happens inside the system's loader, the process ends with one sentence on standard error and exit code 2.
void load_plugin(const std::string& path, Registry& registry);

}  // namespace nestwright
