# The files of `cmake --install`: both executables in bin/ and libnestwright.so (the component runtime); the public headers in
# include/nestwright/, libnestwright.a, and a package for find_package(nestwright) (development).
include(CMakePackageConfigHelpers)

# LLVM and XGBoost may be where the loader does not look.
set_target_properties(nestwright nestwright-worker nestwright_nestwright_library PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
set_target_properties(nestwright PROPERTIES INSTALL_RPATH "$ORIGIN/${nestwright_library_from_binaries}")
install(TARGETS nestwright nestwright-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(TARGETS nestwright_nestwright_library nestwright_static_library EXPORT nestwrightTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(DIRECTORY include/nestwright ${PROJECT_BINARY_DIR}/generated/nestwright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development FILES_MATCHING PATTERN "*.h")

set(nestwright_package ${CMAKE_INSTALL_LIBDIR}/cmake/nestwright)
install(EXPORT nestwrightTargets NAMESPACE nestwright:: DESTINATION ${nestwright_package} COMPONENT development)
set(NESTWRIGHT_INSTALLED_WORKER ${CMAKE_INSTALL_BINDIR}/nestwright-worker)
configure_package_config_file(cmake/nestwrightConfig.cmake.in ${PROJECT_BINARY_DIR}/nestwrightConfig.cmake
                              INSTALL_DESTINATION ${nestwright_package} PATH_VARS NESTWRIGHT_INSTALLED_WORKER)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nestwrightConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nestwrightConfig.cmake ${PROJECT_BINARY_DIR}/nestwrightConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/NestwrightPlugin.cmake ${PROJECT_SOURCE_DIR}/cmake/installed_worker.cpp
        DESTINATION ${nestwright_package} COMPONENT development)
