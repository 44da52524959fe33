#include "bench/figures/machine/load_kind.h"

#include <fmt/format.h>

#include <iterator>

#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

constexpr LoadKind kKinds[] = {LoadKind::kNone, LoadKind::kCore, LoadKind::kMemory};

}  // namespace

const char* name_of(LoadKind kind) {
  switch (kind) {
    case LoadKind::kNone:
      return "none";
    case LoadKind::kCore:
      return "core";
    case LoadKind::kMemory:
      return "memory";
  }
  throw InternalError("unknown load");
}

std::vector<LoadKind> parse_loads(std::string_view text) {
  if (text == "all") return {std::begin(kKinds), std::end(kKinds)};
  for (const LoadKind kind : kKinds) {
    if (text == name_of(kind)) return {kind};
  }
  throw UsageError(fmt::format("there is no load '{}': give none, core, memory or all", text));
}

}  // namespace nestwright::bench
