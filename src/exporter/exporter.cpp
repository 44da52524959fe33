#include "exporter/exporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "exporter/sources.h"
#include "exporter/toolchain.h"
#include "ir/rewrite.h"
#include "lower/lower.h"
#include "support/error.h"

namespace nestwright {
namespace {

namespace fs = std::filesystem;

bool is_identifier(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// matmul_m512_n512_k512_ta0_tb1_float32.
std::string default_name(const Workload& workload) {
  std::string name = workload.op;
  for (const auto& [key, value] : workload.parameters) name += "_" + (key == "dtype" ? "" : key) + value;
  return name;
}

bool has_parallel_loop(const ir::Program& program) {
  bool found = false;
  for (const ir::Kernel& kernel : program.kernels) {
    ir::for_each_stmt(kernel.body, [&](const ir::Stmt& s) {
      const auto* loop = s.as<ir::For>();
      found = found || (loop != nullptr && loop->kind == ir::LoopKind::kParallel);
    });
  }
  return found;
}

class Directory {
 public:
  explicit Directory(fs::path path) : path_(std::move(path)) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) throw UsageError(fmt::format("cannot make directory '{}': {}", path_.string(), error.message()));
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

  void note(const std::string& file) { files_.push_back(file); }
  std::string path(const std::string& file) const { return (path_ / file).string(); }
  std::vector<std::string> files() && { return std::move(files_); }

 private:
  fs::path path_;
  std::vector<std::string> files_;
};

}  // namespace

ExportResult export_kernel(const Task& task, const Lookup& found, const ExportOptions& options) {
  const std::string name = options.name.empty() ? default_name(task.workload) : options.name;
  if (!is_identifier(name)) {
    throw UsageError(fmt::format("'{}' cannot be the name of a C function: use letters, digits and _", name));
  }
  const Toolchain tools = Toolchain::find();

  const Instance instance = instantiate(*found.source, task.workload, task.target, found.config);
  const ir::Program loops = lower(instance.schedule, instance.definition.args, task.target, name + "_kernel");
  const ir::Program program = expand(loops, task.target);
  const CompiledObject object = make_backend(task.target.device)
                                    ->compile(program, task.target,
                                              {.pipeline = Pipeline::kFinal, .keep_ir = true, .keep_assembly = true});
  const Exported exported{name, &task, &found, &instance.definition, &object, has_parallel_loop(program)};

  Directory out(options.directory);
  out.write(name + ".h", header_source(exported));
  out.write(name + ".c", launcher_source(exported));
  out.write(name + "_kernel.o", object.object);
  out.write(name + "_kernel.ll", object.ir);
  out.write(name + "_kernel.s", object.assembly);
  out.write(name + "_selftest.c", self_test_source(exported));
  out.write("manifest.json", manifest_json(exported));
  out.write(name + "Config.cmake", cmake_config(exported));

  const std::string launcher = out.path(name + "_launcher.o"), kernel = out.path(name + "_kernel.o");
  tools.compile(out.path(name + ".c"), launcher);
  tools.archive({launcher, kernel}, out.path("lib" + name + ".a"));
  tools.link_shared({launcher, kernel}, out.path("lib" + name + ".so"));
  fs::remove(launcher);
  out.note("lib" + name + ".a");
  out.note("lib" + name + ".so");
  return {name, name, std::move(out).files()};
}

}  // namespace nestwright
