#include "cost_model/knob_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright {

KnobColumns::KnobColumns(std::span<const ConfigSpace> spaces) {
  for (const ConfigSpace& space : spaces) {
    for (const Branch& branch : space.branches()) {
      for (const Knob& knob : branch.knobs) {
        if (knob.candidates.empty()) continue;
        const bool is_size = knob.kind == KnobKind::kSplit || knob.kind == KnobKind::kKnob;
        for (std::size_t c = 0; c < knob.candidates.front().size(); ++c) add({knob.name, c, is_size});
      }
    }
  }
}

void KnobColumns::add(const Column& column) {
  const bool is_known = std::any_of(columns_.begin(), columns_.end(), [&](const Column& known) {
    return known.knob == column.knob && known.component == column.component;
  });
  if (!is_known) columns_.push_back(column);
}

void KnobColumns::append(const Config& config, Features& out) const {
  for (const Column& column : columns_) {
    const ConfigEntry* entry = config.find(column.knob);
    if (entry == nullptr || column.component >= entry->value.size()) {
      out.push_back(std::numeric_limits<float>::quiet_NaN());
      continue;
    }
    const auto value = static_cast<double>(entry->value[column.component]);
    out.push_back(static_cast<float>(column.is_size ? std::log2(1 + std::max(0.0, value)) : value));
  }
}

}  // namespace nestwright
