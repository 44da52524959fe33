#include "exporter/package/toolchain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "exporter/package/output_folder.h"
#include "nestwright/error.h"
#include "support/os/process.h"
#include "support/os/scratch_folder.h"

namespace nestwright {
namespace {

std::string find_on_path(const std::string& tool) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + tool;
    std::error_code ignored;
    if (!folder.empty() && std::filesystem::is_regular_file(candidate, ignored) &&
        access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  throw UsageError(fmt::format("'{}' was not found on PATH, and exporting needs it: install {}", tool,
                               tool == "cc" ? "gcc and libc6-dev" : "binutils"));
}

/// Runs `tool` to write `output`. Throws UsageError if it fails.
void run(const std::string& tool, const std::string& output, std::vector<std::string> arguments) {
  ChildProcess child({.executable = tool, .arguments = std::move(arguments), .environment = {"LC_ALL=C"}});
  const ExitStatus status = child.wait();
  if (!status.signaled && status.code == 0) return;
  const std::string text = child.stderr_text();
  for (const int reason : kNoSpace) {
    if (text.find(std::strerror(reason)) == std::string::npos) continue;
    throw UsageError(fmt::format(
        "'{}' cannot write '{}': no space left there or for its temporary files; free some and export again", tool,
        output));
  }
  throw UsageError(fmt::format("'{}' failed with {}: {}", tool, status.str(), child.stderr_tail()));
}

}  // namespace

Toolchain Toolchain::find() {
  std::string cc = find_on_path("cc");  // first, so that its absence is reported if both are missing
  return Toolchain(std::move(cc), find_on_path("ar"));
}

bool Toolchain::is_reserved(const std::string& name) const {
  const ScratchFolder folder("nestwright-name");
  const std::string source = folder.path() + "/name.c";
  // The headers of the exported sources, and those that a caller is likely to include.
  std::ofstream probe(source);
  probe << "#define _GNU_SOURCE\n";
  for (const char* header : {"errno", "float", "limits", "math", "pthread", "sched", "semaphore", "signal", "stdatomic",
                             "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "time", "unistd"}) {
    probe << "#include <" << header << ".h>\n";
  }
  probe << "#ifdef " << name << "\n#error it is a macro\n#endif\n"
        << "struct nestwright_probe* " << name << "(struct nestwright_probe*);\n";
  probe.close();
  const ExitStatus status =
      ChildProcess({.executable = cc_, .arguments = {"-std=gnu11", "-fsyntax-only", source}}).wait();
  return status.signaled || status.code != 0;
}

void Toolchain::compile(const std::string& source, const std::string& object) const {
  // The assembler finds included files beside the source.
  const std::string folder = std::filesystem::path(source).parent_path().string();
  run(cc_, object, {"-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-Wa,-I," + folder, "-c", source, "-o", object});
}

void Toolchain::archive(const std::vector<std::string>& objects, const std::string& library) const {
  std::error_code ignored;
  std::filesystem::remove(library, ignored);  // ar would add to an existing one
  std::vector<std::string> arguments{"rcs", library};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  run(ar_, library, std::move(arguments));
}

void Toolchain::link_shared(const std::vector<std::string>& objects, const std::string& library) const {
  // nodelete, because after dlclose the pool's threads would run unmapped code.
  const std::string soname = std::filesystem::path(library).filename().string();
  std::vector<std::string> arguments{"-shared",         "-o",          library,          "-Wl,-soname," + soname,
                                     "-Wl,-z,nodelete", "-Wl,-z,defs", "-Wl,--as-needed"};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  arguments.insert(arguments.end(), {"-lpthread", "-lm"});
  run(cc_, library, std::move(arguments));
}

}  // namespace nestwright
