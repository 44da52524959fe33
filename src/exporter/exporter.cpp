#include "nestwright/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "exporter/package/output_folder.h"
#include "exporter/package/toolchain.h"
#include "exporter/source/device_sources.h"
#include "exporter/source/function_name.h"
#include "exporter/source/parameter_names.h"
#include "exporter/source/sources.h"
#include "ir/serialize/serialize.h"
#include "kernel/has_parallel_loop.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"

namespace nestwright {
namespace {

/// A file that is removed on destruction.
class ScratchFile {
 public:
  explicit ScratchFile(std::string path) : path_(std::move(path)) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Writes the library for a CPU, built by the tools of the system.
void write_library(const Exported& e, const Toolchain& tools, OutputFolder& out) {
  const std::string& name = e.name;
  out.write(name + ".h", header_source(e));
  out.write(name + ".c", launcher_source(e));
  out.write(name + "_kernel.o", e.object->object);
  out.write(name + "_kernel.ll", e.object->ir);
  out.write(name + "_kernel.s", e.object->assembly);
  out.write(name + "_selftest.c", self_test_source(e));
  out.write(name + "_manifest.json", manifest_json(e));
  out.write(name + "Config.cmake", cmake_config(e));

  const ScratchFile launcher(out.path(name + "_launcher.o"));
  const std::vector<std::string> objects{launcher.path(), out.path(name + "_kernel.o")};
  tools.compile(out.path(name + ".c"), launcher.path());
  tools.archive(objects, out.add("lib" + name + ".a"));
  tools.link_shared(objects, out.add("lib" + name + ".so"));
}

/// Writes the sources from which a C compiler builds the library for a device, where the driver's header is.
void write_device_sources(const Exported& e, OutputFolder& out) {
  const std::string& name = e.name;
  const bool is_cuda = e.task->target.device == DeviceKind::kCuda;
  out.write(name + ".h", device_header_source(e));
  out.write(name + ".c", is_cuda ? cuda_launcher_source(e) : opencl_launcher_source(e));
  out.write(name + (is_cuda ? "_kernel.cu" : "_kernel.cl"), e.object->source);
  if (is_cuda) {
    out.write(name + "_kernel.ptx", e.object->assembly);
    out.write(name + "_kernel.cubin", e.object->object);
  }
  out.write(name + "_selftest.c", self_test_source(e));
  out.write(name + "_manifest.json", manifest_json(e));
  out.write(name + "Config.cmake", device_cmake_config(e));
}

/// Throws UsageError if the C library has the name. The export of a device's kernel needs no compiler: where there is
/// none, the list of check_function_name has to do.
void require_free_name(const std::string& name, const std::optional<Toolchain>& tools) {
  std::optional<Toolchain> found = tools;
  try {
    if (!found) found = Toolchain::find();
  } catch (const UsageError&) {
    return;
  }
  if (found->is_reserved(name)) refuse_taken_name(name);
}

}  // namespace

ExportResult export_kernel(const Task& task, const Lookup& found, const ExportOptions& options) {
  const std::string name = options.name.empty() ? default_function_name(task.workload) : options.name;
  check_function_name(name);
  // The operator's own tensors, because a template's expression may consist of words and conversions.
  const Definition& definition = *task.workload.definition;
  const std::vector<std::string> parameters = c_parameter_names(definition.args);
  for (const std::string& parameter : parameters) {
    const auto is_derived = [&](const char* suffix) { return name == parameter + suffix; };
    if (std::any_of(std::begin(kSelfTestSuffixes), std::end(kSelfTestSuffixes), is_derived)) refuse_taken_name(name);
    const bool is_clear = parameter != name && !parameter.starts_with(name + "_") && parameter != header_guard(name);
    if (is_clear) continue;
    throw UsageError(fmt::format("'{}' is a tensor of {}: in the place of '{}' choose another name, as my_{}",
                                 parameter, task.workload.op->name, name, name));
  }
  const bool is_device = task.target.device != DeviceKind::kCpu;
  std::optional<Toolchain> tools;
  if (!is_device) tools = Toolchain::find();
  if (!options.name.empty()) require_free_name(name, tools);

  const Instance instance = instantiate(*found.source, task.workload, task.target, found.config);
  // On a CPU the kernel's name is that of a function; on a device the names of the kernels begin with it.
  const ir::Program loops = lower(instance.schedule, instance.definition.args, task.target,
                                  is_device ? name : name + "_kernel", {.verify = true});
  if (!loops.symbols.empty()) {
    throw UsageError(
        fmt::format("{} has the symbolic extent or stride {}: only kernels of constant shapes are exported", name,
                    loops.symbols[0].name()));
  }
  const ir::Program program = expand(loops, task.target, {.verify = true});
  const CompiledObject object =
      compile_program(program, task.target, {.pipeline = Pipeline::kFinal, .keep_ir = true, .keep_assembly = true});
  const ir::Program launched = is_device ? ir::deserialize(object.launches) : program;
  std::optional<ExportCheck> checked;
  if (options.check) checked = options.check(object);
  if (checked && !checked->failure.empty()) {
    throw Error(fmt::format("{} was not exported, for the kernel that was compiled is wrong ({}): tune {} again", name,
                            checked->failure, task.workload.str()));
  }
  const Exported exported{name,      &task,
                          &found,    &definition,
                          &object,   has_parallel_loop(program),
                          &launched, checked ? &*checked : nullptr,
                          parameters};
  OutputFolder out(options.directory);
  if (is_device) {
    write_device_sources(exported, out);
  } else {
    write_library(exported, *tools, out);
  }
  return {name, name, std::move(out).files(), checked};
}

}  // namespace nestwright
