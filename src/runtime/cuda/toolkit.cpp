#include "runtime/cuda/toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "nestwright/error.h"
#include "runtime/cuda/driver.h"
#include "support/os/shared_library.h"

namespace nestwright::cuda {
namespace {

constexpr std::array kMajors = {13, 12};

/// The library folders of a toolkit, as laid out by NVIDIA's installers, Debian and Python's packages.
constexpr std::array<std::string_view, 3> kFolders = {"lib64", "lib", "lib/x86_64-linux-gnu"};

std::vector<std::string> toolkits() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    const char* prefix = std::getenv(variable);
    if (prefix != nullptr && *prefix != '\0') folders.emplace_back(prefix);
  }
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

void add(const std::string& file, std::vector<std::string>& names) {
  names.push_back(file);
  for (const std::string& toolkit : toolkits()) {
    for (const std::string_view folder : kFolders) names.push_back(fmt::format("{}/{}/{}", toolkit, folder, file));
  }
}

}  // namespace

std::optional<int> driver_version() {
  const std::array names = {std::string(library_name())};
  const std::optional<SharedLibrary> library = SharedLibrary::open(names);
  if (!library) return std::nullopt;
  int version = 0;
  try {
    if (library->function<Result (*)(int*)>("cuDriverGetVersion")(&version) != kSuccess) return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // an unrelated library of that name
  }
  return version;
}

std::vector<std::string> toolkit_libraries(std::string_view name) {
  auto majors = kMajors;
  if (const std::optional<int> driver = driver_version()) {
    std::stable_partition(majors.begin(), majors.end(), [&](int major) { return major <= *driver / 1000; });
  }
  std::vector<std::string> names;
  for (const int major : majors) add(fmt::format("lib{}.so.{}", name, major), names);
  add(fmt::format("lib{}.so", name), names);
  return names;
}

}  // namespace nestwright::cuda
