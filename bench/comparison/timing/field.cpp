#include "bench/comparison/timing/field.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

/// Debian's packages first, then those that bench/peers installs, by package name.
const std::vector<Competitor>& known() {
  static const std::vector<Competitor> list = {{"oneDNN", "bench_contestant_onednn"},
                                               {"OpenBLAS", "bench_contestant_openblas"},
                                               {"BLIS", "bench_contestant_blis"},
                                               {"Eigen", "bench_contestant_eigen"},
                                               {"MKL", "bench_contestant_mkl"},
                                               {"oneDNN-gomp", "bench_contestant_onednn-gomp"},
                                               {"oneDNN-new", "bench_contestant_onednn-new"},
                                               {"OpenBLAS-new", "bench_contestant_openblas-new"}};
  return list;
}

Competitor find(const std::string& name) {
  std::vector<std::string> names;
  for (const Competitor& competitor : known()) {
    if (competitor.name == name) return competitor;
    names.push_back(competitor.name);
  }
  throw UsageError(fmt::format("there is no library '{}' to compare with; there are {}", name, fmt::join(names, ", ")));
}

}  // namespace

const Competitor& ourselves() {
  static const Competitor us = {"Nestwright", "bench_contestant_nestwright"};
  return us;
}

Field find_field(const std::vector<std::string>& names, const std::filesystem::path& folder) {
  Field field;
  std::vector<Competitor> wanted;
  for (const std::string& name : names) wanted.push_back(find(name));
  for (const Competitor& competitor : wanted.empty() ? known() : wanted) {
    if (std::filesystem::exists(folder / competitor.executable)) {
      field.libraries.push_back(competitor);
    } else if (wanted.empty()) {
      field.absent.push_back(competitor.name);
    } else {
      throw UsageError(fmt::format("{} is not there to compare with: run bench/peers first", competitor.name));
    }
  }
  return field;
}

}  // namespace nestwright::bench
