// The parts of a self-test that depend on where its kernel runs: how the tensors are passed, the call, and what is read
// back.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "exporter/sources.h"

namespace nestwright {

/// Fragments of C. Within `check`, the inputs are variables of their names in host memory, and for each output X, the
/// variable X_at must end up pointing to its X_span elements.
struct SelfTestCalls {
  std::string where;      ///< part of the first comment: ", at pointers aligned to 64 bytes"
  std::string build;      ///< a shell command
  std::string includes;   ///< besides those that every self-test has
  std::string helpers;    ///< functions that check and main call
  std::string turn;       ///< check's first parameter, an int
  std::string turns;      ///< its three values
  std::string before;     ///< before the call: arguments, and memory for the results
  std::string prepare;    ///< the call of the preparation; empty: none
  std::string call;       ///< the call, an expression
  std::string unable;     ///< the reason for the return value 1
  std::string after;      ///< fetches the results if the call did not, and checks what else was written
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
