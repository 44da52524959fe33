// Shows whether a change preserves generated code. `--write` chooses thousands of configurations and writes a line for
// each, with a hash of its machine code or, for devices, its source. `--compare` compiles the configurations in such a
// file, made by an earlier commit, again and prints the differences.
#include <tbb/parallel_for.h>
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "bench/support/suite.h"
#include "codegen/backend.h"
#include "codegen/cuda/cuda_dialect.h"
#include "codegen/opencl/opencl_dialect.h"
#include "codegen/source/device_object.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/registry.h"
#include "support/data/hash.h"
#include "templates/framework/space/discover.h"

namespace nestwright::bench {
namespace {

/// Targets that specify everything that depends on a machine, so that files of different machines are comparable.
constexpr const char* kTargets[] = {
    "cpu,isa=x86-64,threads=2,l1d=32768,l2=1048576,l3=33554432,llvm_cpu=generic",
    "cpu,isa=avx2,threads=1,l1d=32768,l2=262144,l3=33554432,llvm_cpu=haswell",
    "cpu,isa=avx512,threads=1,l1d=32768,l2=1048576,l3=33554432,llvm_cpu=skylake-avx512",
    "cpu,isa=avx512,threads=2,l1d=32768,l2=65536,l3=33554432,llvm_cpu=znver4",
    "cpu,isa=avx512,threads=2,l1d=49152,l2=2097152,l3=33554432,llvm_cpu=sapphirerapids",
    "cuda,arch=sm_80",
    "cuda,arch=sm_90",
    "opencl",
};

/// Types and forms that no suite contains.
const std::vector<std::string> kFurtherWorkloads = {
    "matmul m=37 n=29 k=23 dtype=float64 ta=1",
    "matmul m=131 n=140 k=70 dtype=float16",
    "matmul m=256 n=128 k=96 dtype=float16 tb=1",
    "matmul m=64 n=48 k=96 dtype=uint8",
    "matmul m=64 n=48 k=96 dtype=int8 ta=1",
    "matmul m=120 n=96 k=64 precision=tf32",
    "matmul m=48 n=96 k=64 prepared=b",
    "matmul m=1 n=96 k=700 tb=1",
    "matmul m=13 n=12 k=20 batch=3 alpha=2 beta=0.5 epilogue=bias_residual_relu",
    "elementwise function=tanh shape=5x7x64",
    "reduce function=max shape=5x6x7x33 axes=1,3 dtype=float64",
    "transpose rows=19 columns=2 dtype=float64",
    "conv2d n=2 c=8 h=6 w=7 k=16 r=3 s=2 stride=2 layout=NHWC epilogue=bias_relu dtype=float16",
    "depthwise_conv2d n=1 c=3 h=9 w=8 multiplier=2 r=3 s=2 stride=2 pad=1 dtype=int8",
    "scan function=max steps=7 columns=37 dtype=float64",
};

struct Options {
  std::string write, compare;
  std::vector<std::string> suites;
  std::string suites_folder;
  int samples = 2;
};

struct Line {
  std::string fingerprint;  ///< of the code, or the reason why there is none
  const Template* source = nullptr;
  Task task;
  std::string config;

