// The system's C compiler and archiver, which build libraries from an exported kernel.
// Thread rule: immutable; any thread.
#pragma once

#include <string>
#include <vector>

namespace nestwright {

class Toolchain {
 public:
  /// Finds `cc` and `ar` on PATH. Throws UsageError that names the missing tool and the package that contains it.
  static Toolchain find();

  /// Whether `name`, which must be an identifier, is a keyword of C or is declared or a macro in the C library's
  /// headers.
  bool is_reserved(const std::string& name) const;

  // Each throws UsageError with the tool's last message if it fails.
  void compile(const std::string& source, const std::string& object) const;
  void archive(const std::vector<std::string>& objects, const std::string& library) const;
  void link_shared(const std::vector<std::string>& objects, const std::string& library) const;

 private:
  Toolchain(std::string cc, std::string ar) : cc_(std::move(cc)), ar_(std::move(ar)) {}
  std::string cc_, ar_;
};

}  // namespace nestwright
