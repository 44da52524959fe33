# Makes of the folders' objects what users link: libnestwright.so, nestwright::nestwright, which exports what the public headers
# declare, and libnestwright.a, nestwright::static.
get_property(nestwright_folders GLOBAL PROPERTY nestwright_folders)
get_property(nestwright_third_party GLOBAL PROPERTY nestwright_third_party)
list(REMOVE_DUPLICATES nestwright_third_party)
list(REMOVE_ITEM nestwright_third_party CLI11::CLI11)  # headers only

set(objects)
foreach(folder IN LISTS nestwright_folders)
  list(APPEND objects $<TARGET_OBJECTS:nestwright_${folder}>)
endforeach()

# nestwright_whole_library(<name> <kind>)
# Adds the library of all objects as nestwright::<name>.
function(nestwright_whole_library name kind)
  set(target nestwright_${name}_library)
  add_library(${target} ${kind} ${objects})
  add_library(nestwright::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME nestwright EXPORT_NAME ${name} LINKER_LANGUAGE CXX
                                             ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                 $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE ${nestwright_third_party})
  if(NESTWRIGHT_WITH_LLVM)
    target_link_libraries(${target} PRIVATE LLVM)
  endif()
  add_dependencies(${target} nestwright_templates)  # makes nestwright/plugin_interface.h
endfunction()

nestwright_whole_library(nestwright SHARED)
nestwright_whole_library(static STATIC)
# Any two versions may differ in their interface until 1.0.
set_target_properties(nestwright_nestwright_library PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION}
                      LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/libnestwright.map)
target_link_options(nestwright_nestwright_library PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/libnestwright.map)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # the program has the runtime of clang's sanitizers
  target_link_options(nestwright_nestwright_library PRIVATE -Wl,-z,defs)
endif()
