// Commands of nestwright as text, for a POSIX shell, that a user can copy.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "nestwright/lookup.h"

namespace nestwright::cli {

/// "nestwright tune matmul m=512 n=512 k=512 --caches cold", with the target and the caches where they differ from
/// those that the command has by default.
std::string task_command(const std::string& command, const Task& task);

/// "nestwright measure matmul m=512 n=512 k=512 --template matmul.cpu --config 'unroll_k=4 pack_b=yes'".
std::string measure_command(const Task& task, const std::string& template_name, const std::string& config);

}  // namespace nestwright::cli
