// A shared library that is looked up at run time because not every machine has it: device compilers and drivers.
// Thread rule: a value; any number of threads may use it at once. The library stays loaded until the process ends,
// because drivers do not survive being unloaded.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace nestwright {

class SharedLibrary {
 public:
  /// Opens the first of `names` (file names or paths) that the dynamic linker can load. Absent if it can load none.
  static std::optional<SharedLibrary> open(std::span<const std::string> names);

  /// The name under which the library was found.
  const std::string& name() const { return name_; }

  /// Returns the function `symbol`; F is a pointer to function. Throws Error if the library does not define it.
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
