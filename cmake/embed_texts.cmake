# cmake -D NAMES=<name|name...> -D INPUTS=<file|file...> -D HEADER=<header> -D FUNCTION=<function> -D OUTPUT=<source file>
#       -P embed_texts.cmake
# Writes the source of the function that the header declares, std::string_view function(std::string_view name), which returns the text
# of a file by its name.
string(REPLACE "|" ";" names "${NAMES}")
string(REPLACE "|" ";" inputs "${INPUTS}")
string(REGEX REPLACE "::[^:]*$" "" namespace "${FUNCTION}")
string(REGEX REPLACE "^.*::" "" function "${FUNCTION}")
set(entries "")
foreach(name input IN ZIP_LISTS names inputs)
  file(READ ${input} text)
  string(APPEND entries "    {\"${name}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

#include <algorithm>
#include <iterator>
#include <utility>

#include \"nestwright/error.h\"\n
namespace ${namespace} {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
${entries}};

}  // namespace

std::string_view ${function}(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kTexts), std::end(kTexts), [&](const auto& t) { return t.first == name; });
  check(found != std::end(kTexts), \"there is no such embedded text\");
  return found->second;
}

}  // namespace ${namespace}\n")
