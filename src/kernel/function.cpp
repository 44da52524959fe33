#include "kernel/function.h"

#include <utility>
#include <vector>

#include "support/error.h"

namespace nestwright {

struct Function::State {
  State(ir::Program p, CallSignature s, CompiledKernel k)
      : program(std::move(p)),
        signature(std::move(s)),
        kernel(std::move(k)),
        buffers(signature.arguments()),
        symbols(signature.symbols()) {}

  ir::Program program;
  CallSignature signature;
  CompiledKernel kernel;
  std::vector<void*> buffers;         ///< of the call that runs
  std::vector<std::int64_t> symbols;  ///< likewise
};

Function::Function(ir::Program program, CallSignature signature, CompiledKernel kernel)
    : state_(std::make_shared<State>(std::move(program), std::move(signature), std::move(kernel))) {}

const ir::Program& Function::program() const { return state().program; }

Function::State& Function::state() const {
  if (state_ == nullptr)
    throw UsageError("a function is used that was moved from: keep a copy, which is the same function");
  return *state_;
}

void Function::call(std::span<const ArrayRef> arguments) const {
  State& state = this->state();
  state.signature.check(arguments, state.symbols);
  for (std::size_t a = 0; a < arguments.size(); ++a) state.buffers[a] = arguments[a].data;
  check(state.kernel.call(state.buffers, state.symbols) == 0, "a kernel gave an error back");
}

}  // namespace nestwright
