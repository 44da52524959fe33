#include "tests/property/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/backend.h"
#include "ir/analysis/symbol_ranges.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/equal.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "runtime/compiled_kernel.h"
#include "schedule/state/state.h"
#include "tests/property/intrinsics.h"
#include "tests/support/cpu_target.h"

namespace nestwright::property {
namespace {

constexpr std::int64_t kMaxSteps = 12000;
constexpr std::uint8_t kPoison = 0x5A, kOtherPoison = 0xA5;  // reveal unwritten elements
constexpr const char* kName = "program";

Target device_target() {
  Target target;
  target.device = DeviceKind::kCuda;
  return target;
}

/// A program, as far as it was made before the verifier objected.
struct Made {
  ir::Program program;
  std::string objection;
};

/// make(options) lowers or expands, verified after each pass.
template <class F>
Made make_verified(const F& make) {
  Made made;
  LowerOptions options;
  options.verify = true;
  options.after_pass = [&](std::string_view, const ir::Program& program, std::int64_t) { made.program = program; };
  try {
    made.program = make(options);
  } catch (const InternalError& error) {
    made.objection = error.what();
    if (made.program.kernels.empty()) throw;
  } catch (const UnprovedError& error) {
    made.objection = error.what();
  }
  return made;
}

/// The symbols with their own values, all 1, and larger ones, for which tails, empty loops and full tiles differ.
std::vector<std::vector<Symbol>> values_to_try(const std::vector<Symbol>& symbols) {
  std::vector<std::vector<Symbol>> all = {symbols};
  if (symbols.empty()) return all;
  all.push_back(symbols);
  for (Symbol& symbol : all.back()) symbol.value = 1;
  all.push_back(symbols);
  for (Symbol& symbol : all.back()) symbol.value += symbol.value / 2 + 5;
  return all;
}

/// " `n = 3`"; empty without symbols. Quoted text does not distinguish kinds of failures.
std::string values_text(const std::vector<Symbol>& symbols) {
  std::string text;
  for (const Symbol& symbol : symbols)
    text += fmt::format("{}{} = {}", text.empty() ? " `" : ", ", symbol.var.name(), symbol.value);
  return text.empty() ? text : text + "`";
}

/// What changes when a simplified program is simplified again; empty where nothing does.
std::string simplify_again(const ir::Program& program) {
  const ir::Ranges ranges = ir::ranges_of_symbols(program);
  for (const ir::Kernel& kernel : program.kernels) {
    const ir::Stmt once = ir::simplify(kernel.body, ranges), twice = ir::simplify(once, ranges);
    if (twice.same_as(once)) continue;
    const std::string first = ir::to_string(once), second = ir::to_string(twice);
    if (first == second) return "simplified again, it prints alike but is no longer the same handle:\n" + first;
    return "simplified again, it changes from\n" + first + "to\n" + second;
  }
  return {};
}

/// Whether a call can bind every symbol to an extent or a stride of an argument.
bool binds_all(const ir::Program& program, const std::vector<Symbol>& symbols) {
  return std::all_of(symbols.begin(), symbols.end(), [&](const Symbol& symbol) {
    return std::find(program.symbols.begin(), program.symbols.end(), symbol.var) != program.symbols.end();
  });
}

Outcome failure(Verdict verdict, std::string message, const ir::Program& program, const ir::Program* other = nullptr) {
  Outcome outcome{verdict, std::move(message), ir::to_string(program)};
  if (other != nullptr) outcome.programs += "\n" + ir::to_string(*other);
  return outcome;
}

ParallelPool& pool(int threads) {
  thread_local const std::unique_ptr<ParallelPool> alone = make_pool(PoolKind::kSerial, 1);
  thread_local const std::unique_ptr<ParallelPool> two = make_pool(PoolKind::kSpin, 2);
  return threads > 1 ? *two : *alone;
}

}  // namespace

bool has_bound_loops(const Schedule& schedule) {
  const auto is_bound = [](const auto& entry) { return ir::is_bound(entry.second); };
  const auto& stages = schedule.state().stages;
  return std::any_of(stages.begin(), stages.end(), [&](const StageState& stage) {
    return std::any_of(stage.kinds.begin(), stage.kinds.end(), is_bound);
  });
}

bool is_failure(Verdict verdict) { return verdict >= Verdict::kReference; }

const char* verdict_name(Verdict verdict) {
  constexpr const char* kNames[] = {
      "agrees", "not legal", "too large",    "unproved",   "broken unscheduled", "unsound",
      "faulty", "differs",   "not replayed", "not simple", "not compiled",       "refusal that changes"};
  return kNames[static_cast<std::size_t>(verdict)];
}

const std::vector<CpuIsa>& runnable_isas() {
  static const std::vector<CpuIsa> isas = [] {
    std::vector<CpuIsa> result;
#ifdef NESTWRIGHT_PROPERTY_WITH_LLVM
    result.push_back(CpuIsa::kX86_64);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) result.push_back(CpuIsa::kAvx2);
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
      result.push_back(CpuIsa::kAvx512);
#endif
    return result;
  }();
  return isas;
}

