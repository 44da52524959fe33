// static_program PLUGIN: tunes one trial, by the worker of the package, and is refused the plugin, which calls the
// shared library.
#include <nestwright/nestwright.h>

#include <cstdio>

using namespace nestwright;

int main(int, char** argv) try {
  const Task task{parse_workload("matmul m=32 n=32 k=32"), Target::parse("cpu")};
  TuningLog log = TuningLog::open("static_program.db", OpenMode::kWrite);
  const SessionResult result = run_session(task, log, {.budget = {.trials = 1}, .finalists = 0, .builders = 1});
  std::printf("%d trial\n", static_cast<int>(result.trials));
  Registry registry = builtin_registry();
  try {
    load_plugin(argv[1], registry);
  } catch (const UsageError& e) {
    std::printf("refused: %s\n", e.what());
  }
} catch (const Error& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
