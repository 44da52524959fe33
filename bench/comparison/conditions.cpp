#include "bench/comparison/conditions.h"

#include <fmt/format.h>

#include <array>

#include "support/error.h"
#include "templates/registry.h"

namespace nestwright::bench {
namespace {

/// The one of two values with the name `name`.
template <class Value>
Value parse(const char* what, std::string_view name, std::array<Value, 2> values) {
  for (const Value value : values) {
    if (name == name_of(value)) return value;
  }
  throw UsageError(
      fmt::format("there are no {} '{}'; write {} or {}", what, name, name_of(values[0]), name_of(values[1])));
}

}  // namespace

const char* name_of(Pages pages) { return pages == Pages::kSmall ? "small" : "huge"; }
const char* name_of(Caches caches) { return caches == Caches::kWarm ? "warm" : "cold"; }
const char* name_of(Weights weights) { return weights == Weights::kPlain ? "plain" : "prepacked"; }

Pages parse_pages(std::string_view name) { return parse("pages", name, std::array{Pages::kSmall, Pages::kHuge}); }
Caches parse_caches(std::string_view name) { return parse("caches", name, std::array{Caches::kWarm, Caches::kCold}); }
Weights parse_weights(std::string_view name) {
  return parse("weights", name, std::array{Weights::kPlain, Weights::kPrepacked});
}

std::optional<Workload> workload_of_ours(const Workload& workload, Weights weights) {
  if (workload.op->name == "matmul" && workload.choice("prepared") != "none") {
    throw UsageError(
        fmt::format("{}: libraries would pack what ours is handed prepared; leave prepared out and ask for "
                    "--weights prepacked",
                    workload.str()));
  }
  if (weights == Weights::kPlain) return workload;
  if (workload.op->name != "matmul") return std::nullopt;
  return parse_workload(workload.str() + " prepared=b");
}

}  // namespace nestwright::bench
