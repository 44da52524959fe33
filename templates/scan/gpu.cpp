// The GPU template of scans: the columns are bound to blocks and threads; the time runs inside the threads, or each
// step is a launch.
//
//   blocks, threads: Y[0, j] = X[0, j]
//   blocks, threads:                                         for t in 1..steps:                       (on the host)
//     for t in 1..steps: Y[t, j] = Y[t - 1, j] o X[t, j]       blocks, threads: Y[t, j] = Y[t - 1, j] o X[t, j]
//     (Y[t - 1, j] in registers)
#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/completion.h"
#include "templates/loops/gpu_threads.h"
#include "templates/scan/scan.h"

namespace nestwright {
namespace {

Schedule schedule_scan(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const std::int64_t columns = workload.size("columns");
  const ScanTensors scan = make_scan(workload.choice("function"), definition.args[0]);
  const std::vector<std::string> times{"threads", "launches"};
  const std::string time =
      t.choose("time", scan.init.defined() ? times : std::vector<std::string>(times.begin(), times.begin() + 1));
  const ElementTile tile = define_elements(t, columns, columns, workload.type("dtype"), target);
  definition.args[1] = scan.y;
  Schedule s = create_schedule(scan.y);
  bind_scan(s, scan, tile, time == "threads");
  return s;
}

std::vector<Config> scan_seeds(const Workload& workload, const Target& target) {
  // Only the columns are distributed over threads.
  std::vector<Config> seeds =
      seed_product({{"time", {"threads"}}, {"threads", {64, 128, 256}}, {"lanes", {1, 4}}, {"items", {1}}});
  append(seeds, seed_rows({"time", "threads", "lanes", "items"}, {{"launches", 256, 4, 1}}));
  return complete_seeds(scan_gpu_template(), workload, target, seeds);
}

}  // namespace

void bind_scan(Schedule& s, const ScanTensors& scan, const ElementTile& tile, bool in_threads) {
  if (!scan.init.defined()) {
    bind_elements(s[scan.y], s[scan.y].loops(), tile);
    return;
  }
  for (const Tensor& part : {scan.init, scan.update}) bind_elements(s[part], {s[part].axis(1)}, tile);
  if (in_threads) s[scan.y].pragma(s[scan.y].axis(0), "in_threads", 1);
}

Template scan_gpu_template() { return {"scan.gpu", 1, gpus(), schedule_scan, scan_seeds}; }

}  // namespace nestwright
