// The configuration that a user writes for lower, export and measure.
// Thread rule: pure functions, except that the declarations change the command line.
#pragma once

#include <string>

#include "cli/options/arguments.h"
#include "nestwright/lookup.h"
#include "nestwright/workload.h"

namespace nestwright::cli {

/// Declares --config and --template, which names the template that the configuration belongs to.
Argument add_config(Command& command, std::string& config);
Argument add_template(Command& command, std::string& name);

/// Parses `text`, which gives some or all knobs of a configuration; complete_given() chooses the others. The template
/// is the one named `only`, or else the first one in which the values are possible; one that has exactly these knobs in
/// a branch comes before others. Throws UsageError as complete_given() does, and if there is no such template, or the
/// text is a whole configuration of several.
Lookup given_config(const TaskContext& context, const std::string& text, const std::string& only);

/// Returns two lines: template with its version, and configuration.
std::string config_text(const Lookup& found);
/// Returns where a configuration comes from, "given", "exact", "nearest: recorded for matmul m=64 n=64 k=64", ..., and
/// its hint_text().
std::string origin_text(const Lookup& found);

}  // namespace nestwright::cli
