// Identifiers of a source: those of the IR, made legal and unique. Thread rule: one thread each.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace nestwright::codegen {

/// An identifier of C, CUDA C++ and OpenCL C that reads like `name`: no keyword, no name that our text calls or that
/// begins like our own functions ("nw_").
std::string identifier(std::string_view name);

class Names {
 public:
  /// The identifier of the variable or buffer at `id`: like `wanted`, with a number where another one has that already.
  const std::string& of(const void* id, std::string_view wanted);
  /// One that nothing else has.
  std::string fresh(std::string_view wanted);

 private:
  std::map<const void*, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace nestwright::codegen
