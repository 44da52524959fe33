#include "templates/framework/registry/plugin_file.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "nestwright/error.h"
#include "nestwright/plugin.h"
#include "support/data/hash.h"

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

using Open = void* (*)(const char*, int);
/// dlopen() is declared not to throw, but runs the initialisers of static objects, which may. Called by a volatile
/// pointer, it is what may throw for the compiler, too, so that open_library() ends the process if it does.
volatile Open open_function = dlopen;

/// The plugin that open_library() opens, for end_process().
const char* opened_plugin = nullptr;

/// The exit code of wrong usage (cli/options/exit_code.h), as for other refusals of plugins.
constexpr int kUsageExitCode = 2;

/// What the initialisation of static objects did that ends the process.
std::string initialisation_failure() {
  if (std::current_exception() == nullptr) return "ended the program: leave the plugin out";
  try {
    throw;
  } catch (const std::exception& e) {
    return fmt::format("threw: {}", e.what());
  } catch (...) {
    return "threw what is no std::exception: correct it, or leave the plugin out";
  }
}

/// A terminate handler: prints one sentence, as a thrown UsageError would be printed.
[[noreturn]] void end_process() {
  std::string sentence =
      fmt::format("nestwright: plugin '{}' was not loaded, as the initialisation of its static objects {}",
                  opened_plugin, initialisation_failure());
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
  std::replace_if(sentence.begin(), sentence.end(), is_control, ' ');
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", sentence.c_str());
  std::_Exit(kUsageExitCode);
}

/// Opens the shared object of the plugin that was given as `path`. An exception of its initialisation ends the process
/// by end_process(): one that is caught would have left the loader's lock held.
void* open_library(const std::string& path, const std::string& absolute) noexcept {
  opened_plugin = path.c_str();
  const std::terminate_handler before = std::set_terminate(end_process);
  void* const library = open_function(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::set_terminate(before);
  return library;
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
  void* const library = open_library(path, std::filesystem::absolute(path));
  if (library == nullptr) {
    const char* const reason = dlerror();
    refuse(path, fmt::format("cannot be loaded ({}): build it again", reason == nullptr ? "no reason given" : reason));
  }
  // Null: the plugin calls nothing of the registry.
  const void* const copy = dlsym(library, "nestwright_library");
  if (copy != nullptr && copy != reinterpret_cast<const void*>(&nestwright_library)) {
    refuse(path, "calls another copy of the library than this program, which must be linked with libnestwright.so");
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
