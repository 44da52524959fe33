# cmake -DROOT=... -DVERSION=... -DOUTPUT=... -P plugin_interface.cmake: writes a C++ header with the version and a hash of the headers
# that plugins are compiled with. Adding, removing or changing one of these files changes the hash.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/hash_files.cmake)
hash_files(hash ${ROOT} ${ROOT}/include/nestwright/*.h ${ROOT}/include/nestwright/model/*.h)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// The version of Nestwright and a hash of its headers, for nestwright/plugin.h.
#pragma once

#define NESTWRIGHT_HEADERS \"@VERSION@ (@hash@)\"
" @ONLY)
