# cmake -DROOT=... -DVERSION=... -DOUTPUT=... -P plugin_interface.cmake: writes a C++ header with the version and a hash of the headers
# that plugins are compiled with. Adding, removing or changing one of these files changes the hash.
set(patterns)
foreach(folder src cost_model logs search templates)
  list(APPEND patterns ${ROOT}/${folder}/*.h)
endforeach()
file(GLOB_RECURSE headers RELATIVE ${ROOT} ${patterns})
list(SORT headers)
set(all "")
foreach(header IN LISTS headers)
  file(SHA256 ${ROOT}/${header} hash)
  string(APPEND all "${header} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// The version of Nestwright and a hash of its headers, for templates/framework/plugin.h.
#pragma once

#define NESTWRIGHT_HEADERS \"@VERSION@ (@hash@)\"
" @ONLY)
