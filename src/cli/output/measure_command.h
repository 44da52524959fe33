// The command that measures one configuration of a task alone.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "nestwright/lookup.h"

namespace nestwright::cli {

/// "nestwright measure matmul m=512 n=512 k=512 --template matmul.cpu --config 'unroll_k=4 pack_b=yes'", with the
/// target and the caches where they differ from those that the command has by default. For a POSIX shell.
std::string measure_command(const Task& task, const std::string& template_name, const std::string& config);

}  // namespace nestwright::cli
