// Candidates that differ in time but not in traffic are not taken for near-duplicates: for each knob of this kind, in
// every template that has one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "ir/traversal/equal.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "search/propose/ranker.h"
#include "search/task/candidate.h"
#include "tests/support/cpu_target.h"

namespace nestwright {
namespace {

/// Knobs for hints, padding, vector widths of loads, and thread bindings.
const std::set<std::string>& knobs() {
  static const std::set<std::string> names = {
      "stores",   "prefetch", "prefetch_a", "prefetch_b", "prefetch_c", "padding",  "double_buffer", "fragments",
      "vector_a", "vector_b", "vector_c",   "blocks_x",   "threads_x",  "vector_x", "vector_w",      "vector_y"};
  return names;
}

std::vector<Target> targets() {
  Target small = cpu_target(CpuIsa::kAvx512, 2);  // its caches make tensors large enough to stream and to prefetch
  small.l2_bytes = 4096;
  small.l3_bytes = 65536;
  return {small, Target::parse("cuda,arch=sm_90"), Target::parse("opencl")};
}

const std::vector<std::string>& workloads() {
  static const std::vector<std::string> list = {"matmul m=256 n=256 k=256",
                                                "matmul m=1 n=512 k=512",
                                                "matmul m=64 n=64 k=4096",
                                                "matmul m=96 n=96 k=96 dtype=bfloat16",
                                                "matmul m=96 n=96 k=128 dtype=int8",
                                                "softmax rows=128 columns=1024",
                                                "layer_norm rows=64 columns=768",
                                                "transpose rows=512 columns=512",
                                                "elementwise function=add_relu shape=1048576",
                                                "broadcast function=add rows=512 columns=512",
                                                "reduce function=sum shape=1048576 axes=0",
                                                "conv2d n=1 c=32 h=28 w=28 k=64 r=3 s=3 pad=1",
                                                "depthwise_conv2d n=1 c=32 h=28 w=28 r=3 s=3 pad=1"};
  return list;
}

/// The valid points that differ from `point` in the value of one knob.
std::vector<Point> siblings(const SearchSpace& space, const Point& point, const std::string& knob) {
  std::vector<Point> list;
  for (const SearchSpace::Member& member : space.members()) {
    if (member.source->name != point.template_name) continue;
    for (const Branch& branch : member.space.branches()) {
      const auto same = std::find_if(branch.knobs.begin(), branch.knobs.end(),
                                     [&](const Knob& candidate) { return candidate.name == knob; });
      if (same == branch.knobs.end()) continue;
      for (std::size_t c = 0; c < same->candidates.size(); ++c) {
        Point sibling = point;
        sibling.config.set(knob, same->candidates[c], same->labels.empty() ? "" : same->labels[c]);
        const bool is_known = sibling == point || std::find(list.begin(), list.end(), sibling) != list.end();
        if (!is_known && space.is_valid(sibling)) list.push_back(sibling);
      }
    }
  }
  return list;
}

/// For a template and a knob: the number of pairs whose programs differ, and how many of them are near-duplicates.
struct Pairs {
  int all = 0, alike = 0;
  std::string example;
};
using PairsByKnob = std::map<std::string, Pairs>;

void compare(const SearchSpace& space, PairsByKnob& found) {
  std::vector<ConfigSpace> spaces;
  for (const auto& member : space.members()) spaces.push_back(member.space);
  const KnobColumns columns(spaces);
  Ranker ranker(make_cost_model("random", 1), make_cost_model("random", 1),
                [&](const Point& p) { return candidate_features(space.task(), columns, p); });
  std::mt19937_64 random(7);
  for (const SearchSpace::Member& member : space.members()) {
    for (int sample = 0; sample < 4; ++sample) {
      const auto config = member.space.sample(random);
      if (!config) break;
      const Point point{member.source->name, member.source->version, *config};
      const Lowered lowered = lower_point(space.task(), point);
      if (!std::holds_alternative<ir::Program>(lowered)) continue;
      for (const ConfigEntry& entry : config->entries()) {
        const std::string knob = entry.knob.substr(entry.knob.rfind('.') + 1);  // of a generated space: that of a stage
        if (!knobs().contains(knob)) continue;
        for (const Point& sibling : siblings(space, point, entry.knob)) {
          const Lowered other = lower_point(space.task(), sibling);
          if (!std::holds_alternative<ir::Program>(other)) continue;
          if (ir::equal(std::get<ir::Program>(lowered), std::get<ir::Program>(other))) continue;
          const auto likeness = ranker.likeness(std::vector<Point>{point, sibling});
          Pairs& pairs = found[point.template_name + " " + knob];
          ++pairs.all;
          if (likeness[0] != likeness[1]) continue;
          ++pairs.alike;
          pairs.example = space.task().workload.str() + ": " + point.key() + " and " + sibling.key();
        }
      }
    }
  }
}

TEST(RankerLikeness, SeesHintsPaddingAndBindingsInEveryTemplate) {
  PairsByKnob found;
  for (const std::string& workload : workloads()) {
    for (const Target& target : targets()) {
      const Task task{parse_workload(workload), target};
      const std::vector<Template>& of_it = task.workload.op->templates;
      const auto serves = [&](const Template& t) { return t.is_for(target.device); };
      if (std::any_of(of_it.begin(), of_it.end(), serves)) compare(SearchSpace(task), found);
    }
  }
  // With extents of 1, some bindings and paddings have no effect.
  constexpr double kVacuous = 0.1;
  for (const auto& [knob, pairs] : found) {
    EXPECT_LE(pairs.alike, kVacuous * pairs.all)
        << knob << ": " << pairs.alike << " of " << pairs.all << "; " << pairs.example;
  }
  for (const char* knob : {"matmul.cpu prefetch_a",       "matmul.cpu prefetch_b",
                           "matmul.dot prefetch_a",       "matmul.convert prefetch_b",
                           "generated.cpu stores",        "generated.cpu prefetch",
                           "matmul.gpu padding",          "matmul.gpu blocks_x",
                           "matmul.gpu double_buffer",    "matmul.gpu fragments",
                           "matmul.gpu vector_a",         "matmul.mma padding",
                           "matmul.mma blocks_x",         "matmul.mma vector_b",
                           "matmul.mma double_buffer",    "matmul.wgmma blocks_x",
                           "transpose.gpu padding",       "transpose.gpu blocks_x",
                           "conv2d.gpu padding",          "conv2d.gpu threads_x",
                           "conv2d.gpu_direct threads_x", "depthwise_conv2d.gpu threads_x"}) {
    EXPECT_GT(found[knob].all, 0) << knob << " was not compared";
  }
}

}  // namespace
}  // namespace nestwright
