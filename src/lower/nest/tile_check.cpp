#include "lower/nest/tile_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/simplify/inequality.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

using namespace ir;

struct Tile {
  const TensorSlice& slice;
  const std::vector<Expr>& extents;  ///< of the last dimensions
};

class TileCheck final : public Visitor {
 public:
  TileCheck(const TensorSlice& output, std::span<const TensorSlice> inputs, const TensorIntrinsic& intrinsic,
            const std::string& stage)
      : intrinsic_(intrinsic), stage_(stage), output_{output, intrinsic.pattern.shape()} {
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs_.push_back({inputs[i], intrinsic.inputs[i].shape()});
  }
  using Visitor::visit;

  void visit(const Stmt& s) override {
    const Ranges outside = known_;
    if (const auto* loop = s.as<For>()) known_.bind(loop->var, loop->min, loop->extent);
    if (const auto* let = s.as<Let>(); let != nullptr && let->var.type() == kIndex) {
      known_.bind(let->var, let->value, Expr(1));
    }
    if (const auto* own = s.as<Allocate>()) own_.push_back(own->buffer);
    if (const auto* store = s.as<Store>()) check_store(*store);
    if (const auto* choice = s.as<IfThenElse>()) {
      visit(choice->condition);
      known_.assume(choice->condition);
      visit(choice->then_case);
      known_ = outside;
      known_.assume_not(choice->condition);
      if (choice->else_case.defined()) visit(choice->else_case);
    } else {
      visit_children(s);
    }
    known_ = outside;
  }

  void visit(const Expr& e) override {
    if (const auto* load = e.as<Load>()) check_load(*load, e);
    visit_children(e);
  }

 private:
  bool is_own(const Buffer& buffer) const { return std::find(own_.begin(), own_.end(), buffer) != own_.end(); }

  bool is_inside(const Tile& tile, const std::vector<Expr>& indices) const {
    const std::vector<Expr>& start = tile.slice.start;
    const std::size_t leading = start.size() - tile.extents.size();
    for (std::size_t d = 0; d < start.size(); ++d) {
      const Expr offset = to_linear(cast(kIndex, indices[d])).add(to_linear(start[d]), -1).expr();
      const Expr last = d < leading ? Expr(0) : tile.extents[d - leading] - 1;
      if (!non_negative(offset, known_) || !non_negative(last - offset, known_)) return false;
    }
    return true;
  }

  void check_store(const Store& store) const {
    if (is_own(store.buffer)) return;
    const bool inside = store.buffer == output_.slice.buffer && is_inside(output_, store.indices);
    if (!inside) refuse("stores", to_string(make_load(store.buffer, store.indices)));
  }

  void check_load(const Load& load, const Expr& e) const {
    if (is_own(load.buffer)) return;
    const auto holds = [&](const Tile& tile) {
      return tile.slice.buffer == load.buffer && is_inside(tile, load.indices);
    };
    if (!holds(output_) && std::none_of(inputs_.begin(), inputs_.end(), holds)) refuse("reads", to_string(e));
  }

  [[noreturn]] void refuse(const char* what, const std::string& place) const {
    throw LowerError(fmt::format(
        "{} is tensorized by {}, which {} {}: this is not provably in a tile of the pattern, so use offsets "
        "below the extents of its tensors",
        stage_, intrinsic_.name, what, place));
  }

  const TensorIntrinsic& intrinsic_;
  const std::string& stage_;
  Tile output_;
  std::vector<Tile> inputs_;
  std::vector<Buffer> own_;
  Ranges known_;
};

}  // namespace

void check_tile(const Stmt& emitted, const TensorSlice& output, std::span<const TensorSlice> inputs,
                const TensorIntrinsic& intrinsic, const std::string& stage) {
  if (!emitted.defined()) {
    throw LowerError(fmt::format("{} is tensorized by {}, which emits no statement: return one that computes the tile",
                                 stage, intrinsic.name));
  }
  TileCheck(output, inputs, intrinsic, stage).visit(emitted);
}

}  // namespace nestwright