Checker::Checker(const Expression& expression, std::uint64_t data_seed)
    : expression_(expression), data_seed_(data_seed) {
  try {
    const Schedule schedule = create_schedule(expression.outputs);
    reference_ = make_verified([&](const LowerOptions& options) {
                   return lower(schedule, expression.arguments(), cpu_target(CpuIsa::kX86_64), kName, options);
                 }).program;
    if (!binds_all(reference_, expression.symbols)) {
      broken_ = {Verdict::kNotLegal, "a symbol is no extent of an argument", {}};
      return;
    }
    for (const std::vector<Symbol>& symbols : values_to_try(expression.symbols)) {
      if (!samples_.empty() && count_steps(reference_, symbols) > kMaxSteps) continue;
      const Sample& sample = samples_.emplace_back(symbols, Data(reference_, symbols, data_seed, kPoison));
      ir::interpret(reference_, sample.expected.memory(), symbol_values(reference_, symbols));
    }
  } catch (const UsageError& error) {  // a refused expression
    broken_ = {Verdict::kNotLegal, error.what(), {}};
  } catch (const Error& error) {
    broken_ = failure(Verdict::kReference, error.what(), reference_);
  }
}

Outcome Checker::run(const ir::Program& program, const char* what) const {
  for (const Sample& sample : samples_) {
    // Larger values of the symbols may take too long; those of the expression do not.
    if (&sample != samples_.data() && count_steps(program, sample.symbols) > kMaxSteps) continue;
    const std::string where = what + values_text(sample.symbols);
    const Data data(program, sample.symbols, data_seed_, kOtherPoison);
    try {
      ir::interpret(program, data.memory(), symbol_values(program, sample.symbols), {data_seed_});
    } catch (const Error& error) {
      return failure(Verdict::kFaulty, fmt::format("{}: {}", where, error.what()), program, &reference_);
    }
    const std::string difference = data.difference(sample.expected);
    if (!difference.empty())
      return failure(Verdict::kDiffers, fmt::format("{}: {}", where, difference), program, &reference_);
  }
  return {};
}

Outcome Checker::judge(const ir::Program& program, const std::string& objection, const char* what) const {
  Outcome outcome = run(program, what);
  if (objection.empty()) return outcome;
  if (outcome.verdict == Verdict::kAgrees) return failure(Verdict::kUnproved, objection, program);
  outcome.message += "\n(" + objection + ")";
  return outcome;
}

