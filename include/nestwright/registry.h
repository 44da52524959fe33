// The operators that a program knows by name, each with its templates. A copy shares its operators with the original.
//
//   Registry registry = builtin_registry();
//   registry.add(my_operator());
//   const Workload workload = registry.parse_workload("my_operator n=1024");
//
// A workload carries its operator, so that a registry is needed only where operators are named: tuning, lookup and
// export ask the workload.
//
// Thread rule: a value; any thread may read one that nobody changes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nestwright/template.h"

#pragma GCC visibility push(default)

namespace nestwright {

class Registry {
 public:
  /// Adds an operator with its templates. Throws UsageError, which names the operator, if its name is not a word of
  /// letters, digits and _, if it lacks a definition or a reference, if a template of it lacks a schedule, or if there
  /// is an operator or a template of the same name.
  void add(Operator op);
  /// Adds a template to the operator of that name, after those that it has; workloads that exist keep theirs. Throws
  /// UsageError if there is no such operator, the template has no schedule, or there is a template of the same name.
  void add(std::string_view op, Template added);
  /// Marks everything that is added from now on as this plugin's; empty: no plugin's.
  void set_plugin(std::string identity) { plugin_ = std::move(identity); }
  /// Notes which file the plugin of this name was loaded from.
  void add_plugin_file(const std::string& name, std::string file) { plugin_files_[name] = std::move(file); }

  /// In the order in which they were added.
  const std::vector<std::shared_ptr<const Operator>>& operators() const { return operators_; }
  /// Throws UsageError that lists the known operators.
  const std::shared_ptr<const Operator>& find_operator(std::string_view name) const;
  /// A template of any operator. nullptr where there is none of that name.
  const Template* find_template(std::string_view name) const;
  /// The file that the plugin of this name was loaded from. nullptr where none was.
  const std::string* find_plugin_file(const std::string& name) const;
  /// Parses a workload of one of the operators. Throws UsageError for an unknown one, and as parse_workload of a known
  /// operator does.
  Workload parse_workload(std::string_view text) const;

 private:
  std::vector<std::shared_ptr<const Operator>> operators_;
  std::string plugin_;
  std::map<std::string, std::string> plugin_files_;  ///< by the plugin's name
};

/// Adds what the plugin in the file `path` (nestwright/plugin.h) registers; all of it or, if it throws, nothing. The
/// program must be linked with the shared library, which plugins call. Throws UsageError, which names the file, if it
/// cannot be read or loaded, is not a plugin, was compiled for another version or by another compiler, if the registry
/// has a plugin of the same name, and if the plugin throws, for example because the registry refuses what it adds. If
/// the initialisation of the plugin's static objects throws, which happens inside the system's loader, the process ends
/// with one sentence on standard error and exit code 2. The plugin stays loaded until the process ends.
/// Thread rule: one thread at a time.
void load_plugin(const std::string& path, Registry& registry);

/// Nestwright's own operators and templates.
const Registry& builtin_registry();

/// Parses a workload of one of them, as builtin_registry().parse_workload() does, for programs that add none.
Workload parse_workload(std::string_view text);

}  // namespace nestwright

#pragma GCC visibility pop
