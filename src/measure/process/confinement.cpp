#include "measure/process/confinement.h"

#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <string_view>

#include "support/base/sanitizer.h"
#include "support/os/landlock.h"
#include "support/os/syscall_filter.h"

namespace nestwright {

namespace {

const std::vector<std::string> kSystemFolders = {"/usr", "/lib", "/lib64", "/bin", "/etc",
                                                 "/opt", "/run", "/proc",  "/sys"};

bool is_enabled() {
  const char* setting = std::getenv("NESTWRIGHT_CONFINEMENT");
  return setting == nullptr || std::string_view(setting) != "off";
}

/// The folders of the loaded libraries; what those load later lies next to them.
std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* list) {
        const std::string_view path = info->dlpi_name;
        if (path.starts_with('/')) {
          static_cast<std::vector<std::string>*>(list)->push_back(std::filesystem::path(path).parent_path().string());
        }
        return 0;
      },
      &folders);
  return folders;
}

/// The paths in these environment variables, each of which names one folder or file, or several separated by colons.
std::vector<std::string> paths_of_environment(std::initializer_list<const char*> variables) {
  std::vector<std::string> paths;
  for (const char* variable : variables) {
    const char* value = std::getenv(variable);
    std::istringstream list(value == nullptr ? "" : value);
    for (std::string path; std::getline(list, path, ':');) {
      if (!path.empty()) paths.push_back(path);
    }
  }
  return paths;
}

void filter(const SyscallPolicy& policy) {
  if (!kIsSanitized) install_syscall_filter(policy);
}

}  // namespace

void confine_builder() {
  if (!is_enabled()) return;
  FileAccess access{.readable = kSystemFolders, .writable = {"/dev/null"}, .executable = {}};
  for (std::string& folder : library_folders()) access.readable.push_back(std::move(folder));
  restrict_files_and_network(access);
  filter({});
}

void confine_runner(DeviceKind device) {
  if (!is_enabled()) return;
  FileAccess access{.readable = kSystemFolders, .writable = {"/dev/null"}, .executable = {}};
  if (device != DeviceKind::kCpu) {
    access.writable = paths_of_environment({"POCL_CACHE_DIR", "CUDA_CACHE_PATH", "TMPDIR"});
    access.writable.emplace_back("/dev");
    // NVIDIA's driver names its threads by writing to their files here; otherwise cuInit fails.
    access.writable.emplace_back("/proc/self/task");
    for (std::string& path :
         paths_of_environment({"LD_LIBRARY_PATH", "CUDA_PATH", "CUDA_HOME", "NESTWRIGHT_CUDA_DRIVER", "NESTWRIGHT_NVML",
                               "NESTWRIGHT_OPENCL", "OCL_ICD_VENDORS"})) {
      access.readable.push_back(std::move(path));
    }
    if (device == DeviceKind::kOpenCl) access.executable = kSystemFolders;
  }
  restrict_files_and_network(access);
  if (device != DeviceKind::kCpu) filter({.may_start_programs = device == DeviceKind::kOpenCl});
}

void confine_candidates() {
  if (!is_enabled()) return;
  filter({.denial = SyscallPolicy::Denial::kSignal, .may_start_programs = false, .may_open_files = false});
}

std::vector<Protection> protections() {
  const bool wanted = is_enabled();
  const int version = wanted ? landlock_version() : 0;
  const std::string landlock = "Landlock " + std::to_string(version);
  const std::string seccomp = wanted && !kIsSanitized && has_syscall_filter() ? "seccomp" : "";
  const auto by = [](const std::string& what) { return what.empty() ? "nothing" : what; };
  return {{"files", by(version > 0 ? landlock : seccomp)},
          {"network", by(!seccomp.empty() ? seccomp
                         : version >= 4   ? landlock
                                          : "")},
          {"processes", by(seccomp)},
          {"signals", by(version >= 6 ? landlock : "")},
          {"memory", "resident size"},
          {"time", "CPU clock"}};
}

}  // namespace nestwright
