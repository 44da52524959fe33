# cmake -DROOT=... -DVERSION=... -DOUTPUT=... -P plugin_interface.cmake: writes a C++ header with the version and a hash of the headers
# that plugins are compiled with. Adding, removing or changing one of these files changes the hash.
cmake_minimum_required(VERSION 3.25)
set(patterns)
foreach(folder src cost_model logs search templates)
  list(APPEND patterns ${ROOT}/${folder}/*.h)
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/hash_files.cmake)
hash_files(hash ${ROOT} ${patterns})
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// The version of Nestwright and a hash of its headers, for templates/framework/registry/plugin.h.
#pragma once

#define NESTWRIGHT_HEADERS \"@VERSION@ (@hash@)\"
" @ONLY)
