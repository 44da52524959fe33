// Reads the descriptions of plugins (nestwright/plugin.h).
// Thread rule: pure functions of the files.
#pragma once

#include <string>

#include "nestwright/registry.h"

/// Its address tells copies of the library apart. It is part of whatever contains the registry.
extern "C" void nestwright_library();

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

}  // namespace nestwright
