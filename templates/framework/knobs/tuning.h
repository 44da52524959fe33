// The interface through which a template defines its knobs. Each call defines one and returns its handle, which has a
// concrete value: the first candidate during discovery and the configuration's value when one is applied. choose() is
// for choices that change which primitives run.
//
// Constraints refuse points by formula, before anything is lowered. They are expressions over handles, or functions of
// the values of some handles:
//
//   const KnobExpr rows = t.define_knob("rows", {1, 2, 4, 8}), columns = t.define_knob("columns", {8, 16});
//   const OptionKnob order = t.define_annotate("order", {"rows", "columns"});
//   t.require(rows * columns <= 64, "the tile does not fit into the registers");
//   t.require(order == "rows" || rows % 4 == 0, "columns come in fours");
//   t.require(values_of(rows, columns), [=](std::int64_t m, std::int64_t n) { return fits(m, n, target); },
//             "the tile does not fit into the target's registers");
//
// Thread rule: one Tuning belongs to one run of one template.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "space/config_space.h"
#include "templates/framework/knobs/knob_expr.h"

namespace nestwright {

/// Candidates of a split of an extent into `parts` nested loops.
struct SplitOptions {
  int parts = 2;
  enum class Policy : std::uint8_t {
    kFactors,  ///< inner extents divide the extent
    kPowerOfTwo,
    kAll,  ///< any inner extent up to max_factor; the split gets a tail
  } policy = Policy::kFactors;
  std::int64_t max_factor = 1 << 30;                          ///< of the innermost part
  std::function<bool(std::span<const std::int64_t>)> filter;  ///< over the parts, outermost first
};

/// The handles whose values a constraint's function receives: std::int64_t for a KnobExpr, const KnobValue& for a
/// PartsKnob.
template <class... Handles>
struct KnobArguments {
  std::tuple<Handles...> handles;
};
template <class... Handles>
KnobArguments<Handles...> values_of(const Handles&... handles) {
  return {{handles...}};
}

class Tuning {
 public:
  virtual ~Tuning() = default;
  /// Extents of the nested loops, outermost first; the first one covers what the others leave (rounded up).
  virtual PartsKnob define_split(const std::string& name, std::int64_t extent, const SplitOptions& options) = 0;
  /// One of the given permutations of 0 .. n-1.
  virtual PartsKnob define_reorder(const std::string& name, const std::vector<std::vector<int>>& candidates) = 0;
  virtual OptionKnob define_annotate(const std::string& name, const std::vector<std::string>& candidates) = 0;
  virtual KnobExpr define_knob(const std::string& name, const std::vector<std::int64_t>& candidates) = 0;
  /// A choice of what is applied; knobs defined afterwards may depend on it.
  virtual OptionKnob choose(const std::string& name, const std::vector<std::string>& options) = 0;

  /// Refuses points for which `condition` is 0, for the reason given, e.g. "register tile larger than the register
  /// file".
  void require(const KnobExpr& condition, std::string reason);
  /// The same for conditions that no expression states: `holds` receives the values of `arguments`, in their order, as
  /// std::int64_t or const KnobValue&. It is called after this run, too, so that it must not refer to the run's
  /// objects.
  template <class... Handles, class Holds>
  void require(const KnobArguments<Handles...>& arguments, Holds holds, std::string reason);

 protected:
  virtual void add(Constraint constraint) = 0;
  /// For a Tuning that forwards to another one.
  static void add_to(Tuning& other, Constraint constraint) { other.add(std::move(constraint)); }

 private:
  using Knobs = std::vector<std::shared_ptr<const KnobInRun>>;
  static void collect(const KnobExpr& expr, Knobs& knobs);
  static void collect(const PartsKnob& parts, Knobs& knobs);
  static auto reader(const KnobExpr& expr, const Knobs& knobs) {
    return [in_place = expr.over(knobs)](std::span<const KnobValue> values) { return in_place.evaluate(values); };
  }
  static auto reader(const PartsKnob& parts, const Knobs& knobs) {
    return
        [at = position_of(parts, knobs)](std::span<const KnobValue> values) -> const KnobValue& { return values[at]; };
  }
  static std::size_t position_of(const PartsKnob& parts, const Knobs& knobs);
  static std::vector<std::string> names_of(const Knobs& knobs);
};

template <class... Handles, class Holds>
void Tuning::require(const KnobArguments<Handles...>& arguments, Holds holds, std::string reason) {
  const auto add_over = [&](const Handles&... handles) {
    Knobs read;
    (collect(handles, read), ...);
    add({names_of(read),
         [readers = std::tuple(reader(handles, read)...), holds = std::move(holds)](std::span<const KnobValue> values) {
           return std::apply([&](const auto&... each) -> bool { return holds(each(values)...); }, readers);
         },
         std::move(reason)});
  };
  std::apply(add_over, arguments.handles);
}

}  // namespace nestwright
