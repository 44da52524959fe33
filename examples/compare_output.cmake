# Runs PROGRAM, which must succeed, and holds what it prints against the file GOLDEN. With NESTWRIGHT_UPDATE_GOLDEN set
# in the environment it writes the file instead.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed ERROR_VARIABLE complaint RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "it ended with ${result}: ${complaint}\n${printed}")
endif()
if(DEFINED ENV{NESTWRIGHT_UPDATE_GOLDEN})
  file(WRITE ${GOLDEN} "${printed}")
  return()
endif()
file(READ ${GOLDEN} expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "it prints something else than ${GOLDEN}:\n${printed}")
endif()
