// Makes the IR's names legal and unique identifiers of a source. Thread rule: an object belongs to one thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace nestwright::codegen {

/// An identifier of C, CUDA C++ and OpenCL C that resembles `name`: neither a keyword, nor a name that generated text
/// calls, nor one that begins like its functions ("nw_").
std::string identifier(std::string_view name);

class Names {
 public:
  /// The identifier of the variable or buffer at `id`: like `wanted`, with a number if that is taken.
  const std::string& of(const void* id, std::string_view wanted);
  /// An identifier like `wanted` that nothing else has.
  std::string fresh(std::string_view wanted);

 private:
  std::map<const void*, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace nestwright::codegen
