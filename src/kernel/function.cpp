#include "nestwright/build.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "ir/analysis/preparation.h"
#include "kernel/call_signature.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

/// Passed in place of constants, which a call does not read.
constexpr void* kNothing = nullptr;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

std::shared_ptr<void> aligned_memory(std::int64_t bytes, const std::string& name) {
  std::shared_ptr<void> memory(std::aligned_alloc(64, static_cast<std::size_t>(bytes)), Free());
  if (memory == nullptr) {
    throw UsageError(fmt::format("{}: there is no memory for {} bytes of prepared data", name, bytes));
  }
  return memory;
}

/// The part that all handles of a function share, prepared or not.
struct Code {
  ir::Program program;
  CallSignature call, constants;
  Function::Entry entry, preparation;
};

}  // namespace

struct Function::State {
  explicit State(std::shared_ptr<const Code> c)
      : code(std::move(c)), buffers(code->program.parameters.size(), kNothing), symbols(code->program.symbols.size()) {}

  bool is_ready() const { return !code->preparation || !prepared.empty(); }

  std::shared_ptr<const Code> code;
  std::vector<std::shared_ptr<void>> prepared;  ///< the memory that the last of `buffers` point to
  std::vector<void*> buffers;                   ///< of the current call, one per parameter
  std::vector<std::int64_t> symbols;            ///< of the current call
};

Function::Function(ir::Program program, CallSignature signature, Entry entry, Entry preparation)
    : Function(std::make_shared<State>([&] {
        CallSignature constants(program, CallSignature::Part::kPreparation);
        return std::make_shared<const Code>(std::move(program), std::move(signature), std::move(constants),
                                            std::move(entry), std::move(preparation));
      }())) {}

const ir::Program& Function::program() const { return state().code->program; }

Function::State& Function::state() const {
  if (state_ == nullptr)
    throw UsageError("a function is used that was moved from: keep a copy, which is the same function");
  return *state_;
}

void Function::call(std::span<const ArrayRef> arguments) const {
  State& state = this->state();
  const Code& code = *state.code;
  if (!state.is_ready()) {
    throw UsageError(
        fmt::format("{}: it works on what is prepared: call prepare() once, and what that gives back", name()));
  }
  code.call.check(arguments, state.symbols);
  for (std::size_t a = 0; a < arguments.size(); ++a) state.buffers[code.call.parameter(a)] = arguments[a].data;
  code.entry(state.buffers, state.symbols);
}

Function Function::prepare_of(std::span<const ArrayRef> constants) const {
  const std::shared_ptr<const Code>& code = state().code;
  if (!code->preparation) {
    throw UsageError(fmt::format("{}: there is nothing to prepare: call it with all of its arguments", name()));
  }
  auto bound = std::make_shared<State>(code);
  code->constants.check(constants, bound->symbols);
  std::vector<void*> buffers = bound->buffers;
  for (std::size_t a = 0; a < constants.size(); ++a) buffers[code->constants.parameter(a)] = constants[a].data;
  const std::vector<std::int64_t> sizes = ir::prepared_bytes(code->program);
  const std::size_t first = buffers.size() - sizes.size();
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    bound->prepared.push_back(aligned_memory(sizes[p], name()));
    buffers[first + p] = bound->buffers[first + p] = bound->prepared.back().get();
  }
  code->preparation(buffers, bound->symbols);
  return Function(std::move(bound));
}

}  // namespace nestwright
