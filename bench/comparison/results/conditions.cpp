#include "bench/comparison/results/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "nestwright/template.h"

namespace nestwright::bench {
namespace {

/// The one of these values with the name `name`.
template <class Value, std::size_t kCount>
Value parse(const char* what, std::string_view name, const std::array<Value, kCount>& values) {
  std::string known;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (name == name_of(values[i])) return values[i];
    known += std::string(i == 0 ? "" : i + 1 < kCount ? ", " : " or ") + name_of(values[i]);
  }
  throw UsageError(fmt::format("there are no {} '{}'; write {}", what, name, known));
}

}  // namespace

const char* name_of(Pages pages) { return pages == Pages::kSmall ? "small" : "huge"; }
const char* name_of(Caches caches) { return caches == Caches::kWarm ? "warm" : "cold"; }
const char* name_of(Weights weights) {
  switch (weights) {
    case Weights::kPlain:
      return "plain";
    case Weights::kPrepacked:
      return "prepacked";
    case Weights::kBlocked:
      return "blocked";
  }
  throw InternalError("unknown treatment of weights");
}

Pages parse_pages(std::string_view name) { return parse("pages", name, std::array{Pages::kSmall, Pages::kHuge}); }
Caches parse_caches(std::string_view name) { return parse("caches", name, std::array{Caches::kWarm, Caches::kCold}); }
Weights parse_weights(std::string_view name) {
  return parse("weights", name, std::array{Weights::kPlain, Weights::kPrepacked, Weights::kBlocked});
}

std::optional<Workload> workload_of_ours(const Workload& workload, Weights weights) {
  const std::vector<OperatorParameter>& parameters = workload.op->parameters;
  const auto prepared = std::find_if(parameters.begin(), parameters.end(),
                                     [](const OperatorParameter& parameter) { return parameter.name == "prepared"; });
  if (prepared != parameters.end() && workload.choice("prepared") != "none") {
    throw UsageError(
        fmt::format("{}: libraries would pack what ours is handed prepared; leave prepared out and ask for "
                    "--weights prepacked",
                    workload.str()));
  }
  if (weights == Weights::kPlain) return workload;
  if (prepared == parameters.end()) return std::nullopt;
  return parse_workload(workload.str() + " prepared=" + prepared->choices.back());
}

}  // namespace nestwright::bench
