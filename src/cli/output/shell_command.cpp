#include "cli/output/shell_command.h"

#include <fmt/format.h>

#include "cli/output/record_output.h"
#include "nestwright/text_operator.h"
#include "support/base/shell_word.h"

namespace nestwright::cli {
namespace {

/// An expression is quoted and follows --expr.
std::string workload_arguments(const Workload& workload) {
  const std::string text = workload.str(), &name = workload.op->name;
  if (!is_expression_text(name)) return text;
  return fmt::format("--expr '{}'{}", name, text.substr(name.size()));  // no quote is in the grammar
}

std::string target_arguments(const Target& target) {
  Target host = Target::host();
  if (target == host) return {};
  host.threads = target.threads;
  return target == host ? fmt::format(" --threads {}", target.threads) : " --target " + shell_word(target.str());
}

}  // namespace

std::string task_command(const std::string& command, const Task& task) {
  return fmt::format("nestwright {} {}{}{}", command, workload_arguments(task.workload), target_arguments(task.target),
                     caches_arguments(task));
}

std::string measure_command(const Task& task, const std::string& template_name, const std::string& config) {
  return fmt::format("{} --template {} --config {}", task_command("measure", task), template_name, shell_word(config));
}

}  // namespace nestwright::cli
