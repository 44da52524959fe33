// Declares and parses the command line: the program, its subcommands and their arguments. It wraps CLI11, whose header
// takes longer to compile than a whole subcommand. Thread rule: one thread at a time.
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

/// Thrown for a wrong command line; what() is one of our sentences or CLI11's message.
class WrongArguments : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Checks the value of an option. Returns an empty string if it is valid, else what to give. May rewrite the value.
using TextCheck = std::function<std::string(std::string&)>;

/// A declared option, flag or positional argument.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument& required();
  /// Sets the name of the value in the help, such as "N".
  Argument& value_name(const std::string& name);
  /// Shows the current value of the variable as the default in the help.
  Argument& show_default();
  /// For a list: each occurrence of the option takes one value, as in --fix a=1 --fix b=2; the word after that is
  /// another argument.
  Argument& one_value_each();
  Argument& take_from_environment(const std::string& variable);
  Argument& check(const TextCheck& check);
  Argument& one_of(const std::vector<std::string>& values);
  Argument& describe(const std::string& description);
  Argument& excludes(const Argument& other);
  bool is_given() const;

 private:
  CLI::Option* option_;
};

/// A subcommand of the program, or one of a subcommand.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  /// `name` is "--seed", or "workload" for a positional argument. Value is std::string, a vector of them, int,
  /// std::int64_t, std::uint64_t, double, or a std::optional of int, std::int64_t or double.
  template <typename Value>
  Argument add_option(const std::string& name, Value& value, const std::string& description);
  Argument add_flag(const std::string& name, bool& value, const std::string& description);
  /// Sets a callback that parse() calls if this subcommand is given, after it has set all values. The callback may
  /// throw WrongArguments.
  void on_chosen(const std::function<void()>& callback);
  /// Adds a subcommand. A command line that names this command must then name exactly one of its subcommands.
  Command add_command(const std::string& name, const std::string& description);

 private:
  CLI::App* app_;
};

/// The program and its subcommands. A command line must name exactly one of them.
class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& name, const std::string& version,
              const std::string& footer);
  ~CommandLine();

  Command add_command(const std::string& name, const std::string& description);
  /// The names of the subcommands of the command that `path` leads to: {} are those of the program, {"log"} those of
  /// log. Empty if there is no such command, or if it has none.
  std::vector<std::string> command_names(const std::vector<std::string>& path) const;
  /// Returns the exit code if the command line asks for help or the version, which is then printed; else nothing.
  /// Throws WrongArguments.
  std::optional<int> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace nestwright::cli
