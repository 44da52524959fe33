#include "nestwright/lower.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands/given_config.h"
#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/options/option_checks.h"
#include "codegen/backend.h"
#include "nestwright/error.h"
#include "nestwright/lookup.h"
#include "nestwright/program.h"
#include "schedule/trace/cpp_text.h"
#include "target/description/occupancy.h"

namespace nestwright::cli {
namespace {

struct LowerCommandOptions {
  CommonOptions common;
  std::string config;
  std::string template_name;
  std::string print_after;
  bool db_given = false;  ///< if so, the database must exist
  bool final_pipeline = false;
  bool schedule = false, cpp = false, llvm = false, assembly = false, resources = false;
};

/// Returns the configuration of --config, else that of the database, else the template's default.
Lookup choose(const LowerCommandOptions& options, const TaskContext& context) {
  if (!options.config.empty()) return given_config(context, options.config, options.template_name);
  return look_up_in(options.common, options.db_given, context, options.template_name);
}

/// Prints a line per kernel: memory in bytes, and the resident blocks per multiprocessor.
void print_resources(const std::vector<KernelResources>& kernels, const Target& target) {
  std::size_t width = std::string_view("kernel").size();
  for (const KernelResources& kernel : kernels) width = std::max(width, kernel.kernel.size());
  const std::string row = fmt::format("{{:<{}}} {{:>9}} {{:>7}} {{:>7}} {{:>8}} {{:>7}} {{:>6}} {{:>9}}\n", width);
  fmt::print(fmt::runtime(row), "kernel", "registers", "spilled", "stack", "shared", "threads", "blocks", "occupancy");
  for (const KernelResources& kernel : kernels) {
    const auto resident =
        kernel.threads > 0 ? occupancy({kernel.threads, kernel.registers, kernel.shared_bytes}, target) : std::nullopt;
    fmt::print(fmt::runtime(row), kernel.kernel, kernel.registers, kernel.spill_bytes, kernel.stack_bytes,
               kernel.shared_bytes, kernel.threads, resident ? fmt::to_string(resident->blocks) : "-",
               resident ? fmt::format("{:.0f}%", 100 * resident->share()) : "-");
  }
}

int run(const LowerCommandOptions& options) {
  const TaskContext context = options.common.task(options.common.registry());
  const Task& task = context.task();
  const std::vector<std::string> passes = pass_names();
  if (!options.print_after.empty() && options.print_after != "all" &&
      std::find(passes.begin(), passes.end(), options.print_after) == passes.end()) {
    throw UsageError(
        fmt::format("there is no pass '{}': use all or one of {}", options.print_after, fmt::join(passes, ", ")));
  }
  if (options.resources && task.target.device != DeviceKind::kCuda) {
    throw UsageError(
        "--resources: only CUDA's compiler reports the resources of kernels: give --target cuda,arch=sm_90");
  }
  if (options.final_pipeline && !options.llvm && !options.assembly && !options.resources) {
    throw UsageError("--final chooses how the kernel is compiled: give --llvm, --asm or --resources, too");
  }
  if (options.llvm && task.target.device != DeviceKind::kCpu) {
    throw UsageError("--llvm: only kernels for CPUs are compiled by LLVM: give --target cpu");
  }
  if (options.assembly && task.target.device == DeviceKind::kOpenCl) {
    throw UsageError(
        "--asm: OpenCL's driver compiles the kernels and shows no assembly: nestwright export writes their source");
  }
  const Lookup found = choose(options, context);
  note(printable(fmt::format("match     {}\n{}", origin_text(found), config_text(found))));

  const Instance instance = instantiate(*found.source, task.workload, task.target, found.config);
  if (options.schedule) {
    fmt::print("{}", instance.schedule.str());
    return kDone;
  }
  if (options.cpp) {
    fmt::print("// {} on {}\n// template {} version {}: {}\n", task.workload.str(), task.target.str(),
               found.source->name, found.source->version, found.config.str());
    fmt::print("{}", cpp_text(instance.schedule, instance.definition.args));
    return kDone;
  }
  LowerOptions lowering;
  std::string last;
  lowering.after_pass = [&](std::string_view pass, const ir::Program& program, std::int64_t ns) {
    if (options.print_after != "all" && options.print_after != pass) return;
    std::string text = ir::to_string(program);
    const double ms = static_cast<double>(ns) * 1e-6;
    if (text == last) {
      fmt::print("// after {}, {:.3f} ms: unchanged\n\n", pass, ms);
    } else {
      fmt::print("// after {}, {:.3f} ms\n{}\n", pass, ms, text);
    }
    last = std::move(text);
  };
  const ir::Program loops =
      lower(instance.schedule, instance.definition.args, task.target, kernel_name(task.workload), lowering);
  const bool compiles = options.llvm || options.assembly || options.resources;
  if (!compiles && options.print_after.empty()) {
    fmt::print("{}", ir::to_string(loops));
    return kDone;
  }
  const ir::Program vectors = expand(loops, task.target, lowering);
  if (!compiles) return kDone;
  const CompiledObject object =
      compile_program(vectors, task.target,
                      {.pipeline = options.final_pipeline ? Pipeline::kFinal : Pipeline::kSearch,
                       .keep_ir = options.llvm,
                       .keep_assembly = options.assembly});
  if (options.llvm) fmt::print("{}", object.ir);
  if (options.assembly) fmt::print("{}", object.assembly);
  if (options.resources && object.resources.empty()) {
    return print_error(
        kNotFound, fmt::format("{} does not report the resources of the kernels: name another one by NESTWRIGHT_NVRTC",
                               backend_version(task.target.device)));
  }
  if (options.resources) print_resources(object.resources, task.target);
  return kDone;
}

}  // namespace

void add_lower(CommandLine& line, Action& action) {
  auto options = std::make_shared<LowerCommandOptions>();
  Command command = line.add_command("lower", "print the loop nest of a configuration (default: the best known one)");
  add_workload(command, options->common);
  Argument db = add_db(command, options->common);
  add_target(command, options->common);
  add_config(command, options->config);
  add_template(command, options->template_name);
  Argument print_after =
      command
          .add_option("--print-after", options->print_after,
                      fmt::format("print the program after this pass, or all: {}", fmt::join(pass_names(), ", ")))
          .value_name("PASS");
  Argument schedule = command.add_flag("--schedule", options->schedule, "print the stages and their loops");
  Argument cpp = command.add_flag("--cpp", options->cpp,
                                  "print the tensors and the primitives as C++, for a function of a program with "
                                  "nestwright.h: lower(s, args, target, name) gives the same loops");
  Argument llvm = command.add_flag("--llvm", options->llvm, "print the LLVM IR");
  Argument assembly = command.add_flag("--asm", options->assembly, "print the assembly");
  Argument resources =
      command.add_flag("--resources", options->resources, "print registers, memory and occupancy of each CUDA kernel");
  print_after.excludes(schedule);
  cpp.excludes(schedule).excludes(print_after);
  llvm.excludes(schedule).excludes(cpp);
  assembly.excludes(schedule).excludes(cpp).excludes(llvm);
  resources.excludes(schedule).excludes(cpp).excludes(llvm).excludes(assembly);
  command.add_flag("--final", options->final_pipeline, "compile as winners and exports are");
  command.on_chosen([options, db, &action] {
    options->db_given = db.is_given();
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
