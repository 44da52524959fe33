// The CPU template of functions element by element:
//
//   for blocks, which threads share:
//     for tiles of a few vectors:
//       Y = f(A, B)                       (A and B prefetched some tiles ahead, Y stored round the caches)
#include "templates/elementwise/elementwise.h"
#include "templates/guess.h"
#include "templates/pointwise.h"
#include "templates/vector_loops.h"

namespace nestwright {
namespace {

Schedule schedule_elementwise(Tuning& t, const Workload& workload, const Definition& definition, const Target& target) {
  const std::int64_t n = workload.elements("shape");
  const PointwiseFunction& function = find_pointwise(workload.choice("function"));
  const Tensor y = definition.args.back();
  Schedule s = create_schedule(y);
  std::vector<std::string> options{"none"};
  if (n > 2 * target.lanes(y.dtype())) options.emplace_back("blocks");
  const bool parallel = choose_parallel(t, target, options) == "blocks";
  const VectorTile tile = define_vectors(t, "vectors", n, y.dtype(), target, most_vectors(function, target));
  IterVar loop = s[y].axis(0);
  if (parallel) {
    const auto [block, inside] =
        s[y].split(loop, factor(define_vector_blocks(t, "vectors", n, tile)), Tail::partition());
    s[y].parallel(block);
    loop = inside;
  }
  loop = split_vectors(s[y], loop, tile);
  const std::int64_t ahead = define_prefetch(t, definition.bytes, target);
  for (int i = 0; i < definition.inputs && ahead > 0; ++i) {
    s[y].prefetch(definition.args[static_cast<std::size_t>(i)], loop, ahead);
  }
  if (define_streaming(t, y, n, target)) s[y].stream();
  return s;
}

std::vector<Config> elementwise_seeds(const Workload& workload, const Target& target) {
  std::vector<Config> wishes;
  for (const char* stores : {"cached", "streaming"}) {
    for (const char* parallel : {"blocks", "none"}) {
      for (const std::int64_t vectors : {4, 1}) {
        Config wish;
        wish.set("parallel", {}, parallel);
        wish.set("stores", {}, stores);
        wish.set("vectors", {vectors});
        wish.set("blocks", {target.threads});
        wishes.push_back(std::move(wish));
      }
    }
  }
  return guess_configs(elementwise_cpu_template(), workload, target, wishes);
}

}  // namespace

Template elementwise_cpu_template() {
  return {"elementwise.cpu", 1, "elementwise", DeviceKind::kCpu, schedule_elementwise, elementwise_seeds};
}

}  // namespace nestwright
