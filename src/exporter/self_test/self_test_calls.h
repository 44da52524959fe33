// Generates the parts of a self-test that depend on the kind of target: how it passes the tensors, calls the kernel and
// reads the results.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "exporter/source/sources.h"

namespace nestwright {

/// Fragments of C. The function `check` has each input in host memory, in a variable of its name. The fragments must
/// set a variable X_at for each output X, which points to its X_span elements in host memory.
struct SelfTestCalls {
  std::string where;      ///< part of the first comment, e.g. ", at pointers aligned to 64 bytes"
  std::string build;      ///< the shell command that builds and runs the test
  std::string includes;   ///< besides those that every self-test has
  std::string helpers;    ///< functions that check and main call
  std::string turn;       ///< declaration of check's first parameter, an int that differs between calls
  std::string turns;      ///< its values in the three calls
  std::string before;     ///< before the call: arguments, and memory for the results
  std::string prepare;    ///< the call of the preparation; empty: none
  std::string call;       ///< the call, an expression
  std::string unable;     ///< the reason why the kernel returns 1
  std::string after;      ///< copies the results to the host if needed, and checks that nothing else was written
  std::string release;    ///< frees what `before` made
  std::string start;      ///< at the start of main
  std::string null_call;  ///< a call that must return 3
  std::string nulls;      ///< the arguments of null_call
  std::string end;        ///< at the end of main
};

/// Returns the fragments for the kernel's kind of target, or those for one kind.
SelfTestCalls self_test_calls(const Exported& e);
SelfTestCalls host_self_test_calls(const Exported& e);
SelfTestCalls cuda_self_test_calls(const Exported& e);
SelfTestCalls opencl_self_test_calls(const Exported& e);

}  // namespace nestwright
