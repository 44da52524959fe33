#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/output/record_output.h"
#include "codegen/backend.h"
#include "exporter/package/toolchain.h"
#include "measure/process/confinement.h"
#include "measure/process/worker_process.h"
#include "nestwright/device.h"
#include "nestwright/error.h"
#include "runtime/device_bandwidth.h"
#include "runtime/start_cost.h"
#include "target/description/machine.h"
#include "target/measured/peak.h"
#include "target/measured/quietness.h"

namespace nestwright::cli {
namespace {

std::string or_missing(const std::function<std::string()>& ask) {
  try {
    return ask();
  } catch (const Error& e) {
    return std::string("missing: ") + e.what();
  }
}

/// Measures the GB/s that one thread reads from a working set in each cache and from one in memory.
Json bandwidths(const Target& target) {
  return {{"l1_read", measure_read_bandwidth(target.l1d_bytes / 2)},
          {"l2_read", measure_read_bandwidth(target.l2_bytes / 2)},
          {"l3_read", measure_read_bandwidth(target.l3_bytes / 4)},
          {"memory_read", measure_read_bandwidth(std::int64_t{256} << 20)},
          {"memory_copy", measure_copy_bandwidth(std::int64_t{256} << 20)}};
}

/// Shares of the time, and the disturbance in words, which is empty on a quiet machine.
Json quietness() {
  const Quietness found = measure_quietness();
  return {{"seconds", found.seconds},          {"fma_spread", found.fma_spread}, {"shared_share", found.shared_share},
          {"walk_spread", found.walk_spread},  {"wait_share", found.wait_share}, {"steal_share", found.steal_share},
          {"disturbance", found.disturbance()}};
}

/// Measures the microseconds that a parallel loop over all threads costs, by pool.
Json start_costs(int threads) {
  Json costs = Json::object();
  if (threads == 1) return costs;
  for (const PoolKind kind : {PoolKind::kSpin, PoolKind::kTbb}) {
    const StartCost cost = measure_start_cost(kind, threads);
    costs[pool_name(kind)] = {{"hot", cost.hot_ns * 1e-3}, {"idle", cost.idle_ns * 1e-3}};
  }
  return costs;
}

/// Measures GB/s; null if the device is listed but cannot be used.
Json copy_bandwidth(const DeviceInfo& info) {
  try {
    return measure_copy_bandwidth(*make_device(info.kind, info.index));
  } catch (const DeviceError&) {
    return nullptr;
  }
}

/// For each kind, the list of devices, or why there are none.
Json devices() {
  Json json = Json::object();
  for (const DeviceListing& listing : list_devices()) {
    Json& entry = json[listing.kind == DeviceKind::kCuda ? "cuda" : "opencl"];
    if (listing.devices.empty()) {
      entry = "missing: " + listing.missing;
      continue;
    }
    for (const DeviceInfo& device : listing.devices) {
      entry.push_back({{"index", device.index},
                       {"name", device.name},
                       {"driver", device.driver},
                       {"memory", device.memory_bytes},
                       {"target", device.target.str()},
                       {"copy_gb_s", copy_bandwidth(device)}});
    }
  }
  return json;
}

Json examine() {
  const Machine machine = Machine::host();
  const Target target = Target::host();
  Json json;
  json["version"] = NESTWRIGHT_VERSION;
  json["cpu"] = machine.cpu.name;
  json["cores"] = machine.cores;
  json["features"] = machine.features;
  json["amx"] = machine.has("amx_tile");
  json["target"] = target.str();
  json["fingerprint"] = machine.fingerprint();
  json["caches"] = {{"l1d", target.l1d_bytes}, {"l2", target.l2_bytes}, {"l3", target.l3_bytes}};
  json["memory"] = machine.memory_bytes;
  json["kernel"] = machine.kernel;
  json["microcode"] = machine.microcode;
  json["huge_pages"] = machine.huge_pages;
  json["quietness"] = quietness();
  json["peak_gflops"] = {{"float32_1_thread", measure_fma_peak(1)},
                         {"float32_all_threads", measure_fma_peak(target.threads)}};
  json["bandwidth_gb_s"] = bandwidths(target);
  json["parallel_start_us"] = start_costs(target.threads);
  json["backends"] = {{"cpu", or_missing([] { return backend_version(DeviceKind::kCpu); })},
                      {"cuda", or_missing([] { return backend_version(DeviceKind::kCuda); })},
                      {"opencl", or_missing([] { return backend_version(DeviceKind::kOpenCl); })}};
  json["devices"] = devices();
  json["toolchain"] = or_missing([] { return Toolchain::find(), std::string("cc and ar found"); });
  for (const Protection& each : protections()) json["isolation"][each.of] = each.by;
  json["worker"] = or_missing([] { return worker_path(); });
  return json;
}

void print_text(const Json& j) {
  const auto text = [&](const char* key) { return j[key].text(); };
  fmt::print("nestwright  {}\n", text("version"));
  fmt::print("cpu         {}, {} cores, AMX {}\n", text("cpu"), j["cores"].integer(), j["amx"].truth() ? "yes" : "no");
  fmt::print("features    {}\n", fmt::join(j["features"].texts(), " "));
  fmt::print("target      {}\n", text("target"));
  const auto& caches = j["caches"];
  fmt::print("caches      L1d {} KiB, L2 {} KiB a core, L3 {} KiB; memory {} MiB\n", caches["l1d"].integer() >> 10,
             caches["l2"].integer() >> 10, caches["l3"].integer() >> 10, j["memory"].integer() >> 20);
  fmt::print("system      {}, microcode {}, huge pages {}\n", text("kernel"), text("microcode"), text("huge_pages"));
  const Json& quiet = j["quietness"];
  const auto percent = [&](const char* key) { return 100 * quiet[key].number(); };
  const auto disturbance = quiet["disturbance"].text();
  fmt::print(
      "quiet       FMA loop {:.1f}%, memory walk {:.1f}% (p10 to p90), core shared {:.1f}%, run-queue wait {:.2f}%, "
      "steal {:.1f}% over {:.0f} s: {}\n",
      percent("fma_spread"), percent("walk_spread"), percent("shared_share"), percent("wait_share"),
      percent("steal_share"), quiet["seconds"].number(), disturbance.empty() ? "quiet" : "disturbed, " + disturbance);
  fmt::print("peak        {:.1f} GFLOP/s float32 on one thread, {:.1f} on all (measured)\n",
             j["peak_gflops"]["float32_1_thread"].number(), j["peak_gflops"]["float32_all_threads"].number());
  const auto& bandwidth = j["bandwidth_gb_s"];
  fmt::print(
      "bandwidth   read L1 {:.0f}, L2 {:.0f}, L3 {:.0f}, memory {:.1f} GB/s; copy {:.1f} GB/s (one thread, measured)\n",
      bandwidth["l1_read"].number(), bandwidth["l2_read"].number(), bandwidth["l3_read"].number(),
      bandwidth["memory_read"].number(), bandwidth["memory_copy"].number());
  for (const std::string& pool : j["parallel_start_us"].names()) {
    const Json& cost = j["parallel_start_us"][pool];
    fmt::print("parallel    {}: a loop on all threads costs {:.1f} us, {:.1f} us after 2 ms without one (measured)\n",
               pool, cost["hot"].number(), cost["idle"].number());
  }
  for (const std::string& name : j["backends"].names()) {
    fmt::print("backend     {}: {}\n", name, j["backends"][name].text());
  }
  for (const std::string& kind : j["devices"].names()) {
    const Json& found = j["devices"][kind];
    if (found.is_text()) {
      fmt::print("device      {}: {}\n", kind, found.text());
      continue;
    }
    for (const Json& device : found.entries()) {
      const Json& copy = device["copy_gb_s"];
      fmt::print("device      {} {}: {}, {}, {} MiB, {}\n            target {}\n", kind, device["index"].integer(),
                 device["name"].text(), device["driver"].text(), device["memory"].integer() >> 20,
                 copy.is_null() ? "cannot be used" : fmt::format("copy {:.1f} GB/s (measured)", copy.number()),
                 device["target"].text());
    }
  }
  fmt::print("toolchain   {} (for export)\n", text("toolchain"));
  fmt::print("worker      {}\n", text("worker"));
  std::vector<std::string> guards;
  for (const std::string& of : j["isolation"].names())
    guards.push_back(fmt::format("{} by {}", of, j["isolation"][of].text()));
  fmt::print("isolation   {}\n", fmt::join(guards, ", "));
}

}  // namespace

void add_doctor(CommandLine& line, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  Command command =
      line.add_command("doctor", "report the hardware, software and devices of this machine, and what is missing");
  add_json(command, *options);
  command.on_chosen([options, &action] {
    action = [options] {
      const Json found = examine();
      if (options->json) {
        print_json(found);
      } else {
        print_text(found);
      }
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace nestwright::cli
