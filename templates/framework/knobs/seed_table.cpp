#include "templates/framework/knobs/seed_table.h"

#include "nestwright/error.h"

namespace nestwright {

std::vector<Config> seed_product(const std::vector<SeedColumn>& columns) {
  std::vector<Config> seeds(1);
  for (const SeedColumn& column : columns) {
    std::vector<Config> longer;
    for (const Config& seed : seeds) {
      for (const SeedValue& value : column.values) {
        longer.push_back(seed);
        longer.back().set(column.knob, value.value, value.label);
      }
    }
    seeds = std::move(longer);
  }
  return seeds;
}

std::vector<Config> seed_rows(const std::vector<std::string>& knobs, const std::vector<std::vector<SeedValue>>& rows) {
  std::vector<Config> seeds;
  for (const std::vector<SeedValue>& row : rows) {
    check(row.size() == knobs.size(), "a row of seeds has a value for each of its knobs");
    Config& seed = seeds.emplace_back();
    for (std::size_t k = 0; k < knobs.size(); ++k) seed.set(knobs[k], row[k].value, row[k].label);
  }
  return seeds;
}

void append(std::vector<Config>& seeds, const std::vector<Config>& more) {
  seeds.insert(seeds.end(), more.begin(), more.end());
}

}  // namespace nestwright
