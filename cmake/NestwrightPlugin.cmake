# Functions for plugins (templates/framework/registry/plugin.h) and for programs that load them. Part of the installed package.

# nestwright_plugin(<target> <source>...)
# Adds the shared object <target>.so. It is compiled with the library's headers and not linked with the library: its calls go to the
# program that loads it.
function(nestwright_plugin target)
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET default)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:nestwright::nestwright,INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

# nestwright_plugin_host(<target>)
# Lets an executable that links nestwright::nestwright load plugins: it contains all of what operators and templates are made with, and
# exports its symbols.
function(nestwright_plugin_host target)
  set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON)
  foreach(folder support ir target space expression schedule templates)
    get_target_property(name nestwright::${folder} ALIASED_TARGET)
    if(NOT name)
      set(name nestwright::${folder})
    endif()
    list(APPEND whole ${name})
  endforeach()
  list(JOIN whole "," whole)
  set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${whole}")
endfunction()
