#include "templates/sketch/sketch.h"

#include <algorithm>

namespace nestwright {

bool SketchRelation::has_axis(int axis) const {
  return std::find(identity.begin(), identity.end(), axis) != identity.end();
}

int SketchRelation::leading_axes(int max_axes) const {
  int count = 0;
  while (count < max_axes && has_axis(count)) ++count;
  return count;
}

std::vector<Tensor> constant_inputs_of(const Definition& definition) {
  std::vector<Tensor> constants;
  for (const std::size_t input : definition.constant_inputs) constants.push_back(definition.args[input]);
  return constants;
}

Sketch::Sketch(const NestDraft& draft)
    : tuning(draft.tuning),
      target(draft.target),
      schedule(create_schedule(draft.definition.outputs())),
      row_streams(draft.row_streams) {
  constants_ = constant_inputs_of(draft.definition);
  analyse();
}

void Sketch::analyse() {
  stages = analyse_stages(schedule, constants_);
  nest_of_.assign(stages.size(), -1);
  joined_at_.assign(stages.size(), -1);
  relations_.assign(stages.size(), {});
}

std::string Sketch::choose(const std::string& name, std::vector<std::string> options) {
  const auto count = static_cast<std::int64_t>(options.size());
  if (sketches_ * count > kMaxSketches) options.resize(1);
  sketches_ *= static_cast<std::int64_t>(options.size());
  return tuning.choose(name, options);
}

std::string Sketch::choose_once(const std::string& name, const std::vector<std::string>& options) {
  const auto known = chosen_.find(name);
  if (known != chosen_.end()) return known->second;
  return chosen_[name] = options.size() == 1 ? options.front() : choose(name, options);
}

const ReductionForm& Sketch::form_of(int stage) {
  const auto known = forms_.find(stage);
  if (known != forms_.end()) return known->second;
  const std::vector<ReductionForm> forms = reduction_forms(of(stage), target);
  std::vector<std::string> labels;
  for (const ReductionForm& form : forms) labels.push_back(form.label());
  const std::string chosen = labels.size() == 1 ? labels.front() : choose(of(stage).name + ".vectors_along", labels);
  const auto at = std::find(labels.begin(), labels.end(), chosen) - labels.begin();
  return forms_[stage] = forms[static_cast<std::size_t>(at)];
}

int Sketch::add_nest(SketchNest nest) {
  const auto stage = static_cast<std::size_t>(nest.stage);
  relations_[stage] = own_relation(nest.stage);
  nest_of_[stage] = static_cast<int>(nests.size());
  finish(nest.stage);
  nests.push_back(std::move(nest));
  return nest_of_[stage];
}

void Sketch::join(int stage, int nest, int at) {
  relations_[static_cast<std::size_t>(stage)] = relation(stage, nest);
  nest_of_[static_cast<std::size_t>(stage)] = nest;
  joined_at_[static_cast<std::size_t>(stage)] = at;
  finish(stage);
}

SketchRelation Sketch::own_relation(int stage) const {
  SketchRelation itself;
  for (int axis = 0; axis < of(stage).spatial; ++axis) {
    itself.axes.push_back({axis});
    itself.identity.push_back(axis);
  }
  return itself;
}

int Sketch::nest_of_readers(int stage) const {
  int found = -1;
  for (const int reader : of(stage).readers) {
    const int nest = nest_of(reader);
    if (nest < 0 || (found >= 0 && nest != found)) return -1;
    found = nest;
  }
  return found;
}

SketchRelation Sketch::relation(int stage, int nest) const {
  std::vector<std::pair<int, SketchRelation>> readers;
  for (const int reader : of(stage).readers) {
    if (nest_of(reader) == nest) readers.emplace_back(reader, relations_[static_cast<std::size_t>(reader)]);
  }
  return relation(stage, readers);
}

SketchRelation Sketch::relation(int stage, const std::vector<std::pair<int, SketchRelation>>& readers) const {
  constexpr int kUnread = -2;
  const auto rank = static_cast<std::size_t>(of(stage).spatial);
  SketchRelation result{std::vector<std::set<int>>(rank), std::vector<int>(rank, kUnread)};
  for (const auto& [reader, outer] : readers) {
    for (const OperandAccess& access : of(reader).accesses) {
      if (access.producer != stage) continue;
      for (std::size_t d = 0; d < rank; ++d) {
        for (const int axis : access.axes[d]) {
          if (axis < of(reader).spatial)
            result.axes[d].insert(outer.axes[static_cast<std::size_t>(axis)].begin(),
                                  outer.axes[static_cast<std::size_t>(axis)].end());
        }
        const int axis = access.identity[d];
        const int equal = axis >= 0 && axis < of(reader).spatial ? outer.identity[static_cast<std::size_t>(axis)] : -1;
        int& identity = result.identity[d];
        identity = identity == kUnread || identity == equal ? equal : -1;
      }
    }
  }
  return result;
}

void Sketch::for_each_follower(int root, const std::function<bool(int, const SketchRelation&)>& joins) const {
  std::vector<std::pair<int, SketchRelation>> members{{root, own_relation(root)}};
  for (int i = root - 1; i >= 0; --i) {
    const std::vector<int>& readers = of(i).readers;
    const auto is_member = [&](int reader) {
      return std::any_of(members.begin(), members.end(), [&](const auto& member) { return member.first == reader; });
    };
    if (is_finished(i) || readers.empty() || !std::all_of(readers.begin(), readers.end(), is_member)) continue;
    SketchRelation to_root = relation(i, members);
    if (joins(i, to_root)) members.emplace_back(i, std::move(to_root));
  }
}

int Sketch::common_rows(const SketchRelation& relation, int nest) const {
  return relation.leading_axes(of(nests[static_cast<std::size_t>(nest)].stage).spatial);
}

}  // namespace nestwright
