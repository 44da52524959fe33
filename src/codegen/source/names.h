// Converts the IR's names to legal, unique identifiers of a source. Thread rule: an object belongs to one thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace nestwright::codegen {

/// An identifier of C, CUDA C++ and OpenCL C that resembles `name`. It is neither a keyword nor a name that generated
/// text uses, and does not begin with the prefix of generated functions, "nw_".
std::string identifier(std::string_view name);

class Names {
 public:
  /// The identifier of the variable or buffer whose address is `id`: like `wanted`, with a number if that is taken.
  const std::string& of(const void* id, std::string_view wanted);
  /// An unused identifier like `wanted`.
  std::string fresh(std::string_view wanted);

 private:
  std::map<const void*, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace nestwright::codegen
