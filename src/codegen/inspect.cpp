#include "codegen/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

namespace nestwright {
namespace {

struct Instruction {
  std::string mnemonic, operands;
};

struct Function {
  std::string name;
  std::vector<Instruction> code;
  std::map<std::string, std::size_t> labels;  ///< index of the instruction that follows
};

struct Loop {
  std::string label;
  std::size_t first, last;  ///< instructions, both included; the last jumps to the first
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_jump(const Instruction& i) { return i.mnemonic[0] == 'j'; }

std::vector<Function> parse(const std::string& assembly) {
  std::vector<Function> functions;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    if (const auto comment = line.find('#'); comment != std::string::npos) line.resize(comment);
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    line = line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
    if (line.back() == ':') {
      std::string label = line.substr(0, line.size() - 1);
      if (label.rfind(".L", 0) != 0) {
        functions.push_back({std::move(label), {}, {}});
      } else if (!functions.empty()) {
        functions.back().labels[std::move(label)] = functions.back().code.size();
      }
      continue;
    }
    if (line[0] == '.' || functions.empty()) continue;
    const auto space = line.find_first_of(" \t");
    Instruction instruction{line.substr(0, space), ""};
    if (space != std::string::npos) instruction.operands = line.substr(line.find_first_not_of(" \t", space));
    functions.back().code.push_back(std::move(instruction));
  }
  return functions;
}

std::vector<Loop> innermost_loops(const Function& function) {
  std::vector<Loop> loops;
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    if (!is_jump(function.code[i])) continue;
    const auto label = function.labels.find(function.code[i].operands);
    if (label != function.labels.end() && label->second <= i) loops.push_back({label->first, label->second, i});
  }
  std::vector<Loop> innermost;
  for (const Loop& loop : loops) {
    const bool has_inner = std::any_of(loops.begin(), loops.end(), [&](const Loop& other) {
      const bool same = other.first == loop.first && other.last == loop.last;
      return !same && other.first >= loop.first && other.last <= loop.last;
    });
    if (!has_inner) innermost.push_back(loop);
  }
  return innermost;
}

}  // namespace

std::vector<std::string> innermost_loop_problems(const std::string& assembly) {
  std::vector<std::string> problems;
  for (const Function& function : parse(assembly)) {
    // rbp holds anything unless the prologue makes it the frame's pointer.
    const bool has_frame_pointer =
        std::any_of(function.code.begin(), function.code.end(), [](const Instruction& instruction) {
          return instruction.mnemonic == "movq" && instruction.operands == "%rsp, %rbp";
        });
    for (const Loop& loop : innermost_loops(function)) {
      int spills = 0, jumps = 0, calls = 0;
      for (std::size_t i = loop.first; i <= loop.last; ++i) {
        const Instruction& instruction = function.code[i];
        const std::string_view operands = instruction.operands;
        const bool on_stack = contains(operands, "(%rsp") || (has_frame_pointer && contains(operands, "(%rbp"));
        const bool on_vectors = contains(operands, "%xmm") || contains(operands, "%ymm") || contains(operands, "%zmm");
        if (on_stack && on_vectors) ++spills;
        if (is_jump(instruction) && i != loop.last) ++jumps;
        if (instruction.mnemonic.rfind("call", 0) == 0) ++calls;
      }
      const auto report = [&](int count, std::string_view what) {
        if (count > 0) problems.push_back(fmt::format("{}, loop {}: {} {}", function.name, loop.label, count, what));
      };
      report(spills, "accesses to vectors on the stack");
      report(jumps, "jumps besides the latch");
      report(calls, "calls");
    }
  }
  return problems;
}

}  // namespace nestwright
