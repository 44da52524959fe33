#include <fmt/format.h>

#include <string_view>

#include "exporter/source/c_text.h"
#include "exporter/source/device_sources.h"

namespace nestwright {
namespace {

/// One string per line, because C compilers need not accept literals longer than 4095 characters.
std::string embedded_source(std::string_view source) {
  std::string text;
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size() - 1);
    text += "    \"";
    for (const char c : source.substr(0, end + 1)) {
      if (c == '"' || c == '\\') text += '\\';
      if (c == '\n') {
        text += "\\n";
      } else {
        text += c;
      }
    }
    text += "\",\n";
    source.remove_prefix(end + 1);
  }
  return text;
}

}  // namespace

std::string opencl_launcher_source(const Exported& e) {
  return c_text("device/opencl_launcher", {{"NAME", e.name}}) + device_tables(e) +
         fmt::format(
             "\n/* {}_kernel.cl, which the driver compiles. */\nstatic const char* const source[] = {{\n{}}};\n",
             e.name, embedded_source(e.object->source)) +
         "\n" + c_text("device/opencl_functions", {{"NAME", e.name}}) + device_function(e, "serves(handle, queue)");
}

}  // namespace nestwright
