#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cstdio>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/report.h"
#include "templates/registry.h"

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

Json describe() {
  Json list = Json::array();
  for (const Operator& op : operators()) {
    Json parameters = Json::array();
    for (const OperatorParameter& p : op.parameters) {
      Json parameter = {{"name", p.name}, {"kind", kind_name(p.kind)}, {"meaning", p.meaning}};
      if (!p.default_value.empty()) parameter["default"] = p.default_value;
      if (!p.choices.empty()) parameter["choices"] = p.choices;
      parameters.push_back(std::move(parameter));
    }
    Json sources = Json::array();
    for (const Template& t : templates()) {
      if (t.op.name == op.name) sources.push_back({{"name", t.name}, {"version", t.version}});
    }
    list.push_back(
        {{"operator", op.name}, {"summary", op.summary}, {"parameters", parameters}, {"templates", sources}});
  }
  return list;
}

void print_text() {
  for (const Json& op : describe()) {
    fmt::print("{}: {}\n", op["operator"].get<std::string>(), op["summary"].get<std::string>());
    for (const Json& p : op["parameters"]) {
      const std::string fallback =
          p.contains("default") ? fmt::format(" (default {})", p["default"].get<std::string>()) : "";
      const std::string choices =
          p.contains("choices") ? fmt::format(": {}", fmt::join(p["choices"].get<std::vector<std::string>>(), ", "))
                                : "";
      fmt::print("  {:<11} {:<7}{}{}{}\n", p["name"].get<std::string>(), p["kind"].get<std::string>(),
                 p["meaning"].get<std::string>(), choices, fallback);
    }
    for (const Json& t : op["templates"]) {
      fmt::print("  template {} version {}\n", t["name"].get<std::string>(), t["version"].get<int>());
    }
  }
}

}  // namespace

void add_templates(CLI::App& app, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* command = app.add_subcommand("templates", "list operators, their parameters and their templates");
  add_json(*command, *options);
  command->callback([options, &action] {
    action = [options] {
      if (options->json) {
        print_json(describe());
      } else {
        print_text();
      }
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace nestwright::cli
