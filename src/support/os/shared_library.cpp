#include "support/os/shared_library.h"

#include <dlfcn.h>

#include "nestwright/error.h"

namespace nestwright {

std::optional<SharedLibrary> SharedLibrary::open(std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(handle, name);
  }
  return std::nullopt;
}

void* SharedLibrary::find(const char* symbol) const {
  void* found = dlsym(handle_, symbol);
  if (found == nullptr) {
    throw Error("library " + name_ + " has no function " + symbol + ": install another version of it");
  }
  return found;
}

}  // namespace nestwright
