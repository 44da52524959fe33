// NVRTC, NVIDIA's compiler at run time, loaded when it is first asked for: nothing of CUDA is linked, and neither a GPU
// nor a driver is needed to compile. Thread rule: any number of threads at once.
#pragma once

#include <string>
#include <vector>

namespace nestwright::codegen {

/// The variable of the environment that names the library where it is not found by itself.
inline constexpr const char* kNvrtcVariable = "NESTWRIGHT_NVRTC";

struct NvrtcResult {
  bool succeeded = false;
  std::string log;  ///< of the compiler and of ptxas
  std::string cubin, ptx;
};

class Nvrtc {
 public:
  /// The one of this process. Throws CompileError that says what to install where there is none, and looks again the
  /// next time.
  static const Nvrtc& get();

  /// "NVRTC 13.0".
  std::string version() const;
  /// Numbers of the architectures that it compiles for: 80 for sm_80.
  std::vector<int> architectures() const;
  NvrtcResult compile(const std::string& source, const std::string& name,
                      const std::vector<std::string>& options) const;

 private:
  struct Functions;
  explicit Nvrtc(const Functions& functions) : functions_(functions) {}
  static Functions load();
  const Functions& functions_;
};

}  // namespace nestwright::codegen
