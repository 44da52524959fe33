# Of bench/, what can be tested without a library to compare with.
set(NESTWRIGHT_BENCH_SOURCES tuning_run.cpp)
foreach(source buffers comparison conditions field report request results_file roofline round_check section section_json section_text
               suite summary)
  list(APPEND NESTWRIGHT_BENCH_SOURCES comparison/${source}.cpp)
endforeach()
list(TRANSFORM NESTWRIGHT_BENCH_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
