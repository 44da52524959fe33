// NVRTC, NVIDIA's compiler at run time, loaded when it is first asked for: nothing of CUDA is linked, and neither a GPU
// nor a driver is needed to compile. Thread rule: any number of threads at once.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace nestwright::codegen {

/// The variable of the environment that names the library where it is not found by itself.
inline constexpr const char* kNvrtcVariable = "NESTWRIGHT_NVRTC";

struct NvrtcResult {
  bool succeeded = false;
  bool refuses_option = false;  ///< it failed because of an option
  std::string log;              ///< of the compiler and of ptxas
  std::string cubin, ptx;
};

class Nvrtc {
 public:
  /// The one of this process. Throws CompileError that says what to install where there is none, or none whose code
  /// this machine's driver loads: that of its own major version of CUDA or an earlier one. Looks again the next time.
  static const Nvrtc& get();

  /// "NVRTC 13.0".
  std::string version() const;
  /// Numbers of the architectures that it compiles for: 80 for sm_80.
  std::vector<int> architectures() const;
  /// Always anew: NVRTC keeps what it compiled from 12.9 on, and ptxas says nothing of what comes out of that cache. It
  /// is told not to, unless it is so old that it does not know the option.
  NvrtcResult compile(const std::string& source, const std::string& name,
                      const std::vector<std::string>& options) const;

 private:
  struct Functions;
  explicit Nvrtc(const Functions& functions) : functions_(functions) { require_served(); }
  static Functions load();
  struct Version {
    int major = 0, minor = 0;
  };
  Version version_numbers() const;
  void require_served() const;
  NvrtcResult compile_with(const std::string& source, const std::string& name,
                           const std::vector<std::string>& options) const;

  const Functions& functions_;
  mutable std::atomic<bool> knows_no_cache_ = true;
};

}  // namespace nestwright::codegen