  std::string key() const {
    return fmt::format("{}\t{}\t{}\t{}", source->name, task.target.str(), task.workload.str(), config);
  }
};

CompiledObject compiled(const ir::Program& program, const Target& target) {
  switch (target.device) {
    case DeviceKind::kCpu:
      return compile_program(program, target, {.pipeline = Pipeline::kSearch});
    case DeviceKind::kCuda:
      return codegen::device_object(program, codegen::CudaDialect());
    case DeviceKind::kOpenCl:
      return codegen::device_object(program, codegen::OpenClDialect());
  }
  throw InternalError("a device of no known kind");
}

std::string fingerprint(const Line& line) {
  try {
    const Target& target = line.task.target;
    const ConfigSpace space = discover_branch(*line.source, line.task.workload, target, Config::parse(line.config));
    const Config config = space.resolve(Config::parse(line.config));
    if (const std::string reason = space.why_invalid(config); !reason.empty()) return "invalid: " + reason;
    const Instance instance = instantiate(*line.source, line.task.workload, target, config);
    const ir::Program loops = lower(instance.schedule, instance.definition.args, target, line.task.workload.op->name);
    const CompiledObject object = compiled(expand(loops, target), target);
    return object.code_fingerprint.empty() ? fmt::format("{:016x}", stable_hash(object.source))
                                           : object.code_fingerprint;
  } catch (const Error& e) {
    return fmt::format("refused: {}", e.what());
  }
}

void add_fingerprints(std::vector<Line>& lines) {
  tbb::parallel_for(std::size_t{0}, lines.size(), [&](std::size_t i) { lines[i].fingerprint = fingerprint(lines[i]); });
}

/// The default and a few random configurations of each template for the task.
std::vector<Line> choose(const Task& task, int samples) {
  std::vector<const Template*> serving;
  try {
    serving = templates_for(task.workload, task.target);
  } catch (const UsageError&) {
    return {};  // no template serves it
  }
  std::vector<Line> lines;
  for (const Template* source : serving) {
    const ConfigSpace space = discover_space(*source, task.workload, task.target);
    std::set<std::string> configs;
    for (const Config& seed : source->seeds(task.workload, task.target)) {
      if (!space.is_valid(seed)) continue;
      configs.insert(seed.str());
      break;
    }
    std::mt19937_64 random(stable_hash(source->name + task.target.str() + task.workload.str()));
    for (int i = 0; i < samples; ++i) {
      if (const auto config = space.sample(random)) configs.insert(config->str());
    }
    for (const std::string& config : configs) lines.push_back({{}, source, task, config});
  }
  return lines;
}

std::vector<Line> choose_all(const Options& options) {
  const std::vector<std::string> names = options.suites.empty() ? suite_names(options.suites_folder) : options.suites;
  const std::vector<Suite> suites = load_suites(names, kFurtherWorkloads, options.suites_folder);
  std::map<std::string, Workload> workloads;
  for (const Suite& suite : suites) {
    for (const SuiteEntry& entry : suite.entries) {
      if (entry.workload) workloads.emplace(entry.text, *entry.workload);
    }
  }
  std::vector<Task> tasks;
  for (const auto& [text, workload] : workloads) {
    for (const char* target : kTargets) tasks.push_back({workload, Target::parse(target)});
  }
  std::vector<std::vector<Line>> chosen(tasks.size());
  tbb::parallel_for(std::size_t{0}, tasks.size(),
                    [&](std::size_t i) { chosen[i] = choose(tasks[i], options.samples); });
  std::vector<Line> lines;
  for (std::vector<Line>& of_task : chosen) {
    std::move(of_task.begin(), of_task.end(), std::back_inserter(lines));
  }
  return lines;
}

void write(const Options& options) {
  std::vector<Line> lines = choose_all(options);
  add_fingerprints(lines);
  std::ofstream file(options.write);
  for (const Line& line : lines) file << line.key() << '\t' << line.fingerprint << '\n';
  if (!file.flush()) throw Error(fmt::format("{} cannot be written", options.write));
  fmt::print("{} configurations written\n", lines.size());
}

std::vector<Line> read(const std::string& name) {
  std::ifstream file(name);
  if (!file) throw UsageError(fmt::format("{} cannot be read", name));
  std::vector<Line> lines;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    std::vector<std::string> fields;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\t', begin), text.size());
      fields.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    const Template* source = fields.size() == 5 ? builtin_registry().find_template(fields[0]) : nullptr;
    if (source == nullptr) {
      throw UsageError(
          fmt::format("{}:{}: expected template, target, workload, configuration and fingerprint, with "
                      "tabs between them, of a template that there is",
                      name, number));
    }
    lines.push_back({fields[4], source, {parse_workload(fields[2]), Target::parse(fields[1])}, fields[3]});
  }
  if (lines.empty()) throw UsageError(fmt::format("{} is empty", name));
  return lines;
}

/// Returns the number of configurations whose code differs.
int compare(const Options& options) {
  const std::vector<Line> before = read(options.compare);
  std::vector<Line> now = before;
  add_fingerprints(now);
  int changed = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].fingerprint == before[i].fingerprint) continue;
    ++changed;
    fmt::print("{}\n  was {}\n  is  {}\n", now[i].key(), before[i].fingerprint, now[i].fingerprint);
  }
  fmt::print("{} of {} configurations changed\n", changed, now.size());
  return changed;
}

}  // namespace
}  // namespace nestwright::bench

int main(int argc, char** argv) {
  using namespace nestwright;
  bench::Options options;
  CLI::App app("Fingerprints of the code of many configurations, over all templates and types.", "bench/fingerprints");
  CLI::Option* write = app.add_option("--write", options.write, "file to be made")->type_name("FILE");
  app.add_option("--compare", options.compare, "file that an earlier commit made; exit code 1 where code differs")
      ->type_name("FILE")
      ->excludes(write);
  app.add_option("--samples", options.samples, "random configurations of each workload, target and template")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app.add_option("--suites-folder", options.suites_folder)->type_name("FOLDER")->required()->group("");
  app.add_option("suites", options.suites, "suites that the workloads are taken from (default: all)");
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.write.empty() && options.compare.empty()) throw UsageError("give --write FILE or --compare FILE");
    if (!options.compare.empty()) return bench::compare(options) == 0 ? 0 : 1;
    bench::write(options);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench/fingerprints: %s\n", e.what());
    return 2;
  }
}
