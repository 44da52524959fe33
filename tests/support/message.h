// Captures the message of an exception.
// Thread rule: that of the function that is called.
#pragma once

#include <string>

namespace nestwright {

/// Returns the message of the E that `f` throws; "accepted" if it throws none.
template <class E, class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace nestwright
