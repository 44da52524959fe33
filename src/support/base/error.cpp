#include "nestwright/error.h"

namespace nestwright {

void fail_check(const char* what) { throw InternalError(std::string("internal error: ") + what); }

}  // namespace nestwright
