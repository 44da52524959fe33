#include "ir/interpret/race_detector.h"

#include <limits>

#include "nestwright/error.h"

namespace nestwright::ir {

RaceDetector::RaceDetector() : nodes_(kRoot + 1, Node{0, 0, 0, 0}) {}

std::uint32_t RaceDetector::open_loop(const For& loop) {
  loops_.push_back(&loop);
  return static_cast<std::uint32_t>(loops_.size() - 1);
}

Strand RaceDetector::fork(Strand parent, std::uint32_t open_loop, std::int64_t value) {
  if (nodes_.size() >= std::numeric_limits<Strand>::max())
    throw Error("the program runs too many parallel iterations to be interpreted; take a smaller shape");
  nodes_.push_back({parent, nodes_[parent].depth + 1, open_loop, value});
  return static_cast<Strand>(nodes_.size() - 1);
}

std::optional<Race> RaceDetector::concurrent(Strand a, Strand b) const {
  if (a == 0 || b == 0) return std::nullopt;
  while (nodes_[a].depth > nodes_[b].depth) a = nodes_[a].parent;
  while (nodes_[b].depth > nodes_[a].depth) b = nodes_[b].parent;
  if (a == b) return std::nullopt;
  while (nodes_[a].parent != nodes_[b].parent) {
    a = nodes_[a].parent;
    b = nodes_[b].parent;
  }
  // Under one parent, two executions of loops follow one another; iterations of one execution do not.
  if (nodes_[a].open_loop != nodes_[b].open_loop) return std::nullopt;
  return Race{loops_[nodes_[a].open_loop], nodes_[a].value, nodes_[b].value};
}

std::optional<Race> RaceDetector::read(ElementHistory& element, Strand strand) const {
  if (element.writer != strand) {
    if (auto race = concurrent(element.writer, strand)) return race;
  }
  if (element.reader == strand || element.other_reader == strand) return std::nullopt;
  if (!concurrent(element.reader, strand)) {
    element.reader = strand;
    if (!concurrent(element.other_reader, strand)) element.other_reader = 0;
  } else {
    element.other_reader = strand;
  }
  return std::nullopt;
}

std::optional<Race> RaceDetector::write(ElementHistory& element, Strand strand) const {
  for (const Strand earlier : {element.writer, element.reader, element.other_reader}) {
    if (earlier == strand) continue;
    if (auto race = concurrent(earlier, strand)) return race;
  }
  element = {strand, 0, 0};
  return std::nullopt;
}

}  // namespace nestwright::ir
