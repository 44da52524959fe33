#include "templates/framework/load_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "support/error.h"
#include "support/hash.h"
#include "templates/framework/plugin.h"

namespace nestwright {
namespace {

using Register = void (*)(Registry&);

std::optional<std::string> content_of(const std::string& path) {
  std::error_code ignored;
  std::ifstream stream(path, std::ios::binary);
  if (!stream.is_open() || !std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return stream.bad() ? std::nullopt : std::optional(std::move(content));
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw UsageError(fmt::format("plugin '{}' {}", path, why));
}

/// Records hold an identity of words, and find the plugin by the first one.
bool is_word(const std::string& text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c == 127; });
}

/// Runs the plugin's function. Throws UsageError with the message of what it throws.
void run(Register add, Registry& registry, const std::string& path) {
  try {
    add(registry);
  } catch (const std::exception& e) {
    refuse(path, fmt::format("was not loaded, as it failed: {}", e.what()));
  } catch (...) {
    refuse(path, "was not loaded, as it threw what is no std::exception: leave it out");
  }
}

}  // namespace

PluginFile read_plugin(const std::string& path) {
  const std::optional<std::string> content = content_of(path);
  if (!content) refuse(path, "cannot be read: give the path of a shared object");
  const std::string_view mark = NESTWRIGHT_PLUGIN_MARK;
  const std::size_t at = content->find(mark);
  if (at == std::string::npos) {
    refuse(path, "is none: build it with nestwright_plugin() of nestwright's CMake package");
  }
  std::istringstream lines(content->substr(at + mark.size(), 1000));
  std::string interface;
  PluginFile file;
  std::getline(lines, interface);
  std::getline(lines, file.name);
  std::getline(lines, file.version);
  if (interface != NESTWRIGHT_PLUGIN_INTERFACE) {
    refuse(path, fmt::format("is for {}, and this is {}: build it again", interface, NESTWRIGHT_PLUGIN_INTERFACE));
  }
  if (!is_word(file.name) || !is_word(file.version)) {
    refuse(path, fmt::format("has the name '{}' and the version '{}': make each one word, without blanks", file.name,
                             file.version));
  }
  file.hash = fmt::format("{:016x}", stable_hash(*content));
  return file;
}

void load_plugin(const std::string& path, Registry& registry) {
  const PluginFile file = read_plugin(path);
  // Records name a plugin, and have to find the one that they mean.
  if (const std::string* const other = registry.find_plugin_file(file.name)) {
    refuse(path,
           fmt::format("has the name '{}' of plugin '{}', which is loaded already: leave one of them out, or give "
                       "it another name",
                       file.name, *other));
  }
  // The loader searches the system's folders for a name without a slash.
  void* const library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    refuse(path, fmt::format("cannot be loaded ({}): build it again", reason == nullptr ? "no reason given" : reason));
  }
  const auto add = reinterpret_cast<Register>(dlsym(library, "nestwright_plugin_register"));
  if (add == nullptr) refuse(path, "has no function nestwright_plugin_register: define it with NESTWRIGHT_PLUGIN");
  Registry larger = registry;
  larger.set_plugin(file.identity());
  run(add, larger, path);
  larger.set_plugin({});
  larger.add_plugin_file(file.name, path);
  registry = std::move(larger);
}

}  // namespace nestwright
