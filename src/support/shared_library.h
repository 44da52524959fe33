// A shared library that is looked for when the program runs, because not every machine has it: compilers and drivers of
// devices. Thread rule: a value; any number of threads may use it at once. The library stays loaded until the process
// ends: drivers do not survive being unloaded.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace nestwright {

class SharedLibrary {
 public:
  /// The first of `names`, file names or paths, that the dynamic linker loads. Absent where it loads none.
  static std::optional<SharedLibrary> open(std::span<const std::string> names);

  /// The name that it was found by.
  const std::string& name() const { return name_; }

  /// The function `symbol`, a pointer to function of type F. Throws Error where the library has none.
  template <class F>
  F function(const char* symbol) const {
    return reinterpret_cast<F>(find(symbol));
  }

 private:
  SharedLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  void* find(const char* symbol) const;

  void* handle_;
  std::string name_;
};

}  // namespace nestwright
