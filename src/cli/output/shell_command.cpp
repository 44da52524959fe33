#include "cli/output/shell_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "cli/output/record_output.h"

namespace nestwright::cli {
namespace {

std::string target_arguments(const Target& target) {
  Target host = Target::host();
  if (target == host) return {};
  host.threads = target.threads;
  return target == host ? fmt::format(" --threads {}", target.threads) : " --target " + shell_word(target.str());
}

}  // namespace

std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./=,:+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string task_command(const std::string& command, const Task& task) {
  return fmt::format("nestwright {} {}{}{}", command, workload_arguments(task.workload), target_arguments(task.target),
                     caches_arguments(task));
}

std::string measure_command(const Task& task, const std::string& template_name, const std::string& config) {
  return fmt::format("{} --template {} --config {}", task_command("measure", task), template_name, shell_word(config));
}

}  // namespace nestwright::cli
