// Seeds as data: partial configurations from tables of values, which completion.h completes.
//
//   seed_product({{"parallel", {"rows", "none"}}, {"vectors", {4, 2}}})
//     parallel=rows vectors=4; parallel=rows vectors=2; parallel=none vectors=4; parallel=none vectors=2
//   seed_rows({"threads", "lanes"}, {{256, 4}, {128, 1}})
//     threads=256 lanes=4; threads=128 lanes=1
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nestwright/config_space.h"

namespace nestwright {

/// The value of a knob: a number, a list of numbers, or the name of an option.
struct SeedValue {
  SeedValue(std::int64_t number) : value{number} {}
  SeedValue(KnobValue parts) : value(std::move(parts)) {}
  SeedValue(const char* option) : label(option) {}
  SeedValue(std::string option) : label(std::move(option)) {}

  KnobValue value;
  std::string label;
};

/// A knob, and the values to try.
struct SeedColumn {
  std::string knob;
  std::vector<SeedValue> values;
};

/// All combinations of the values; those of the last column change fastest.
std::vector<Config> seed_product(const std::vector<SeedColumn>& columns);

/// One configuration per row; each row has as many values as there are knobs.
std::vector<Config> seed_rows(const std::vector<std::string>& knobs, const std::vector<std::vector<SeedValue>>& rows);

/// Appends `more` to `seeds`.
void append(std::vector<Config>& seeds, const std::vector<Config>& more);

}  // namespace nestwright
