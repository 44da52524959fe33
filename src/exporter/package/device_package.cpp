#include <fmt/format.h>

#include "exporter/source/device_sources.h"

namespace nestwright {

// The driver's headers need not exist where a kernel is exported, because the library is built where it is used.
std::string device_cmake_config(const Exported& e) {
  const bool is_cuda = e.task->target.device == DeviceKind::kCuda;
  return fmt::format(
      R"(# find_package({0} CONFIG) gives {0}::{0}, a static library that is built with the project. Found by {0}_DIR or
# CMAKE_PREFIX_PATH.
include(CMakeFindDependencyMacro)
find_dependency({1})

if(NOT TARGET {0}::{0})
  add_library({0}_kernels STATIC EXCLUDE_FROM_ALL "${{CMAKE_CURRENT_LIST_DIR}}/{0}.c")
  target_compile_features({0}_kernels PRIVATE c_std_11)
  set_target_properties({0}_kernels PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories({0}_kernels PUBLIC "${{CMAKE_CURRENT_LIST_DIR}}")
  target_link_libraries({0}_kernels PUBLIC {2})
  add_library({0}::{0} ALIAS {0}_kernels)
endif()
)",
      e.name, is_cuda ? "CUDAToolkit" : "OpenCL", is_cuda ? "CUDA::cuda_driver" : "OpenCL::OpenCL");
}

}  // namespace nestwright
