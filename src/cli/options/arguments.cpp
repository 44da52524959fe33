#include "cli/options/arguments.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>

namespace nestwright::cli {

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::value_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Argument& Argument::show_default() {
  option_->capture_default_str();
  return *this;
}

Argument& Argument::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}

Argument& Argument::take_from_environment(const std::string& variable) {
  option_->envname(variable);
  return *this;
}

Argument& Argument::check(const TextCheck& check) {
  option_->transform(CLI::Validator(check, ""));
  return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}

Argument& Argument::describe(const std::string& description) {
  option_->description(description);
  return *this;
}

Argument& Argument::excludes(const Argument& other) {
  option_->excludes(other.option_);
  return *this;
}

bool Argument::is_given() const { return option_->count() > 0; }

template <typename Value>
Argument Command::add_option(const std::string& name, Value& value, const std::string& description) {
  return Argument(app_->add_option(name, value, description));
}

template Argument Command::add_option(const std::string&, std::string&, const std::string&);
template Argument Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Argument Command::add_option(const std::string&, int&, const std::string&);
template Argument Command::add_option(const std::string&, std::int64_t&, const std::string&);
template Argument Command::add_option(const std::string&, std::uint64_t&, const std::string&);
template Argument Command::add_option(const std::string&, double&, const std::string&);
template Argument Command::add_option(const std::string&, std::optional<int>&, const std::string&);
template Argument Command::add_option(const std::string&, std::optional<std::int64_t>&, const std::string&);
template Argument Command::add_option(const std::string&, std::optional<double>&, const std::string&);

Argument Command::add_flag(const std::string& name, bool& value, const std::string& description) {
  return Argument(app_->add_flag(name, value, description)->disable_flag_override());
}

void Command::on_chosen(const std::function<void()>& callback) { app_->callback(callback); }

Command Command::add_command(const std::string& name, const std::string& description) {
  app_->require_subcommand(1);
  return Command(app_->add_subcommand(name, description));
}

CommandLine::CommandLine(const std::string& description, const std::string& name, const std::string& version,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version, "Print the version and exit");
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description));
}

std::vector<std::string> CommandLine::command_names(const std::vector<std::string>& path) const {
  const auto all = [](const CLI::App*) { return true; };
  const CLI::App* command = app_.get();
  for (const std::string& name : path) {
    const std::vector<const CLI::App*> commands = command->get_subcommands(all);
    const auto named =
        std::find_if(commands.begin(), commands.end(), [&](const CLI::App* each) { return each->get_name() == name; });
    if (named == commands.end()) return {};
    command = *named;
  }
  std::vector<std::string> names;
  for (const CLI::App* each : command->get_subcommands(all)) names.push_back(each->get_name());
  return names;
}

std::optional<int> CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& asked) {
    return app_->exit(asked);
  } catch (const CLI::ParseError& wrong) {
    throw WrongArguments(wrong.what());
  }
}

}  // namespace nestwright::cli
