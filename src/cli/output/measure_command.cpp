#include "cli/output/measure_command.h"

#include <fmt/format.h>

#include "cli/output/record_output.h"

namespace nestwright::cli {
namespace {

/// The text as one word of a shell command.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string target_arguments(const Target& target) {
  Target host = Target::host();
  if (target == host) return {};
  host.threads = target.threads;
  return target == host ? fmt::format(" --threads {}", target.threads) : " --target " + quoted(target.str());
}

}  // namespace

std::string measure_command(const Task& task, const std::string& template_name, const std::string& config) {
  return fmt::format("nestwright measure {}{}{} --template {} --config {}", workload_arguments(task.workload),
                     target_arguments(task.target), caches_arguments(task), template_name, quoted(config));
}

}  // namespace nestwright::cli
