#include <fmt/format.h>

#include "exporter/source/sources.h"

namespace nestwright {

std::string cmake_config(const Exported& e) {
  return fmt::format(
      R"(# find_package({0} CONFIG) gives {0}::{0} (shared) and {0}::{0}_static. Found by {0}_DIR or CMAKE_PREFIX_PATH.
include(CMakeFindDependencyMacro)
find_dependency(Threads)

if(NOT TARGET {0}::{0})
  add_library({0}::{0} SHARED IMPORTED)
  set_target_properties({0}::{0} PROPERTIES
    IMPORTED_LOCATION "${{CMAKE_CURRENT_LIST_DIR}}/lib{0}.so"
    IMPORTED_SONAME "lib{0}.so"
    INTERFACE_INCLUDE_DIRECTORIES "${{CMAKE_CURRENT_LIST_DIR}}")
endif()

if(NOT TARGET {0}::{0}_static)
  add_library({0}::{0}_static STATIC IMPORTED)
  set_target_properties({0}::{0}_static PROPERTIES
    IMPORTED_LOCATION "${{CMAKE_CURRENT_LIST_DIR}}/lib{0}.a"
    INTERFACE_INCLUDE_DIRECTORIES "${{CMAKE_CURRENT_LIST_DIR}}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;m")
endif()
)",
      e.name);
}

}  // namespace nestwright
