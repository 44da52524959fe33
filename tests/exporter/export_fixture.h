// A fixture that exports into a temporary folder, and the commands that a user of an export runs there.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "nestwright/error.h"
#include "nestwright/export.h"
#include "nestwright/lookup.h"
#include "nestwright/registry.h"
#include "templates/framework/space/completion.h"

namespace nestwright {

struct CommandResult {
  int code = -1;
  std::string output;  ///< of both streams
};

/// Runs a command by the shell, as a user would.
inline CommandResult run_command(const std::string& command) {
  CommandResult result;
  FILE* pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) result.output.append(buffer, count);
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Returns the host's target with this number of threads.
inline Target host_with(int threads) {
  Target target = Target::host();
  target.threads = threads;
  return target;
}

class ExportTest : public ::testing::Test {
 protected:
  ExportTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nestwright-export-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ExportTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  /// Exports the template's default configuration as NAME into the folder NAME.
  ExportResult export_default(const std::string& workload, const Target& target, const std::string& name) {
    const Task task{parse_workload(workload), target};
    return export_kernel(task, look_up(task, nullptr), {file(name), name});
  }

  /// Exports the first of the template's guesses that contains `knob`, e.g. "pack_b=whole": packed operands need a
  /// workspace.
  ExportResult export_guess(const std::string& workload, const Target& target, const std::string& name,
                            const std::string& knob) {
    const Task task{parse_workload(workload), target};
    Lookup found = look_up(task, nullptr);
    for (const Config& guess : found.source->seeds(task.workload, task.target)) {
      if (guess.str().find(knob) == std::string::npos) continue;
      found.config = guess;
      return export_kernel(task, found, {file(name), name});
    }
    throw UsageError("no guess for " + workload + " says " + knob);
  }

  /// Exports the configuration nearest to the default with all options of `knobs`, e.g. "pack_b=whole parallel=m":
  /// packed operands need a workspace, and sizes that are small enough for a test are not parallel by default.
  ExportResult export_with(const std::string& workload, const Target& target, const std::string& name,
                           const std::string& knobs) {
    const Task task{parse_workload(workload), target};
    Lookup found = look_up(task, nullptr);
    const Config wanted = Config::parse(knobs);
    Config partial = found.config;
    for (const ConfigEntry& knob : wanted.entries()) partial.set(knob.knob, knob.value, knob.label);
    found.config = complete_config(*found.source, task.workload, task.target, partial).value();
    for (const ConfigEntry& knob : wanted.entries()) {
      const ConfigEntry* const entry = found.config.find(knob.knob);
      if (entry == nullptr || entry->label != knob.label)
        throw UsageError("no configuration of " + workload + " near the default says " + knobs);
    }
    return export_kernel(task, found, {file(name), name});
  }

  /// Runs a command in the test's folder.
  CommandResult run(const std::string& command) const { return run_command("cd '" + folder_ + "' && " + command); }

  /// Builds with the strictest warnings that a C project might use.
  CommandResult build_self_test(const std::string& name, const std::string& library) const {
    return run("cd " + name + " && cc -std=c11 -O1 -Wall -Wextra -Werror " + name + "_selftest.c " + library +
               " -lm -lpthread -o selftest");
  }

  /// Builds and runs the self-test of the kernel NAME, which was exported for CPUs into the folder NAME.
  CommandResult build_and_run(const std::string& name) {
    const CommandResult build = build_self_test(name, "lib" + name + ".a");
    EXPECT_EQ(build.code, 0) << build.output;
    return run("timeout 60 ./" + name + "/selftest");
  }
  /// Plants a statement in the self-test of the kernel `k`, after the call.
  void plant(const std::string& statement) {
    std::string source = read_text(file("k/k_selftest.c"));
    const std::size_t at = source.find(";\n", source.find("  const int code = k("));
    ASSERT_NE(at, std::string::npos);
    source.insert(at + 2, statement);
    write_text(file("k/k_selftest.c"), source);
  }

  std::string folder_;
};

}  // namespace nestwright
