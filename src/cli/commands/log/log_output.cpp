#include "cli/commands/log/log_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options/common_options.h"
#include "cli/output/record_output.h"

namespace nestwright::cli {

std::string task_text(const TaskKey& task) {
  return fmt::format("{} on {}{}{}", task.workload.text, task.target, caches_arguments(task),
                     task.workload.source.empty() ? "" : fmt::format(" ({})", task.workload.source));
}

Json task_json(const TaskKey& task) {
  const std::string& source = task.workload.source;
  return {{"workload", task.workload.text},
          {"op", task.workload.op},
          {"dtype", task.workload.dtype},
          {"source", source.empty() ? Json() : Json(source)},
          {"target", task.target},
          {"threads", task.threads},
          {"machine", task.machine},
          {"backend", task.backend},
          {"pipeline", static_cast<int>(task.pipeline)},
          {"caches", task.cache},
          {"pages", task.pages},
          {"prepacked", task.prepacked}};
}

std::string table_text(const std::vector<std::vector<std::string>>& rows, std::string_view alignment) {
  std::vector<std::size_t> widths(alignment.size());
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row.at(i).size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool is_last = i + 1 == widths.size();
      const std::string cell = alignment[i] == 'r' ? fmt::format("{:>{}}", row[i], widths[i])
                                                   : fmt::format("{:<{}}", row[i], is_last ? 0 : widths[i]);
      text += cell + (is_last ? "\n" : "  ");
    }
  }
  return printable(text);
}

std::string counted(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void note_rest(std::int64_t shown, std::int64_t matching, const char* which, const char* what) {
  if (shown == matching) return;
  note(fmt::format("nestwright: these are the {} {} of {} {}: --limit 0 shows all\n", which, shown, matching, what));
}

}  // namespace nestwright::cli
