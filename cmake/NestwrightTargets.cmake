# Functions that declare the targets: one static library per folder, of which cmake/Library.cmake makes what is installed, and one test
# executable per test folder.

# Compiler flags of every target.
add_library(nestwright_flags INTERFACE)
target_compile_features(nestwright_flags INTERFACE cxx_std_20)
target_compile_options(nestwright_flags INTERFACE -fvisibility=hidden $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
                                                  -Wall -Wextra -Wshadow -Wswitch-enum $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> -Wno-missing-field-initializers
                                                  $<$<BOOL:${NESTWRIGHT_WERROR}>:-Werror>
                                                  # clang reports what libstdc++ 12 itself uses if its headers are precompiled.
                                                  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>
                                                  # g++ 12 reports false overlaps in "text" + std::string (PR 105651),
                                                  # and at -O3 false sizes larger than memory.
                                                  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict
                                                  $<$<NOT:$<BOOL:${NESTWRIGHT_WERROR}>>:-Wno-stringop-overflow -Wno-array-bounds>>)

# These headers, which most sources include, take half of the compile time. They are precompiled once for all targets.
set(nestwright_common_headers <fmt/format.h> <fmt/ranges.h> <algorithm> <array> <functional> <map> <memory> <optional> <set> <span>
                              <string> <string_view> <utility> <variant> <vector>)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")

# nestwright_compile_for_tests(<target>)
# Compiles the target without optimisation, which halves the time, and with NESTWRIGHT_TEST_COMPILER if that is set.
function(nestwright_compile_for_tests target)
  target_compile_options(${target} PRIVATE -O0)
  if(NESTWRIGHT_TEST_COMPILER)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
                          "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/compile_with.sh;${NESTWRIGHT_TEST_COMPILER}")
    # It is to accept what CMake passes to the other compiler.
    target_compile_options(${target} PRIVATE -Wno-unknown-warning-option -Wno-unused-command-line-argument
                                             -Wno-deprecated-declarations)
    if(NESTWRIGHT_TEST_COMPILER MATCHES "clang")  # CMake passes this option only to clang as the compiler of the project
      target_compile_options(${target} PRIVATE -fpch-instantiate-templates)
    endif()
  endif()
endfunction()

