# cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCXX=... -DCXX_FLAGS=... -P installed_package.cmake: installs the build tree, moves what was
# installed, and builds and runs own_operator and the plugin with it, by the same compiler and flags.
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
foreach(example own_operator plugin)
  run(${CMAKE_COMMAND} -S ${SOURCE}/${example} -B ${WORK}/${example} -D CMAKE_PREFIX_PATH=${WORK}/moved -D CMAKE_BUILD_TYPE=Debug
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
file(REMOVE_RECURSE ${WORK})
