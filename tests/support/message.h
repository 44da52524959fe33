// What a misuse is answered with.
#pragma once

#include <string>

namespace nestwright {

/// What the E says that `f` throws; "accepted" where it throws none.
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
