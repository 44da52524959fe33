// The system's C compiler and archiver, which turn an exported kernel into libraries.
// Thread rule: immutable; any thread.
#pragma once

#include <string>
#include <vector>

namespace nestwright {

class Toolchain {
 public:
  /// `cc` and `ar` on PATH. Throws UsageError that names what is missing and the package that has it.
  static Toolchain find();

  /// Whether C's library has something of that name, which must be an identifier, or C itself.
  bool knows(const std::string& name) const;

  // Each throws UsageError with the tool's own last words where it fails.
  void compile(const std::string& source, const std::string& object) const;
  void archive(const std::vector<std::string>& objects, const std::string& library) const;
  void link_shared(const std::vector<std::string>& objects, const std::string& library) const;

 private:
  Toolchain(std::string cc, std::string ar) : cc_(std::move(cc)), ar_(std::move(ar)) {}
  std::string cc_, ar_;
};

}  // namespace nestwright
