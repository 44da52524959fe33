// Messages about databases that a command names by arguments of its own, as `nestwright log merge` does.
// Thread rule: any thread.
#pragma once

#include <functional>

namespace nestwright::cli {

/// Runs a command that has no option --db: where a message would tell to give another file with --db, it tells to give
/// another file. Returns the exit code of the command, and throws what it throws.
int run_with_named_databases(const std::function<int()>& command);

}  // namespace nestwright::cli
