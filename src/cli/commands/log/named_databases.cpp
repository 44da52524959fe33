#include "cli/commands/log/named_databases.h"

#include <string>
#include <string_view>

#include "nestwright/error.h"

namespace nestwright::cli {

int run_with_named_databases(const std::function<int()>& command) {
  try {
    return command();
  } catch (const LogError& error) {
    constexpr std::string_view kOption = " with --db";
    std::string message = error.what();
    if (message.ends_with(kOption)) message.resize(message.size() - kOption.size());
    throw LogError(message);
  }
}

}  // namespace nestwright::cli
