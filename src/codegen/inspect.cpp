#include "codegen/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
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
  std::map<std::string, std::size_t> labels;  ///< index of the next instruction
};

/// A basic block.
struct Block {
  std::string label;
  std::size_t begin, end;  ///< instructions, `end` excluded
  std::vector<std::size_t> next, previous;
};

/// A natural loop: the blocks from which a back edge to `header` can be reached without passing it, `header` included.
struct Loop {
  std::size_t header;
  std::set<std::size_t> blocks;
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_jump(const Instruction& i) { return i.mnemonic[0] == 'j'; }
bool is_return(const Instruction& i) { return i.mnemonic.rfind("ret", 0) == 0 || i.mnemonic == "ud2"; }

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

bool ends_path(const Instruction& i) { return i.mnemonic == "jmp" || i.mnemonic == "jmpq" || is_return(i); }

std::vector<Block> blocks_of(const Function& function) {
  std::map<std::size_t, std::string> starts{{0, function.name}};
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    if (is_jump(function.code[i]) || is_return(function.code[i])) starts.try_emplace(i + 1);
  }
  for (const auto& [label, at] : function.labels) starts[at] = label;
  starts.erase(function.code.size());
  std::vector<Block> blocks;
  std::map<std::size_t, std::size_t> block_at;
  for (const auto& [at, label] : starts) {
    if (!blocks.empty()) blocks.back().end = at;
    block_at[at] = blocks.size();
    blocks.push_back({label, at, function.code.size(), {}, {}});
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].begin == blocks[b].end) continue;
    const Instruction& last = function.code[blocks[b].end - 1];
    if (!ends_path(last) && b + 1 < blocks.size()) blocks[b].next.push_back(b + 1);
    if (!is_jump(last)) continue;
    const auto target = function.labels.find(last.operands);
    if (target == function.labels.end() || !block_at.count(target->second)) continue;
    blocks[b].next.push_back(block_at[target->second]);
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (const std::size_t next : blocks[b].next) blocks[next].previous.push_back(b);
  }
  return blocks;
}

/// The dominators of each block, by iteration to a fixed point.
std::vector<std::set<std::size_t>> dominators_of(const std::vector<Block>& blocks) {
  std::set<std::size_t> all;
  for (std::size_t b = 0; b < blocks.size(); ++b) all.insert(b);
  std::vector<std::set<std::size_t>> dominators(blocks.size(), all);
  if (!blocks.empty()) dominators[0] = {0};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 1; b < blocks.size(); ++b) {
      std::set<std::size_t> common = blocks[b].previous.empty() ? std::set<std::size_t>{} : all;
      for (const std::size_t previous : blocks[b].previous)
        std::erase_if(common, [&](std::size_t d) { return !dominators[previous].count(d); });
      common.insert(b);
      if (common == dominators[b]) continue;
      dominators[b] = std::move(common);
      changed = true;
    }
  }
  return dominators;
}

std::vector<Loop> innermost_loops(const std::vector<Block>& blocks) {
  const std::vector<std::set<std::size_t>> dominators = dominators_of(blocks);
  std::vector<Loop> loops;
  for (std::size_t latch = 0; latch < blocks.size(); ++latch) {
    for (const std::size_t header : blocks[latch].next) {
      if (!dominators[latch].count(header)) continue;
      Loop loop{header, {header}};
      std::vector<std::size_t> open{latch};
      while (!open.empty()) {
        const std::size_t block = open.back();
        open.pop_back();
        if (!loop.blocks.insert(block).second) continue;
        open.insert(open.end(), blocks[block].previous.begin(), blocks[block].previous.end());
      }
      loops.push_back(std::move(loop));
    }
  }
  std::vector<Loop> innermost;
  for (const Loop& loop : loops) {
    const bool has_inner = std::any_of(loops.begin(), loops.end(), [&](const Loop& other) {
      return other.blocks.size() < loop.blocks.size() &&
             std::includes(loop.blocks.begin(), loop.blocks.end(), other.blocks.begin(), other.blocks.end());
    });
    if (!has_inner) innermost.push_back(loop);
  }
  return innermost;
}

bool is_on_vectors(const Instruction& instruction) {
  const std::string_view operands = instruction.operands;
  return contains(operands, "%xmm") || contains(operands, "%ymm") || contains(operands, "%zmm");
}

/// The instructions of a loop that are problems.
struct LoopCounts {
  int spills = 0, jumps = -1, calls = 0;  ///< one jump is the latch
};

LoopCounts count(const Function& function, const std::vector<Block>& blocks, const Loop& loop, bool has_frame_pointer) {
  LoopCounts counts;
  for (const std::size_t block : loop.blocks) {
    for (std::size_t i = blocks[block].begin; i < blocks[block].end; ++i) {
      const Instruction& instruction = function.code[i];
      const std::string_view operands = instruction.operands;
      const bool on_stack = contains(operands, "(%rsp") || (has_frame_pointer && contains(operands, "(%rbp"));
      if (on_stack && is_on_vectors(instruction)) ++counts.spills;
      if (is_jump(instruction)) ++counts.jumps;
      const bool starts_threads = operands.substr(0, 1) == "*";  // a parallel loop, through the caller's launcher
      if (instruction.mnemonic.rfind("call", 0) == 0 && !starts_threads) ++counts.calls;
    }
  }
  return counts;
}

}  // namespace

std::vector<std::string> innermost_loop_problems(const std::string& assembly) {
  std::vector<std::string> problems;
  for (const Function& function : parse(assembly)) {
    // rbp is a general register unless the prologue makes it the frame pointer.
    const bool has_frame_pointer =
        std::any_of(function.code.begin(), function.code.end(), [](const Instruction& instruction) {
          return instruction.mnemonic == "movq" && instruction.operands == "%rsp, %rbp";
        });
    const std::vector<Block> blocks = blocks_of(function);
    for (const Loop& loop : innermost_loops(blocks)) {
      const LoopCounts counts = count(function, blocks, loop, has_frame_pointer);
      const auto report = [&](int count, std::string_view what) {
        if (count > 0)
          problems.push_back(fmt::format("{}, loop {}: {} {}", function.name, blocks[loop.header].label, count, what));
      };
      report(counts.spills, "accesses to vectors on the stack");
      report(counts.jumps, "jumps besides the latch");
      report(counts.calls, "calls");
    }
  }
  return problems;
}

std::string vector_loop(const std::string& assembly) {
  std::string text;
  std::ptrdiff_t most = 0;
  for (const Function& function : parse(assembly)) {
    const std::vector<Block> blocks = blocks_of(function);
    for (const Loop& loop : innermost_loops(blocks)) {
      std::ptrdiff_t vectors = 0;
      std::string lines = fmt::format("{}, {}:\n", function.name, blocks[loop.header].label);
      for (const std::size_t block : loop.blocks) {
        for (std::size_t i = blocks[block].begin; i < blocks[block].end; ++i) {
          vectors += is_on_vectors(function.code[i]) ? 1 : 0;
          lines += fmt::format("  {:<16} {}\n", function.code[i].mnemonic, function.code[i].operands);
        }
      }
      if (vectors <= most) continue;
      most = vectors;
      text = std::move(lines);
    }
  }
  return text;
}

}  // namespace nestwright
