// Which sources lowered and generated the code of this build: part of what a record says of itself.
// Thread rule: a pure function.
#pragma once

namespace nestwright {

/// Sixteen hexadecimal digits, made at build time of all of ir/, schedule/, lower/ and codegen/: another one where any
/// of these files is.
const char* code_generator_fingerprint();

}  // namespace nestwright
