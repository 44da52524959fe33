// Compares what libnestwright.so exports with what the public headers declare.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace nestwright {
namespace {

using ::testing::IsEmpty;

/// The most symbols that the library may export. Raise it with the public headers.
constexpr std::size_t kMaxSymbols = 700;

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  std::array<char, 4096> part{};
  while (const std::size_t read = fread(part.data(), 1, part.size(), pipe.get())) output.append(part.data(), read);
  return output;
}

struct Symbol {
  std::string name;      ///< demangled: "nestwright::sum(nestwright::ir::Expr, ...)"
  bool is_weak = false;  ///< an instance of a template, an inline function, or the type information of a class
};

std::vector<Symbol> exported_symbols() {
  std::istringstream lines(output_of("nm --dynamic --defined-only --demangle --format=posix " NESTWRIGHT_LIBRARY));
  std::vector<Symbol> symbols;
  // "nestwright::sum(...) T 1234 56"
  static const std::regex symbol("(.*) ([A-Za-z]) [0-9a-f]+( [0-9a-f]+)?");
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, symbol)) symbols.push_back({match[1], match[2] != "T"});
  }
  return symbols;
}

/// Every identifier in the public headers.
std::set<std::string> declared_names() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(NESTWRIGHT_SOURCE_DIR "/include/nestwright")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    static const std::regex identifier("[A-Za-z_][A-Za-z_0-9]*");
    const std::string content = text.str();
    for (std::sregex_iterator word(content.begin(), content.end(), identifier), end; word != end; ++word) {
      names.insert(word->str());
    }
  }
  return names;
}

/// "nestwright::verify" of "nestwright::verify[abi:cxx11](nestwright::ir::Program const&)"; of a conversion, the class.
std::string qualified_name(const std::string& symbol) {
  const std::string name = std::regex_replace(symbol, std::regex("\\[abi:[a-z0-9]+\\]"), "");
  return name.substr(0, std::min(name.find("::operator"), name.find('(')));
}

TEST(ExportedSymbols, AreDeclaredInPublicHeaders) {
  const std::vector<Symbol> symbols = exported_symbols();
  ASSERT_GE(symbols.size(), 300u) << "the library lacks its interface";
  const std::set<std::string> declared = declared_names();
  // The command line, and what tells copies of the library apart.
  const std::set<std::string> others = {"nestwright::cli::run_command_line", "nestwright_library"};
  std::vector<std::string> foreign;
  for (const Symbol& symbol : symbols) {
    const std::string name = qualified_name(symbol.name);
    if (symbol.is_weak || others.contains(name)) continue;
    std::istringstream parts(std::regex_replace(name, std::regex("::~?"), " "));
    bool is_declared = name == "nestwright" || name.starts_with("nestwright::");  // the former: an operator
    for (std::string part; parts >> part;) is_declared = is_declared && declared.contains(part);
    if (!is_declared) foreign.push_back(symbol.name);
  }
  EXPECT_THAT(foreign, IsEmpty());
}

TEST(ExportedSymbols, AreFew) {
  const std::size_t count = exported_symbols().size();
  RecordProperty("symbols", static_cast<int>(count));
  EXPECT_LE(count, kMaxSymbols);
}

}  // namespace
}  // namespace nestwright