Outcome Checker::compile_and_run(const ir::Program& vector_form, const Target& target, const Depth& depth) const {
  const std::string what =
      fmt::format("compiled for {}, pipeline {}", target.str(), depth.final_pipeline ? "final" : "search");
  try {
    CompileOptions options;
    options.pipeline = depth.final_pipeline ? Pipeline::kFinal : Pipeline::kSearch;
    const CompiledObject object = make_backend(DeviceKind::kCpu)->compile(vector_form, target, options);
    const std::shared_ptr<LoadedObject> loaded = load_object(object);
    const std::shared_ptr<ParallelPool> borrowed(std::shared_ptr<void>(), &pool(depth.threads));
    const auto kernel_at = [&](void* entry) {
      return CompiledKernel(reinterpret_cast<nestwright_kernel>(entry), object.workspace, borrowed, loaded,
                            vector_form.symbols);
    };
    const CompiledKernel kernel = kernel_at(loaded->entry());
    std::optional<CompiledKernel> preparation;
    if (loaded->preparation() != nullptr) preparation = kernel_at(loaded->preparation());
    for (const Sample& sample : samples_) {
      const Data data(vector_form, sample.symbols, data_seed_, kOtherPoison);
      const std::vector<std::int64_t> symbols = symbol_values(vector_form, sample.symbols);
      std::int32_t status = preparation ? preparation->call(data.pointers(), symbols) : 0;
      if (status == 0) status = kernel.call(data.pointers(), symbols);
      std::string wrong = status == 0 ? data.damage() : fmt::format("it returned {}", status);
      if (wrong.empty()) wrong = data.difference(sample.expected);
      if (wrong.empty()) continue;
      return failure(Verdict::kDiffers, fmt::format("{}{}: {}", what, values_text(sample.symbols), wrong), vector_form,
                     &reference_);
    }
  } catch (const Error& error) {
    return failure(Verdict::kNotCompiled, fmt::format("{}: {}", what, error.what()), vector_form);
  }
  return {};
}

Outcome Checker::check(const Schedule& schedule, const Depth& depth, Tamper tamper) const {
  if (broken_) return *broken_;
  const bool on_device = has_bound_loops(schedule);
  const Target target = depth.target ? *depth.target
                        : on_device  ? device_target()
                                     : cpu_target(depth.compile.value_or(CpuIsa::kX86_64));
  const std::vector<Tensor> arguments = depth.arguments.empty() ? expression_.arguments() : depth.arguments;
  const auto lowered = [&](const Schedule& from) {
    return make_verified([&](const LowerOptions& options) { return lower(from, arguments, target, kName, options); });
  };
  Made loop_form, vector_form;
  try {
    loop_form = lowered(schedule);
  } catch (const LowerError& error) {
    return {Verdict::kNotLegal, error.what(), {}};
  } catch (const Error& error) {
    return failure(Verdict::kUnsound, error.what(), reference_);
  }
  if (tamper != nullptr) loop_form.program = tamper(loop_form.program);
  if (count_steps(loop_form.program, expression_.symbols) > depth.max_steps)
    return {Verdict::kTooLarge, "too many steps", {}};
  Outcome outcome = judge(loop_form.program, loop_form.objection, "loop form");
  if (outcome.verdict != Verdict::kAgrees) return outcome;
  if (std::string changed = simplify_again(loop_form.program); !changed.empty())
    return failure(Verdict::kNotSimple, "loop form: " + changed, loop_form.program);
  if (depth.replay && tamper == nullptr) {
    try {
      Schedule again = create_schedule(expression_.outputs);
      Trace::parse(schedule.trace().str()).replay(again, own_intrinsics());
      const ir::Program second = lowered(again).program;
      if (!ir::equal(loop_form.program, second) || ir::to_string(loop_form.program) != ir::to_string(second))
        return failure(Verdict::kNotReplayed, "the trace makes another program", loop_form.program, &second);
    } catch (const Error& error) {
      return failure(Verdict::kNotReplayed, error.what(), loop_form.program);
    }
  }
  if (on_device || (!depth.vector && !depth.compile)) return outcome;
  try {
    vector_form =
        make_verified([&](const LowerOptions& options) { return expand(loop_form.program, target, options); });
  } catch (const LowerError& error) {
    return {Verdict::kNotLegal, error.what(), {}};
  } catch (const Error& error) {
    return failure(Verdict::kUnsound, error.what(), loop_form.program);
  }
  outcome = judge(vector_form.program, vector_form.objection, "vector form");
  if (outcome.verdict != Verdict::kAgrees) return outcome;
  if (std::string changed = simplify_again(vector_form.program); !changed.empty())
    return failure(Verdict::kNotSimple, "vector form: " + changed, vector_form.program);
  if (!depth.compile) return outcome;
  return compile_and_run(vector_form.program, target, depth);
}

}  // namespace nestwright::property
