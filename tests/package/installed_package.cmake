# cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCXX=... -DCXX_FLAGS=... -P installed_package.cmake: installs the build tree, checks what was
# installed, moves it, and builds and runs examples/own_operator, examples/plugin and static_program with it, by the same compiler and flags.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "'${ARGN}' ended with ${code}:\n${output}")
  endif()
  message("${output}")
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect text)
  string(FIND "${output}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "'${text}' is missing")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
file(RENAME ${WORK}/installed ${WORK}/moved)

# Two executables, the library in both forms, the public headers and the package's files.
file(GLOB_RECURSE installed RELATIVE ${WORK}/moved ${WORK}/moved/*)
set(others)
foreach(file IN LISTS installed)
  if(NOT file MATCHES "^(bin/nestwright(-worker)?|lib[^ ]*/libnestwright[.](a|so[0-9.]*)|lib[^ ]*/cmake/nestwright/[^/]*|include/nestwright/plugin_interface[.]h)$"
     AND NOT EXISTS ${SOURCE}/${file})
    list(APPEND others ${file})
  endif()
endforeach()
if(others)
  message(FATAL_ERROR "installed, but not public: ${others}")
endif()
file(GLOB_RECURSE headers RELATIVE ${SOURCE} ${SOURCE}/include/nestwright/*.h)
foreach(header IN LISTS headers)
  if(NOT header IN_LIST installed)
    message(FATAL_ERROR "${header} is not installed")
  endif()
endforeach()

foreach(program examples/own_operator examples/plugin tests/package/static_program)
  cmake_path(GET program FILENAME example)
  run(${CMAKE_COMMAND} -S ${SOURCE}/${program} -B ${WORK}/${example} -D CMAKE_PREFIX_PATH=${WORK}/moved -D CMAKE_BUILD_TYPE=Debug
      -D CMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
  run(${CMAKE_COMMAND} --build ${WORK}/${example})
endforeach()

run(${WORK}/own_operator/own_operator)
expect("exact: ")
expect("6 is 6; exported as row_scale_rows500_columns1000")

run(${WORK}/moved/bin/nestwright lower --plugin plugin/clip.so clip n=100000 --target cpu,isa=avx2)
expect("vectorized")
run(${WORK}/moved/bin/nestwright lower --plugin plugin/clip.so clip n=100000 --target cuda,arch=sm_90)
expect("threadIdx.x")

run(${WORK}/static_program/static_program plugin/clip.so)
expect("1 trial")
expect("refused: plugin 'plugin/clip.so' calls another copy of the library")
file(REMOVE_RECURSE ${WORK})
