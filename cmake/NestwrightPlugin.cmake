# The function for plugins (nestwright/plugin.h). Part of the installed package.

# nestwright_plugin(<target> <source>...)
# Adds the shared object <target>.so, linked with libnestwright.so, which the program that loads it must be linked with, too.
function(nestwright_plugin target)
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES PREFIX "")
  target_link_libraries(${target} PRIVATE nestwright::nestwright)
endfunction()
