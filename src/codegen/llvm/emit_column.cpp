// Emits loads of a column of a tile in registers, whose rows are vectors; transpositions store columns. Each column is
// the root of a tree of two-operand shuffles, as in the well-known transposition by unpacking: rows are interleaved
// within 128 bits, then whole 128-bit parts are collected. The columns of a tile share the inner nodes of their trees,
// which are equal instructions on equal operands: 64 shuffles transpose a tile of 16 x 16, instead of 15 for each
// column.
#include <algorithm>

#include "codegen/llvm/function_emitter.h"

namespace nestwright::codegen {
namespace {

constexpr int kPartBytes = 16;  ///< unpacking instructions work within parts of this size

/// The shuffle masks of one column's tree.
class ColumnShuffles {
 public:
  ColumnShuffles(int lanes, int element_bytes, int column) : lanes_(lanes), column_(column) {
    part_ = std::clamp(kPartBytes / element_bytes, 1, lanes);
  }

  /// The mask of a node at this height; a node at height 1 combines two rows.
  std::vector<int> mask(int height) const {
    int unit = 1;
    for (int h = 1; h < height && unit < part_; ++h) unit *= 2;
    return unit < part_ ? interleave(unit) : gather_parts(height);
  }

 private:
  /// Alternates units of `unit` elements from both vectors, out of the half of each part that contains the column.
  std::vector<int> interleave(int unit) const {
    const int units = part_ / unit;  // in each part
    const int half = column_ % part_ / (units / 2) % 2;
    std::vector<int> mask;
    for (int e = 0; e < lanes_; ++e) {
      const int place = e % part_ / unit;
      const int from = (half * units / 2 + place / 2) * unit + e % unit;
      mask.push_back(e / part_ * part_ + from + (place % 2 == 1 ? lanes_ : 0));
    }
    return mask;
  }

  /// Takes the even or the odd parts of the first vector, then those of the second.
  std::vector<int> gather_parts(int height) const {
    int level = height - 1;  // counted from the lowest that combines whole parts
    for (int unit = 1; unit < part_; unit *= 2) --level;
    const int parts = lanes_ / part_, parity = (column_ / part_ >> level) % 2;
    std::vector<int> mask;
    for (int e = 0; e < lanes_; ++e) {
      const int place = e / part_;
      const int from = 2 * (place % (parts / 2)) + parity;
      mask.push_back(from * part_ + e % part_ + (place >= parts / 2 ? lanes_ : 0));
    }
    return mask;
  }

  int lanes_, column_, part_;
};

}  // namespace

llvm::Value* FunctionEmitter::emit_column(const ir::Buffer& buffer, const Access& access) {
  const bool in_tile = buffer->scope != ir::Scope::kGlobal && access.offsets == nullptr && access.lane_stride > 1 &&
                       access.offset.is_constant() && !buffer->element.is_bool();
  if (!in_tile || access.lanes < 2 || (access.lanes & (access.lanes - 1)) != 0) return nullptr;
  const std::int64_t row = access.lane_stride, column = access.offset.constant % row;
  const std::int64_t window = column / access.lanes * access.lanes;
  const std::int64_t length = std::min<std::int64_t>(access.lanes, row - window);

  std::vector<llvm::Value*> level;
  for (int lane = 0; lane < access.lanes; ++lane) {
    ir::Linear offset;
    offset.constant = access.offset.constant - column + lane * row + window;
    // The tile may end within the row, or before it where the lane is masked.
    const auto elements = static_cast<int>(std::clamp<std::int64_t>(buffer->elements() - offset.constant, 0, length));
    if (elements == 0) {
      level.push_back(llvm::PoisonValue::get(memory_type_of(buffer->element.with_lanes(access.lanes))));
      continue;
    }
    llvm::Type* type =
        llvm::FixedVectorType::get(memory_type_of(buffer->element), elements);  // a vector even of one element
    llvm::Value* whole = builder_.CreateAlignedLoad(type, address(buffer, offset), alignment(buffer, offset));
    std::vector<int> widen(static_cast<std::size_t>(access.lanes), -1);
    for (int e = 0; e < elements; ++e) widen[static_cast<std::size_t>(e)] = e;
    level.push_back(elements == access.lanes ? whole : builder_.CreateShuffleVector(whole, widen));
  }
  const ColumnShuffles shuffles(access.lanes, buffer->element.bytes(), static_cast<int>(column - window));
  for (int height = 1; level.size() > 1; ++height) {
    const std::vector<int> mask = shuffles.mask(height);
    std::vector<llvm::Value*> above;
    for (std::size_t i = 0; i < level.size(); i += 2) {
      above.push_back(builder_.CreateShuffleVector(level[i], level[i + 1], mask));
    }
    level = std::move(above);
  }
  return level.front();
}

}  // namespace nestwright::codegen
