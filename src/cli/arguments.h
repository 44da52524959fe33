// What the subcommands declare of the command line, and what reads it. CLI11 lies behind this header: its own takes
// longer to compile than all of a subcommand. Thread rule: one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace nestwright::cli {

/// What is wrong with a command line, in a sentence or in CLI11's words.
class WrongArguments : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Looks at the text that an option was given: empty where it is right, else what to give. May rewrite it.
using TextCheck = std::function<std::string(std::string&)>;

/// A declared option, flag or positional argument.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument& required();
  /// What help calls the value, "N".
  Argument& value_name(const std::string& name);
  /// Help tells what the variable holds now.
  Argument& show_default();
  Argument& take_from_environment(const std::string& variable);
  Argument& check(const TextCheck& check);
  Argument& one_of(const std::vector<std::string>& values);
  Argument& describe(const std::string& description);
  Argument& excludes(const Argument& other);
  bool is_given() const;

 private:
  CLI::Option* option_;
};

/// A subcommand.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  /// `name`: "--seed", or "workload" for a positional argument. Value: std::string, a list of them, int, std::int64_t,
  /// std::uint64_t, double, or std::optional<int> or <double>.
  template <typename Value>
  Argument add_option(const std::string& name, Value& value, const std::string& description);
  Argument add_flag(const std::string& name, bool& value, const std::string& description);
  /// Called while the command line is read, when all values are set. May throw WrongArguments.
  void on_chosen(const std::function<void()>& callback);

 private:
  CLI::App* app_;
};

/// The program with its subcommands, of which exactly one is given.
class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& name, const std::string& version,
              const std::string& footer);
  ~CommandLine();

  Command add_command(const std::string& name, const std::string& description);
  std::vector<std::string> command_names() const;
  /// The exit code where help or the version was asked for, and is printed. Throws WrongArguments.
  std::optional<int> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace nestwright::cli
