#include <fmt/format.h>

#include "exporter/self_test/self_test_calls.h"
#include "exporter/source/c_text.h"
#include "exporter/source/device_sources.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

/// `stream` is the last argument of a call; `includes` and `libraries` are those of the driver interface.
SelfTestCalls device_calls(const Exported& e, const std::string& helpers, const char* stream,
                           const std::string& includes, const char* libraries) {
  std::string before, arguments, nulls, is_wrong, releases;
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    const std::string& name = e.parameters[i];
    const std::int64_t elements = e.definition->args[i].buffer()->elements();
    nulls += "0, ";
    arguments += name + "_sent.at, ";
    releases += fmt::format("  release({}_sent);\n", name);
    is_wrong += is_wrong.empty() ? "" : " || ";
    if (static_cast<int>(i) < e.definition->inputs) {
      before += fmt::format("  const struct on_device {0}_sent = send({0}, {1} * sizeof *{0});\n", name, elements);
      is_wrong += fmt::format("!is_unchanged({0}_sent, {0})", name);
      continue;
    }
    before += fmt::format(
        "  {0}* {1}_at = memory_for({1}_span * sizeof *{1}_at);\n"
        "  const struct on_device {1}_sent = send({1}_at, {1}_span * sizeof *{1}_at);\n",
        c_type(e.definition->args[i].dtype()), name);
    is_wrong += fmt::format("!fetch({0}_sent, {0}_at)", name);
    releases += fmt::format("  free({}_at);\n", name);
  }
  return {
      .where = " three times",
      .build = fmt::format("cc -O2 {0}_selftest.c {0}.c -lm {1} -o {0}_selftest && ./{0}_selftest", e.name, libraries),
      .includes = includes,
      .helpers = helpers + "\n" + c_text("self_test/device_self_test"),
      .turn = "int turn",
      .turns = "0, 1, 2",
      .before = before,
      .call = fmt::format("{}(handle, {}{})", e.name, arguments, stream),
      .unable = "the device cannot run it",
      .after = c_text("self_test/device_written", {{"NAME", e.name}, {"IS_WRONG", is_wrong}}),
      .release = releases,
      .start = "  open_device();\n",
      .null_call = fmt::format("{}(handle, {}{})", e.name, nulls, stream),
      .nulls = "tensors",
      .end = "  close_device();\n",
  };
}

}  // namespace

SelfTestCalls cuda_self_test_calls(const Exported& e) {
  return device_calls(e, "\n" + c_text("self_test/cuda_self_test", {{"NAME", e.name}}), "0", "\n#include <cuda.h>\n",
                      "-lcuda");
}

SelfTestCalls opencl_self_test_calls(const Exported& e) {
  return device_calls(e, "\n" + c_text("self_test/opencl_self_test", {{"NAME", e.name}}), "queue", "", "-lOpenCL");
}

SelfTestCalls self_test_calls(const Exported& e) {
  switch (e.task->target.device) {
    case DeviceKind::kCpu:
      return host_self_test_calls(e);
    case DeviceKind::kCuda:
      return cuda_self_test_calls(e);
    case DeviceKind::kOpenCl:
      return opencl_self_test_calls(e);
  }
  throw InternalError("internal error: an unknown kind of device");
}

}  // namespace nestwright
