# cmake -DROOT=... -DOUTPUT=... -P fingerprint.cmake: writes a C++ file with a hash of the sources that lower and generate
# code. Adding, removing or changing one of these files changes the hash.
set(patterns)
foreach(folder ir schedule lower codegen)
  list(APPEND patterns ${ROOT}/src/${folder}/*.h ${ROOT}/src/${folder}/*.cpp)
endforeach()
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${patterns})
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 ${ROOT}/${source} hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#include \"codegen/fingerprint.h\"

namespace nestwright {
const char* code_generator_fingerprint() { return \"@hash@\"; }
}  // namespace nestwright
" @ONLY)
