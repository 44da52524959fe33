#include "lookup/provenance.h"

#include <fmt/format.h>

#include <vector>

#include "codegen/backend.h"
#include "codegen/fingerprint.h"
#include "support/error.h"
#include "target/machine.h"
#include "target/target.h"

namespace nestwright {
namespace {

/// The version of the backend that would compile for such a target here; empty if there is none.
std::string version_here(const std::string& target) {
  try {
    return make_backend(Target::parse(target).device)->version();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

RecordProvenance current_provenance() {
  // Called for each record of a listing, and constant for this process.
  static const Machine machine = Machine::host();
  return {code_generator_fingerprint(), machine.kernel, machine.microcode, machine.huge_pages};
}

std::string hint_reason(const BestRecord& record, const RecordProvenance& now) {
  std::vector<std::string> reasons;
  if (record.by_old_rule) reasons.emplace_back("scored by an older rule");
  const RecordProvenance& then = record.made_by;
  if (then.code_generator != now.code_generator) {
    reasons.emplace_back("compiled by another version of the code generator");
  }
  const std::string version = version_here(record.task.target);
  if (!version.empty() && version != record.task.backend) {
    reasons.push_back(fmt::format("compiled with {}, not {}", record.task.backend, version));
  }
  const auto compare = [&](const char* what, const std::string& was, const std::string& is) {
    if (!was.empty() && was != is) reasons.push_back(fmt::format("{} was {}, and is {}", what, was, is));
  };
  if (record.match != MatchKind::kOtherMachine) {
    compare("the kernel", then.kernel, now.kernel);
    compare("the microcode", then.microcode, now.microcode);
    compare("the mode of huge pages", then.huge_pages, now.huge_pages);
  }
  return fmt::format("{}", fmt::join(reasons, ", "));
}

}  // namespace nestwright
