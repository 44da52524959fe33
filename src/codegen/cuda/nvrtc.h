// NVRTC, NVIDIA's runtime compiler. The library is loaded on first use: nothing of CUDA is linked, and compiling needs
// neither a GPU nor a driver. Thread rule: any number of threads at once.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace nestwright::codegen {

/// The environment variable with the library's path, for machines on which it is not found otherwise.
inline constexpr const char* kNvrtcVariable = "NESTWRIGHT_NVRTC";

struct NvrtcResult {
  bool succeeded = false;
  bool refuses_option = false;  ///< whether it failed because of an option
  std::string log;              ///< of NVRTC and ptxas
  std::string cubin, ptx;
};

class Nvrtc {
 public:
  /// The only instance of this process. Throws CompileError, which says what to install, if there is no library, or if
  /// its major version of CUDA is later than that of this machine's driver, which could not load its code. A call after
  /// a failure tries again.
  static const Nvrtc& get();

  /// The name and version, such as "NVRTC 13.0".
  std::string version() const;
  /// The numbers of the architectures that it compiles for: 80 for sm_80.
  std::vector<int> architectures() const;
  /// Compiles without NVRTC's cache, which it has from 12.9 on: ptxas reports no resources for cached code. The option
  /// that turns the cache off is left out for a library too old to know it.
  NvrtcResult compile(const std::string& source, const std::string& name,
                      const std::vector<std::string>& options) const;

 private:
  struct Functions;
  explicit Nvrtc(const Functions& functions) : functions_(functions) { require_driver_support(); }
  static Functions load();
  struct Version {
    int major = 0, minor = 0;
  };
  Version version_numbers() const;
  void require_driver_support() const;
  NvrtcResult compile_with(const std::string& source, const std::string& name,
                           const std::vector<std::string>& options) const;

  const Functions& functions_;
  mutable std::atomic<bool> accepts_no_cache_ = true;
};

}  // namespace nestwright::codegen
