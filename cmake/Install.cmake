# Defines nestwright::nestwright, a target for the whole library, and the files of `cmake --install`: both executables in bin/, headers
# in include/nestwright/, the libraries, and a package for find_package(nestwright).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(nestwright_folders support target ir space runtime expression text schedule lower codegen kernel templates measure reference
                       text_operator cost_model logs lookup search exporter)

add_library(nestwright_nestwright INTERFACE)
add_library(nestwright::nestwright ALIAS nestwright_nestwright)
set_target_properties(nestwright_nestwright PROPERTIES EXPORT_NAME nestwright)
target_compile_features(nestwright_nestwright INTERFACE cxx_std_20)
set(nestwright_targets nestwright_nestwright)
foreach(folder IN LISTS nestwright_folders)
  target_link_libraries(nestwright_nestwright INTERFACE nestwright::${folder})
  target_include_directories(nestwright_${folder} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/nestwright>)
  set_target_properties(nestwright_${folder} PROPERTIES EXPORT_NAME ${folder})
  list(APPEND nestwright_targets nestwright_${folder})
endforeach()

install(TARGETS nestwright nestwright-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${nestwright_targets} EXPORT nestwrightTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nestwright FILES_MATCHING PATTERN "*.h"
        PATTERN "cli" EXCLUDE PATTERN "codegen/llvm" EXCLUDE PATTERN "runtime/opencl" EXCLUDE PATTERN "runtime/cuda" EXCLUDE PATTERN "passes" EXCLUDE)
install(DIRECTORY search templates cost_model DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nestwright FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/templates DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nestwright FILES_MATCHING PATTERN "*.h")
# The other headers of logs/ depend on SQLite.
install(FILES
  logs/record.h
  logs/tuning_log.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nestwright/logs)

set(nestwright_package ${CMAKE_INSTALL_LIBDIR}/cmake/nestwright)
install(EXPORT nestwrightTargets NAMESPACE nestwright:: DESTINATION ${nestwright_package})
set(NESTWRIGHT_INSTALLED_WORKER ${CMAKE_INSTALL_BINDIR}/nestwright-worker)
configure_package_config_file(cmake/nestwrightConfig.cmake.in ${PROJECT_BINARY_DIR}/nestwrightConfig.cmake
                              INSTALL_DESTINATION ${nestwright_package} PATH_VARS NESTWRIGHT_INSTALLED_WORKER)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nestwrightConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nestwrightConfig.cmake ${PROJECT_BINARY_DIR}/nestwrightConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/NestwrightPlugin.cmake ${PROJECT_SOURCE_DIR}/cmake/installed_worker.cpp
        DESTINATION ${nestwright_package})
