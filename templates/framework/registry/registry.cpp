#include "nestwright/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "nestwright/error.h"
#include "space/nearest_name.h"
#include "templates/framework/registry/plugin_file.h"

[[gnu::visibility("default"), gnu::used]] void nestwright_library() {}

namespace nestwright {
namespace {

/// The command line finds an operator by the first word of a workload, and kernels are named after it.
bool is_word(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

void require_schedule(const Template& t, std::string_view op) {
  if (!t.schedule) {
    throw UsageError(
        fmt::format("the template '{}' of '{}' has no schedule: give it a function that makes one", t.name, op));
  }
}

void refuse_taken_name(const Registry& registry, const Template& t) {
  if (!t.is_generic && registry.find_template(t.name) != nullptr) {
    throw UsageError(fmt::format("there is a template '{}' already: give yours another name", t.name));
  }
}

}  // namespace

void Registry::add(Operator op) {
  if (!is_word(op.name)) {
    throw UsageError(fmt::format(
        "'{}' cannot be the name of an operator: begin with a letter, go on with letters, digits and _", op.name));
  }
  const auto has_its_name = [&](const auto& known) { return known->name == op.name; };
  if (std::any_of(operators_.begin(), operators_.end(), has_its_name)) {
    throw UsageError(fmt::format("there is an operator '{}' already: give yours another name", op.name));
  }
  if (!op.define || !op.reference) {
    throw UsageError(fmt::format("the operator '{}' has no {}: give it a function that makes one", op.name,
                                 op.define ? "reference" : "definition"));
  }
  op.plugin = plugin_;
  for (Template& t : op.templates) {
    t.plugin = plugin_;
    require_schedule(t, op.name);
    refuse_taken_name(*this, t);
    const auto has_same_name = [&](const Template& other) { return other.name == t.name; };
    if (std::count_if(op.templates.begin(), op.templates.end(), has_same_name) > 1) {
      throw UsageError(fmt::format("the operator '{}' has two templates '{}': give one another name", op.name, t.name));
    }
  }
  operators_.push_back(std::make_shared<const Operator>(std::move(op)));
}

void Registry::add(std::string_view op, Template added) {
  const Operator& known = *find_operator(op);
  require_schedule(added, op);
  refuse_taken_name(*this, added);
  added.plugin = plugin_;
  Operator larger = known;
  larger.templates.push_back(std::move(added));
  for (std::shared_ptr<const Operator>& each : operators_) {
    if (each.get() == &known) {
      each = std::make_shared<const Operator>(std::move(larger));
      return;
    }
  }
}

const std::shared_ptr<const Operator>& Registry::find_operator(std::string_view name) const {
  std::vector<std::string> names;
  for (const std::shared_ptr<const Operator>& op : operators_) {
    if (op->name == name) return op;
    names.push_back(op->name);
  }
  throw UsageError("there is no operator '" + std::string(name) + "'" + did_you_mean(name, names) +
                   "; the operators are " + join_names(names));
}

const Template* Registry::find_template(std::string_view name) const {
  for (const std::shared_ptr<const Operator>& op : operators_) {
    if (const Template* found = op->find_template(name)) return found;
  }
  return nullptr;
}

const std::string* Registry::find_plugin_file(const std::string& name) const {
  const auto found = plugin_files_.find(name);
  return found == plugin_files_.end() ? nullptr : &found->second;
}

Workload Registry::parse_workload(std::string_view text) const {
  std::istringstream words{std::string(text)};
  std::string word;
  if (!(words >> word)) {
    throw UsageError("the workload is empty; write an operator and its parameters, as in matmul m=512 n=512 k=512");
  }
  return nestwright::parse_workload(text, find_operator(word));
}

}  // namespace nestwright
