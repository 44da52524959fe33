// Makes a CPU target for an instruction set, independent of the machine.
// Thread rule: pure function.
#pragma once

#include "nestwright/target.h"

namespace nestwright {

inline Target cpu_target(CpuIsa isa, int threads = 1) {
  Target target;
  target.isa = isa;
  target.vector_bits = isa == CpuIsa::kAvx512 ? 512 : isa == CpuIsa::kAvx2 ? 256 : 128;
  target.vector_registers = isa == CpuIsa::kAvx512 ? 32 : 16;
  target.threads = threads;
  return target;
}

}  // namespace nestwright
