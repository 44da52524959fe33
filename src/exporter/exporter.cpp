#include "exporter/exporter.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "exporter/function_name.h"
#include "exporter/sources.h"
#include "exporter/toolchain.h"
#include "kernel/parallel_loops.h"
#include "lower/lower.h"
#include "support/error.h"
#include "templates/registry.h"

namespace nestwright {
namespace {

namespace fs = std::filesystem;

class Directory {
 public:
  explicit Directory(const std::string& path) : path_(path) {
    if (path.empty()) throw UsageError("no directory was named for the exported library");
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) throw UsageError(fmt::format("cannot make directory '{}': {}", path, error.message()));
  }

  void write(const std::string& file, const std::string& content) {
    std::ofstream out(path_ / file, std::ios::binary);
    out << content;
    out.close();
    if (!out) {
      throw UsageError(fmt::format("cannot write '{}': check permissions and free space", (path_ / file).string()));
    }
    files_.push_back(file);
  }

  /// For a file that somebody else writes.
  std::string add(const std::string& file) {
    files_.push_back(file);
    return path(file);
  }
  std::string path(const std::string& file) const { return (path_ / file).string(); }
  std::vector<std::string> files() && { return std::move(files_); }

 private:
  fs::path path_;
  std::vector<std::string> files_;
};

/// A file that is gone when this is.
class ScratchFile {
 public:
  explicit ScratchFile(std::string path) : path_(std::move(path)) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

ExportResult export_kernel(const Task& task, const Lookup& found, const ExportOptions& options) {
  const std::string name = options.name.empty() ? default_function_name(task.workload) : options.name;
  check_function_name(name);
  // The operator's own expression: a template's may be of words and conversions, which no plain loop shows.
  const Definition definition = find_operator(task.workload.op).define(task.workload);
  for (const Tensor& tensor : definition.args) {
    if (tensor.name() != name) continue;
    throw UsageError(fmt::format("'{0}' is a tensor of {1}: choose another name, as my_{0}", name, task.workload.op));
  }
  const Toolchain tools = Toolchain::find();
  Directory out(options.directory);

  const Instance instance = instantiate(*found.source, task.workload, task.target, found.config);
  const ir::Program loops = lower(instance.schedule, instance.definition.args, task.target, name + "_kernel");
  if (!loops.symbols.empty()) {
    throw UsageError(
        fmt::format("{} has the symbolic extent or stride {}: only kernels of constant shapes are exported", name,
                    loops.symbols[0].name()));
  }
  const ir::Program program = expand(loops, task.target);
  const CompiledObject object =
      make_backend(task.target.device)
          ->compile(program, task.target, {.pipeline = Pipeline::kFinal, .keep_ir = true, .keep_assembly = true});
  const Exported exported{name, &task, &found, &definition, &object, has_parallel_loop(program), &program};

  out.write(name + ".h", header_source(exported));
  out.write(name + ".c", launcher_source(exported));
  out.write(name + "_kernel.o", object.object);
  out.write(name + "_kernel.ll", object.ir);
  out.write(name + "_kernel.s", object.assembly);
  out.write(name + "_selftest.c", self_test_source(exported));
  out.write("manifest.json", manifest_json(exported));
  out.write(name + "Config.cmake", cmake_config(exported));

  const ScratchFile launcher(out.path(name + "_launcher.o"));
  const std::vector<std::string> objects{launcher.path(), out.path(name + "_kernel.o")};
  tools.compile(out.path(name + ".c"), launcher.path());
  tools.archive(objects, out.add("lib" + name + ".a"));
  tools.link_shared(objects, out.add("lib" + name + ".so"));
  return {name, name, std::move(out).files()};
}

}  // namespace nestwright
