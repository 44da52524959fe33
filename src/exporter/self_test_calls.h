// The parts of a self-test that depend on where its kernel runs: how tensors get there, the call, and what comes back.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "exporter/sources.h"

namespace nestwright {

/// Texts of C. In `check`, the inputs are there under their names, in host memory, and `result` is to be: kSpan
/// elements of the output's type.
struct SelfTestCalls {
  std::string where;      ///< of the first comment: ", at pointers aligned to 64 bytes"
  std::string build;      ///< a command of the shell
  std::string includes;   ///< beside those that every self-test has
  std::string helpers;    ///< functions that check and main call
  std::string turn;       ///< check's first parameter, an int
  std::string turns;      ///< its three values
  std::string before;     ///< of the call: arguments and room for the result
  std::string prepare;    ///< the call of the preparation; empty: there is none
  std::string call;       ///< an expression
  std::string unable;     ///< why it returns 1
  std::string after;      ///< fills `result` where that was not done, and sees what else was written
  std::string release;    ///< frees what is made before
  std::string start;      ///< of main
  std::string null_call;  ///< a call that is to be refused by a 3
  std::string nulls;      ///< what it hands over
  std::string end;        ///< of main
};

SelfTestCalls self_test_calls(const Exported& e);
SelfTestCalls host_self_test_calls(const Exported& e);
SelfTestCalls cuda_self_test_calls(const Exported& e);
SelfTestCalls opencl_self_test_calls(const Exported& e);

}  // namespace nestwright
