#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/output/record_output.h"

namespace nestwright::cli {
namespace {

const char* kind_name(OperatorParameter::Kind kind) {
  switch (kind) {
    case OperatorParameter::Kind::kSize:
      return "size";
    case OperatorParameter::Kind::kCount:
      return "count";
    case OperatorParameter::Kind::kFlag:
      return "flag";
    case OperatorParameter::Kind::kType:
      return "type";
    case OperatorParameter::Kind::kChoice:
      return "choice";
    case OperatorParameter::Kind::kNumber:
      return "number";
    case OperatorParameter::Kind::kShape:
      return "shape";
    case OperatorParameter::Kind::kAxes:
      return "axes";
  }
  return "";
}

Json describe(const Registry& registry) {
  Json list = Json::list();
  for (const std::shared_ptr<const Operator>& op : registry.operators()) {
    Json parameters = Json::list();
    for (const OperatorParameter& p : op->parameters) {
      Json parameter = {{"name", p.name}, {"kind", kind_name(p.kind)}, {"meaning", p.meaning}};
      if (!p.default_value.empty()) parameter["default"] = p.default_value;
      if (!p.choices.empty()) parameter["choices"] = p.choices;
      parameters.push_back(std::move(parameter));
    }
    Json sources = Json::list();
    for (const Template& t : op->templates) sources.push_back({{"name", t.name}, {"version", t.version}});
    list.push_back(
        {{"operator", op->name}, {"summary", op->summary}, {"parameters", parameters}, {"templates", sources}});
  }
  return list;
}

void print_text(const Registry& registry) {
  const Json description = describe(registry);
  for (const Json& op : description.entries()) {
    fmt::print("{}: {}\n", op["operator"].text(), op["summary"].text());
    for (const Json& p : op["parameters"].entries()) {
      const std::string fallback = p.contains("default") ? fmt::format(" (default {})", p["default"].text()) : "";
      const std::string choices =
          p.contains("choices") ? fmt::format(": {}", fmt::join(p["choices"].texts(), ", ")) : "";
      fmt::print("  {:<11} {:<7}{}{}{}\n", p["name"].text(), p["kind"].text(), p["meaning"].text(), choices, fallback);
    }
    for (const Json& t : op["templates"].entries()) {
      fmt::print("  template {} version {}\n", t["name"].text(), t["version"].integer());
    }
  }
}

}  // namespace

void add_templates(CommandLine& line, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  Command command = line.add_command("templates", "list operators, their parameters and their templates");
  add_json(command, *options);
  add_plugins(command, *options);
  command.on_chosen([options, &action] {
    action = [options] {
      const Registry registry = options->registry();
      if (options->json) {
        print_json(describe(registry));
      } else {
        print_text(registry);
      }
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace nestwright::cli
