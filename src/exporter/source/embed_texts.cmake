# cmake -D NAMES=<name|name...> -D INPUTS=<file|file...> -D OUTPUT=<source file> -P embed_texts.cmake
# Writes the source of embedded_text() of exporter/source/c_text.h, which returns the text of a file by its name.
string(REPLACE "|" ";" names "${NAMES}")
string(REPLACE "|" ";" inputs "${INPUTS}")
set(entries "")
foreach(name input IN ZIP_LISTS names inputs)
  file(READ ${input} text)
  string(APPEND entries "    {\"${name}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include <algorithm>
#include <iterator>
#include <utility>

#include \"exporter/source/c_text.h\"
#include \"nestwright/error.h\"\n
namespace nestwright {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
${entries}};

}  // namespace

std::string_view embedded_text(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kTexts), std::end(kTexts), [&](const auto& t) { return t.first == name; });
  check(found != std::end(kTexts), \"there is no such text of the exporter\");
  return found->second;
}

}  // namespace nestwright\n")
