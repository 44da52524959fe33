// Who can take part: the libraries that this build may have an executable for.
// Thread rule: pure functions, but for the look into the folder of executables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nestwright::bench {

/// A contestant: its name in tables, and its executable bench_contestant_...
struct Competitor {
  std::string name;
  std::string executable;  ///< the name in the folder of executables
};

/// Ourselves, the first contestant of every comparison.
const Competitor& ourselves();

struct Field {
  std::vector<Competitor> libraries;
  std::vector<std::string> absent;  ///< known, but not built here: bench/peers fetches them
};
/// The libraries of these names; all known ones where there are none. Throws UsageError for an unknown name, and for
/// one that was asked for and is not there.
Field find_field(const std::vector<std::string>& names, const std::filesystem::path& folder);

}  // namespace nestwright::bench
