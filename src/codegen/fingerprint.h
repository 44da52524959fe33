// Identifies the code generator of this build; every record of the log has the fingerprint that it was made with.
// Thread rule: a pure function.
#pragma once

namespace nestwright {

/// Sixteen hexadecimal digits, a hash of all files of ir/, schedule/, lower/ and codegen/ that is taken at build time.
const char* code_generator_fingerprint();

}  // namespace nestwright
