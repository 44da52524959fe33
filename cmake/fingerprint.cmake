# cmake -DROOT=... -DOUTPUT=... -P fingerprint.cmake: writes a C++ file with a hash of the sources that lower and generate
# code. Adding, removing or changing one of these files changes the hash.
cmake_minimum_required(VERSION 3.25)
set(patterns)
foreach(folder ir schedule lower codegen)
  list(APPEND patterns ${ROOT}/src/${folder}/*.h ${ROOT}/src/${folder}/*.cpp)
endforeach()
foreach(header expr expr_nodes lower program schedule type)
  list(APPEND patterns ${ROOT}/include/nestwright/${header}.h)
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/hash_files.cmake)
hash_files(hash ${ROOT} ${patterns})
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#include \"codegen/fingerprint.h\"

namespace nestwright {
const char* code_generator_fingerprint() { return \"@hash@\"; }
}  // namespace nestwright
" @ONLY)
