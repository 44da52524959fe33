#include <unistd.h>

#include "bench/figures/machine/load.h"
#include "bench/figures/report/figures.h"

namespace nestwright::bench {

void add_load(CLI::App& app, Action& action) {
  struct Asked {
    std::string kind = "core";
    LoadOptions options;
    pid_t parent = getppid();
  };
  auto asked = std::make_shared<Asked>();
  CLI::App* command = app.add_subcommand("load", "load the machine until the process that started this one is gone");
  command->add_option("kind", asked->kind, "core: computes in bursts; memory: copies blocks of 64 MiB")
      ->check(CLI::IsMember({"core", "memory"}))
      ->capture_default_str();
  command->add_option("--busy-ms", asked->options.busy_ms, "length of a burst")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--idle-ms", asked->options.idle_ms, "between two bursts")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--cpu", asked->options.cpu, "processor that it runs on (default: any)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--parent", asked->parent, "process with which it ends")->group("");
  command->callback([asked, &action] {
    action = [asked](const Publication&) { run_load(parse_loads(asked->kind).front(), asked->options, asked->parent); };
  });
}

}  // namespace nestwright::bench
