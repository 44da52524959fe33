# How this project declares its targets: one library per folder, one test executable per test folder.

# Flags that every target of ours is built with.
add_library(nestwright_flags INTERFACE)
target_compile_features(nestwright_flags INTERFACE cxx_std_20)
target_compile_options(nestwright_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers
                                                  $<$<BOOL:${NESTWRIGHT_WERROR}>:-Werror>
                                                  # g++ 12 sees overlaps in "text" + std::string where there are none (PR 105651).
                                                  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)

# nestwright_library(<name> SOURCES ... [DEPENDS ...] [PRIVATE ...])
# The static library nestwright_<name>, alias nestwright::<name>. DEPENDS are folders below (public), PRIVATE are
# third-party targets that no public header shows.
function(nestwright_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;PRIVATE")
  add_library(nestwright_${name} STATIC ${arg_SOURCES})
  add_library(nestwright::${name} ALIAS nestwright_${name})
  set_target_properties(nestwright_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(nestwright_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                                       $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  foreach(folder IN LISTS arg_DEPENDS)
    target_link_libraries(nestwright_${name} PUBLIC nestwright::${folder})
  endforeach()
  target_link_libraries(nestwright_${name} PRIVATE $<BUILD_INTERFACE:nestwright_flags> ${arg_PRIVATE})
endfunction()

# nestwright_test(<name> SOURCES ... DEPENDS ... [PRIVATE ...] [SERIAL])
# The GoogleTest executable test_<name>; every test case in it becomes a ctest test. SERIAL: its tests measure time and want the
# machine for themselves.
include(GoogleTest)

# Nearly all tests include gmock, which takes half of the time that they compile: it is read once, for all of them. What is
# tested is optimised, as the preset says; the tests themselves are not, which saves the other half.
set(nestwright_test_options -O0)
function(nestwright_test_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp CONTENT "")
  add_library(nestwright_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cpp)
  target_compile_options(nestwright_test_headers PRIVATE ${nestwright_test_options})
  target_link_libraries(nestwright_test_headers PRIVATE nestwright_flags GTest::gmock)
  target_precompile_headers(nestwright_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
endfunction()

function(nestwright_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "" "SOURCES;DEPENDS;PRIVATE")
  add_executable(test_${name} ${arg_SOURCES})
  foreach(folder IN LISTS arg_DEPENDS)
    target_link_libraries(test_${name} PRIVATE nestwright::${folder})
  endforeach()
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(test_${name} PRIVATE ${nestwright_test_options})
  target_link_libraries(test_${name} PRIVATE nestwright_flags GTest::gmock GTest::gtest_main ${arg_PRIVATE})
  if(NOT TARGET nestwright_test_headers)
    nestwright_test_headers()
  endif()
  target_precompile_headers(test_${name} REUSE_FROM nestwright_test_headers)
  target_compile_definitions(test_${name} PRIVATE NESTWRIGHT_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                                  NESTWRIGHT_BINARY_DIR="${PROJECT_BINARY_DIR}")
  gtest_discover_tests(test_${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 120
                       PROPERTIES TIMEOUT 300 RUN_SERIAL ${arg_SERIAL})
endfunction()
