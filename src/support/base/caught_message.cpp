#include "support/base/caught_message.h"

#include <exception>

namespace nestwright {

std::string caught_message() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something was thrown that is no std::exception: correct the plugin that throws it, or leave it out";
  }
}

}  // namespace nestwright
