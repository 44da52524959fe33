# Contestants that bench/peers fetched, each from a folder of its own. What is not there is not compared.
set(NESTWRIGHT_PEERS ${PROJECT_SOURCE_DIR}/build/peers CACHE PATH "Where bench/peers puts the libraries that it fetches")

# nestwright_peer(<name> FOLDER dir LIBRARIES file ... SOURCES ... [DEFINE ...]): a contestant with libraries of FOLDER/lib, if they
# are there. What they need is looked for there, too, before the system's: hence DT_RPATH, and by hand.
function(nestwright_peer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "SOURCES;LIBRARIES;DEFINE")
  set(folder ${NESTWRIGHT_PEERS}/${arg_FOLDER})
  list(TRANSFORM arg_LIBRARIES PREPEND ${folder}/lib/)
  foreach(library IN LISTS arg_LIBRARIES)
    if(NOT EXISTS ${library})
      file(REMOVE ${PROJECT_BINARY_DIR}/bench_contestant_${name})  # of an earlier time: it would not start
      return()
    endif()
  endforeach()
  nestwright_contestant(${name} SOURCES ${arg_SOURCES} INCLUDE ${folder}/include DEFINE ${arg_DEFINE}
                        LINK -Wl,--no-as-needed ${arg_LIBRARIES})
  set_target_properties(bench_contestant_${name} PROPERTIES SKIP_BUILD_RPATH ON)
  target_link_options(bench_contestant_${name} PRIVATE -Wl,--disable-new-dtags -Wl,-rpath,${folder}/lib
                                                       -Wl,--allow-shlib-undefined)
endfunction()

nestwright_peer(mkl FOLDER mkl SOURCES mkl.cpp LIBRARIES libmkl_rt.so.3 libiomp5.so)
nestwright_peer(onednn-gomp FOLDER onednn-gomp
  SOURCES
    onednn.cpp
    onednn_convolution.cpp
    onednn_memory_bound.cpp
  LIBRARIES libdnnl.so.3)
nestwright_peer(onednn-new FOLDER onednn-new
  SOURCES
    onednn.cpp
    onednn_convolution.cpp
    onednn_memory_bound.cpp
  LIBRARIES libdnnl.so.3)
nestwright_peer(openblas-new FOLDER openblas-new SOURCES openblas.cpp DEFINE NESTWRIGHT_SCIPY_OPENBLAS
                LIBRARIES libscipy_openblas64_.so)