# nestwright_headers(<name> [FOR_TESTS] [OPTIONS ...] [LINK ...] [HEADERS ...])
# Precompiles headers as nestwright_<name>, once, for all targets that have the same options and link fmt; FOR_TESTS: for those that
# are compiled for tests.
function(nestwright_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FOR_TESTS" "" "OPTIONS;LINK;HEADERS")
  if(TARGET nestwright_${name})
    return()
  endif()
  add_library(nestwright_${name} OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
  target_compile_options(nestwright_${name} PRIVATE ${arg_OPTIONS})
  target_link_libraries(nestwright_${name} PRIVATE nestwright_flags fmt::fmt ${arg_LINK})
  if(arg_FOR_TESTS)
    nestwright_compile_for_tests(nestwright_${name})
  endif()
  target_precompile_headers(nestwright_${name} PRIVATE ${arg_HEADERS} ${nestwright_common_headers})
endfunction()

# nestwright_reuse_headers(<target> <for_tests> <headers> <options>)
# Precompiles headers once, as nestwright_<headers>, and lets the target reuse them. If <for_tests> it is compiled for tests, with
# headers that are, too.
function(nestwright_reuse_headers target for_tests headers options)
  if(for_tests)
    nestwright_compile_for_tests(${target})
    nestwright_headers(${headers}_for_tests FOR_TESTS OPTIONS ${options})
    target_precompile_headers(${target} REUSE_FROM nestwright_${headers}_for_tests)
  else()
    nestwright_headers(${headers} OPTIONS ${options})
    target_precompile_headers(${target} REUSE_FROM nestwright_${headers})
  endif()
endfunction()

# nestwright_batches(<target>)
# If NESTWRIGHT_BATCHES, a number of lines, is set, compiles the target's sources in the batches that batches.awk makes. Headers are
# then read, and templates instantiated, once per batch.
function(nestwright_batches target)
  if(NOT NESTWRIGHT_BATCHES)
    return()
  endif()
  get_target_property(listed ${target} SOURCES)
  foreach(source IN LISTS listed)
    cmake_path(ABSOLUTE_PATH source)
    if(source MATCHES "[.]cpp$" AND EXISTS ${source})  # generated sources do not exist yet
      list(APPEND sources ${source})
    endif()
  endforeach()
  file(GLOB_RECURSE headers ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  execute_process(COMMAND awk -v max_lines=${NESTWRIGHT_BATCHES} -f ${PROJECT_SOURCE_DIR}/cmake/batches.awk ${headers} ${sources}
                  OUTPUT_VARIABLE batches COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" batches "${batches}")
  foreach(entry IN LISTS batches)
    string(REGEX MATCH "^([0-9]+) (.*)$" entry "${entry}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${target}_${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # The warning is for headers: a batch includes each source only once. Garbage collection below 400 MB takes up to a fifth
  # of the time of g++.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage
                                                                          --param=ggc-min-heapsize=400000>)
endfunction()

# nestwright_library(<name> [FOR_TESTS] SOURCES ... [DEPENDS ...] [PRIVATE ...] [HEADERS ...])
# Adds the static library nestwright_<name> with the alias nestwright::<name>. DEPENDS are the folders below it (public). PRIVATE are
# third-party targets that no public header includes. HEADERS are large headers that most of its sources include. FOR_TESTS: it is
# compiled for tests.
function(nestwright_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FOR_TESTS" "" "SOURCES;DEPENDS;PRIVATE;HEADERS")
  add_library(nestwright_${name} STATIC ${arg_SOURCES})
  add_library(nestwright::${name} ALIAS nestwright_${name})
  set_target_properties(nestwright_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(nestwright_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  foreach(folder IN LISTS arg_DEPENDS)
    target_link_libraries(nestwright_${name} PUBLIC nestwright::${folder})
  endforeach()
  target_link_libraries(nestwright_${name} PRIVATE nestwright_flags ${arg_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY nestwright_folders ${name})
  set_property(GLOBAL APPEND PROPERTY nestwright_third_party ${arg_PRIVATE})
  if(arg_HEADERS)
    target_precompile_headers(nestwright_${name} PRIVATE ${arg_HEADERS} ${nestwright_common_headers})
  elseif(fmt::fmt IN_LIST arg_PRIVATE)
    nestwright_reuse_headers(nestwright_${name} "${arg_FOR_TESTS}" library_headers -fPIC)
  endif()
  nestwright_batches(nestwright_${name})
endfunction()

# nestwright_embed_texts(<source> HEADER <header> FUNCTION <function> NAMES ... FILES ...)
# Generates a source with the texts of the files, which the function that the header declares returns by their names.
function(nestwright_embed_texts source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;FUNCTION" "NAMES;FILES")
  list(JOIN arg_NAMES "|" names)
  list(JOIN arg_FILES "|" files)
  add_custom_command(OUTPUT ${source}
                     COMMAND ${CMAKE_COMMAND} -D NAMES=${names} -D INPUTS=${files} -D HEADER=${arg_HEADER} -D FUNCTION=${arg_FUNCTION}
                             -D OUTPUT=${source} -P ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
                     DEPENDS ${arg_FILES} ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake VERBATIM)
endfunction()

# nestwright_executable(<name> [FOR_TESTS] SOURCES ... [LINK ...])
# Adds the executable <name> at the top of the build tree. FOR_TESTS: it is compiled for tests.
function(nestwright_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FOR_TESTS" "" "SOURCES;LINK")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE nestwright_flags fmt::fmt ${arg_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  nestwright_reuse_headers(${name} "${arg_FOR_TESTS}" executable_headers "")
  nestwright_batches(${name})
endfunction()

# nestwright_test(<name> SOURCES ... DEPENDS ... [PRIVATE ...] [TIMED ...] [TUNING ...] [TUNING_SLICED ...] [SLICED ...]
#                 [COST <seconds>])
# Adds the GoogleTest executable test_<name>; each of its test cases becomes a ctest test. TIMED, TUNING and SLICED list test cases, as
# patterns of GoogleTest's filter. What those that are TIMED assert depends on how long something takes: they run alone. Those that are
# TUNING run beside others, but one at a time, since tuners wait for each other. Those that are SLICED take long: ./check runs a
# quarter of them, ./check --full all. TUNING_SLICED lists those that are both. COST is roughly the time of the longest test: ctest
# starts with those.
include(GoogleTest)

function(nestwright_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COST" "SOURCES;DEPENDS;PRIVATE;TIMED;TUNING;TUNING_SLICED;SLICED")
  add_executable(test_${name} ${arg_SOURCES})
  foreach(folder IN LISTS arg_DEPENDS)
    target_link_libraries(test_${name} PRIVATE nestwright::${folder})
  endforeach()
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  nestwright_compile_for_tests(test_${name})
  target_link_libraries(test_${name} PRIVATE nestwright_flags fmt::fmt GTest::gmock GTest::gtest_main ${arg_PRIVATE})
  # Batches share our own headers, too. Sources that are compiled by themselves do not: a header's change rebuilds only its readers.
  set(own_headers $<$<BOOL:${NESTWRIGHT_BATCHES}>:${PROJECT_SOURCE_DIR}/include/nestwright/nestwright.h>)
  nestwright_headers(test_headers FOR_TESTS OPTIONS -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR} LINK GTest::gmock
                     HEADERS <gmock/gmock.h> <gtest/gtest.h> ${own_headers})
  target_precompile_headers(test_${name} REUSE_FROM nestwright_test_headers)
  nestwright_batches(test_${name})
  target_compile_definitions(test_${name} PRIVATE NESTWRIGHT_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                                  NESTWRIGHT_BINARY_DIR="${PROJECT_BINARY_DIR}")
  # NO_PRETTY_VALUES: for most parameters GoogleTest prints addresses, which would change the names in every run.
  set(discovery TEST_PREFIX ${name}. NO_PRETTY_VALUES DISCOVERY_TIMEOUT 120)
  if(NOT arg_COST)
    set(arg_COST 0)
  endif()
  # Those that wait for each other begin first.
  set(tuning RESOURCE_LOCK timing COST 500)
  set(properties_TIMED RUN_SERIAL ON)
  set(properties_TUNING ${tuning})
  set(properties_TUNING_SLICED ${tuning} LABELS sliced)
  set(properties_SLICED COST ${arg_COST} LABELS sliced)
  set(listed "")
  foreach(kind TIMED TUNING TUNING_SLICED SLICED)
    if(arg_${kind})
      list(JOIN arg_${kind} ":" patterns)
      gtest_discover_tests(test_${name} ${discovery} TEST_FILTER "${patterns}-${listed}" PROPERTIES ${properties_${kind}})
      string(APPEND listed ":${patterns}")
    endif()
  endforeach()
  gtest_discover_tests(test_${name} ${discovery} TEST_FILTER "-${listed}" PROPERTIES COST ${arg_COST})
endfunction()
