#include "exporter/toolchain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "support/error.h"
#include "support/process.h"

namespace nestwright {
namespace {

std::string find_on_path(const std::string& tool) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + tool;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  throw UsageError(fmt::format("'{}' was not found on PATH, and exporting needs it: install gcc and binutils", tool));
}

void run(const std::string& tool, std::vector<std::string> arguments) {
  ChildProcess child({.executable = tool, .arguments = std::move(arguments)});
  const ExitStatus status = child.wait();
  if (!status.signaled && status.code == 0) return;
  throw UsageError(fmt::format("'{}' failed with {}: {}", tool, status.str(), child.stderr_tail()));
}

}  // namespace

Toolchain Toolchain::find() { return Toolchain(find_on_path("cc"), find_on_path("ar")); }

void Toolchain::compile(const std::string& source, const std::string& object) const {
  run(cc_, {"-std=gnu11", "-O2", "-fPIC", "-Wall", "-c", source, "-o", object});
}

void Toolchain::archive(const std::vector<std::string>& objects, const std::string& library) const {
  std::filesystem::remove(library);  // ar would add to an old one
  std::vector<std::string> arguments{"rcs", library};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  run(ar_, std::move(arguments));
}

void Toolchain::link_shared(const std::vector<std::string>& objects, const std::string& library) const {
  std::vector<std::string> arguments{"-shared", "-o", library};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  arguments.insert(arguments.end(), {"-lpthread", "-lm"});
  run(cc_, std::move(arguments));
}

}  // namespace nestwright
