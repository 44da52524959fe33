// The CPU template of functions element by element:
//
//   for blocks, which threads share:
//     for tiles of a few vectors:
//       Y = f(A, B)                       (A and B prefetched some tiles ahead, Y stored non-temporally)
//
// or, of tensors larger than the caches, several such tiles side by side, of parts of the block that are far apart.
#include "templates/elementwise/elementwise.h"
#include "templates/framework/completion.h"
#include "templates/framework/seed_table.h"
#include "templates/loops/vectors.h"
#include "templates/pointwise/functions.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxVectors = 8;  ///< of a stream at a time

/// Numbers of blocks that `runs` divides into.
std::vector<std::int64_t> dividing_blocks(std::int64_t runs) {
  std::vector<std::int64_t> counts{2, 4, 8, 16, 32, 64};
  std::erase_if(counts, [&](std::int64_t count) { return runs % count != 0; });
  return counts;
}

Schedule schedule_elementwise(Tuning& t, const Workload& workload, const Definition& definition, const Target& target) {
  const std::int64_t n = workload.elements("shape");
  const PointwiseFunction& function = find_pointwise(workload.choice("function"));
  const Tensor y = definition.args.back();
  Schedule s = create_schedule(y);
  std::vector<std::string> options{"none"};
  if (n > 2 * target.lanes(y.dtype())) options.emplace_back("blocks");
  const bool parallel = choose_parallel(t, target, options) == "blocks";
  const std::int64_t run = kMaxVectors * target.lanes(y.dtype());
  const std::int64_t streams = function.expands ? 1 : choose_streams(t, n, 2 * run, definition.bytes, target);
  const VectorTileKnobs tile = define_vectors(t, n / streams, y.dtype(), target, max_vectors(function, target));
  IterVar loop = s[y].axis(0);
  if (parallel) {
    const std::int64_t elements = streams > 1 ? n / t.define_knob("blocks", dividing_blocks(n / (streams * run)))
                                              : define_vector_blocks(t, n, tile).elements;
    const auto [block, inside] = s[y].split(loop, factor(elements), Tail::partition());
    s[y].parallel(block);
    loop = inside;
  }
  if (streams > 1) {
    const auto [stream, inside] = s[y].split(loop, nparts(streams));
    loop = split_vectors(s[y], inside, tile.in_run());
    s[y].reorder({loop, stream}).unroll(stream);
  } else {
    loop = split_vectors(s[y], loop, tile.in_run());
  }
  const std::int64_t ahead = define_prefetch(t, definition.bytes, target);
  for (int i = 0; i < definition.inputs && ahead > 0; ++i) {
    s[y].prefetch(definition.args[static_cast<std::size_t>(i)], loop, ahead);
  }
  if (define_streaming(t, y, n, target)) s[y].stream();
  return s;
}

std::vector<Config> elementwise_seeds(const Workload& workload, const Target& target) {
  std::vector<Config> seeds;
  for (const char* stores : {"cached", "streaming"}) {
    for (const char* parallel : {"blocks", "none"}) {
      const std::vector<SeedColumn> all{
          {"parallel", {parallel}}, {"stores", {stores}}, {"blocks", {target.threads}}, {"vectors", {4, 1}}};
      append(seeds, seed_product(all));
      append(seeds,
             seed_rows({"parallel", "stores", "blocks", "vectors", "streams", "vector_lanes"},
                       {{parallel, stores, target.threads, 8, "four", half_lanes(workload.type("dtype"), target)}}));
    }
  }
  return complete_seeds(elementwise_cpu_template(), workload, target, seeds);
}

}  // namespace

Template elementwise_cpu_template() {
  return {"elementwise.cpu", 2, {DeviceKind::kCpu}, schedule_elementwise, elementwise_seeds};
}

}  // namespace nestwright
