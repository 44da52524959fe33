#include <fmt/format.h>

#include <string_view>

#include "exporter/source/c_text.h"
#include "exporter/source/device_sources.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

std::string embedded_bytes(std::string_view bytes) {
  std::string text;
  std::size_t width = 0;
  for (const char c : bytes) {
    const std::string number = fmt::format("{},", static_cast<unsigned char>(c));
    if (width + number.size() > 118) {
      text += '\n';
      width = 0;
    }
    text += number;
    width += number.size();
  }
  return text + '\n';
}

/// The architecture of the PTX, e.g. "sm_90a" for what NVIDIA calls architecture-specific features.
std::string architecture_of(const std::string& ptx) {
  constexpr std::string_view kDirective = "\n.target ";
  const std::size_t found = ptx.find(kDirective);
  if (found == std::string::npos) throw InternalError("internal error: PTX that does not say what it is for");
  const std::size_t begin = found + kDirective.size();
  return ptx.substr(begin, ptx.find_first_of(", \n", begin) - begin);
}

}  // namespace

std::string cuda_launcher_source(const Exported& e) {
  const std::string arch = architecture_of(e.object->assembly);
  return c_text("device/cuda_launcher", {{"NAME", e.name}}) + device_tables(e) +
         fmt::format(
             "\n/* {0}_kernel.cubin, for {1}, and {0}_kernel.ptx, {4}. */\n"
             "static _Alignas(16) const unsigned char cubin[] = {{\n{2}}};\n"
             "static const unsigned char ptx[] = {{\n{3}0}};\n",
             e.name, arch, embedded_bytes(e.object->object), embedded_bytes(e.object->assembly),
             arch.ends_with('a') ? "for that architecture alone, too" : "which drivers of later devices compile") +
         "\n" + c_text("device/cuda_functions", {{"NAME", e.name}}) + device_function(e, "handle != 0");
}

}  // namespace nestwright
