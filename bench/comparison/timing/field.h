// The libraries that can take part in a comparison.
// Thread rule: pure functions, except that find_field looks for executables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nestwright::bench {

/// A contestant: its name in tables, and its executable bench_contestant_...
struct Competitor {
  std::string name;
  std::string executable;  ///< its name in the folder of executables
};

/// Our own contestant, the first in every comparison.
const Competitor& ourselves();

struct Field {
  std::vector<Competitor> libraries;
  std::vector<std::string> absent;  ///< known, but not built here; bench/peers installs them
};
/// The libraries with these names, or all known ones where `names` is empty. Throws UsageError for an unknown name, and
/// for a library that was named but is not built.
Field find_field(const std::vector<std::string>& names, const std::filesystem::path& folder);

}  // namespace nestwright::bench
