# cmake -D INPUT=<file> -D OUTPUT=<source file> -D FUNCTION=<name> -P embed_text.cmake
# Writes the source of a function of exporter/source/sources.h that returns the text of INPUT.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "#include \"exporter/source/sources.h\"\n
namespace nestwright {\n
std::string ${FUNCTION}() {
  return R\"text(${text})text\";
}\n
}  // namespace nestwright\n")
