#include "codegen/cuda/nvrtc.h"

#include <fmt/format.h>

#include <cstdlib>

#include "nestwright/error.h"
#include "runtime/cuda/toolkit.h"
#include "support/os/shared_library.h"

namespace nestwright::codegen {
namespace {

// Declarations of NVRTC's header, from CUDA 11.2 on.
using Result = int;
using Program = struct NvrtcProgramHandle*;
constexpr Result kSuccess = 0, kInvalidOption = 5;

/// The library that the environment names, else the usual names.
std::vector<std::string> library_names() {
  if (const char* named = std::getenv(kNvrtcVariable); named != nullptr && *named != '\0') return {named};
  return cuda::toolkit_libraries("nvrtc");
}

}  // namespace

struct Nvrtc::Functions {
  Result (*version)(int* major, int* minor);
  Result (*count_architectures)(int* count);
  Result (*architectures)(int* numbers);
  Result (*create)(Program*, const char* source, const char* name, int headers, const char* const*, const char* const*);
  Result (*destroy)(Program*);
  Result (*compile)(Program, int options, const char* const*);
  Result (*log_size)(Program, std::size_t*);
  Result (*log)(Program, char*);
  Result (*cubin_size)(Program, std::size_t*);
  Result (*cubin)(Program, char*);
  Result (*ptx_size)(Program, std::size_t*);
  Result (*ptx)(Program, char*);
  const char* (*error)(Result);

  void require(Result result, const char* what) const {
    if (result != kSuccess) throw CompileError(fmt::format("NVRTC cannot {}: {}", what, error(result)));
  }
  std::string text(Program program, Result (*size)(Program, std::size_t*), Result (*read)(Program, char*),
                   const char* what) const {
    std::size_t bytes = 0;
    require(size(program, &bytes), what);
    std::string out(bytes, '\0');
    if (bytes > 0) require(read(program, out.data()), what);
    return out;
  }
};

Nvrtc::Functions Nvrtc::load() {
  const std::vector<std::string> names = library_names();
  const auto library = SharedLibrary::open(names);
  if (!library) {
    if (std::getenv(kNvrtcVariable) != nullptr && names.size() == 1) {
      throw CompileError(fmt::format("NVRTC cannot be loaded from {}, which {} names: correct it, or unset it",
                                     names.front(), kNvrtcVariable));
    }
    throw CompileError(fmt::format(
        "NVRTC, which compiles for CUDA, is not installed: install CUDA's toolkit (12 or 13) or Python's package "
        "nvidia-cuda-nvrtc, and name its libnvrtc.so by {} where it is not found",
        kNvrtcVariable));
  }
  try {
    return {library->function<decltype(Functions::version)>("nvrtcVersion"),
            library->function<decltype(Functions::count_architectures)>("nvrtcGetNumSupportedArchs"),
            library->function<decltype(Functions::architectures)>("nvrtcGetSupportedArchs"),
            library->function<decltype(Functions::create)>("nvrtcCreateProgram"),
            library->function<decltype(Functions::destroy)>("nvrtcDestroyProgram"),
            library->function<decltype(Functions::compile)>("nvrtcCompileProgram"),
            library->function<decltype(Functions::log_size)>("nvrtcGetProgramLogSize"),
            library->function<decltype(Functions::log)>("nvrtcGetProgramLog"),
            library->function<decltype(Functions::cubin_size)>("nvrtcGetCUBINSize"),
            library->function<decltype(Functions::cubin)>("nvrtcGetCUBIN"),
            library->function<decltype(Functions::ptx_size)>("nvrtcGetPTXSize"),
            library->function<decltype(Functions::ptx)>("nvrtcGetPTX"),
            library->function<decltype(Functions::error)>("nvrtcGetErrorString")};
  } catch (const Error& missing) {
    throw CompileError(missing.what());
  }
}

void Nvrtc::require_driver_support() const {
  const std::optional<int> driver = cuda::driver_version();
  const auto [major, minor] = version_numbers();
  if (!driver || major <= *driver / 1000) return;
  throw CompileError(fmt::format(
      "NVRTC {}.{} makes code that this machine's driver, of CUDA {}.{}, does not load: install NVRTC {}, and "
      "name its libnvrtc.so by {} where it is not found, or update the driver",
      major, minor, *driver / 1000, *driver % 1000 / 10, *driver / 1000, kNvrtcVariable));
}

const Nvrtc& Nvrtc::get() {
  static const Functions functions = load();  // C++ runs an initialiser that threw again
  static const Nvrtc nvrtc(functions);
  return nvrtc;
}

Nvrtc::Version Nvrtc::version_numbers() const {
  Version version;
  functions_.require(functions_.version(&version.major, &version.minor), "tell its version");
  return version;
}

std::string Nvrtc::version() const {
  const auto [major, minor] = version_numbers();
  return fmt::format("NVRTC {}.{}", major, minor);
}

std::vector<int> Nvrtc::architectures() const {
  int count = 0;
  functions_.require(functions_.count_architectures(&count), "tell its architectures");
  std::vector<int> numbers(static_cast<std::size_t>(count));
  functions_.require(functions_.architectures(numbers.data()), "tell its architectures");
  return numbers;
}

NvrtcResult Nvrtc::compile(const std::string& source, const std::string& name,
                           const std::vector<std::string>& options) const {
  if (accepts_no_cache_) {
    std::vector<std::string> uncached = options;
    uncached.emplace_back("--no-cache");
    NvrtcResult result = compile_with(source, name, uncached);
    if (!result.refuses_option) return result;
  }
  NvrtcResult result = compile_with(source, name, options);
  if (!result.refuses_option) accepts_no_cache_ = false;
  return result;
}

NvrtcResult Nvrtc::compile_with(const std::string& source, const std::string& name,
                                const std::vector<std::string>& options) const {
  const Functions& f = functions_;
  Program program = nullptr;
  f.require(f.create(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr), "take a source");
  struct Owner {
    const Functions& functions;
    Program program;
    ~Owner() { functions.destroy(&program); }
  } const owner{f, program};
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  NvrtcResult result;
  const Result compiled = f.compile(program, static_cast<int>(arguments.size()), arguments.data());
  result.succeeded = compiled == kSuccess;
  result.refuses_option = compiled == kInvalidOption;
  result.log = f.text(program, f.log_size, f.log, "tell what it found");
  while (!result.log.empty() && result.log.back() == '\0') result.log.pop_back();
  if (!result.succeeded) {
    if (result.log.empty()) result.log = f.error(compiled);
    return result;
  }
  result.cubin = f.text(program, f.cubin_size, f.cubin, "hand over a cubin");
  result.ptx = f.text(program, f.ptx_size, f.ptx, "hand over PTX");
  while (!result.ptx.empty() && result.ptx.back() == '\0') result.ptx.pop_back();
  return result;
}

}  // namespace nestwright::codegen
