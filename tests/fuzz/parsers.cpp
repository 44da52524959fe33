#include "tests/fuzz/parsers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "ir/serialize/serialize.h"
#include "logs/encode.h"
#include "logs/exchange/cache_entry.h"
#include "logs/exchange/files/json_entries.h"
#include "logs/exchange/t4_entry.h"
#include "measure/process/protocol.h"
#include "nestwright/config_space.h"
#include "nestwright/error.h"
#include "nestwright/model/onnx.h"
#include "nestwright/program.h"
#include "nestwright/registry.h"
#include "nestwright/schedule.h"
#include "nestwright/target.h"
#include "nestwright/workload.h"
#include "search/revalidation/baseline.h"
#include "space/config_json.h"
#include "templates/framework/template/workload_file.h"
#include "text/analysis/product.h"
#include "text/expression.h"
#include "text/tensors.h"

namespace nestwright {
namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// Returns the parsed value, which must be the same after it is printed and parsed again.
template <class Parse, class Print>
auto read_twice(std::string_view text, const Parse& parse, const Print& print, const char* what) {
  const auto value = parse(text);
  require(parse(print(value)) == value, what);
  return value;
}

constexpr auto kPrint = [](const auto& value) { return value.str(); };

void feed_workload(std::string_view text) {
  const auto parse = [](std::string_view words) { return parse_workload(words); };
  const Workload workload = read_twice(text, parse, kPrint, "a workload is another one once it was printed");
  workload.op->define(workload);
}

void feed_expression(std::string_view text) {
  const text::Expression expression =
      read_twice(text, text::Expression::parse, kPrint, "an expression is another one once it was printed");
  text::find_product(expression.program());
  text::make_tensors(expression.program());
}

void feed_config(std::string_view text) {
  read_twice(text, Config::parse, kPrint, "a configuration is another one once it was printed");
}

void feed_condition(std::string_view text) { KnobCondition::parse(text); }

void feed_config_json(std::string_view text) {
  const auto print = [](const Config& config) { return to_json(config); };
  read_twice(text, config_from_json, print, "a configuration is another one once it was written as JSON");
}

void feed_target(std::string_view text) {
  read_twice(text, Target::parse, kPrint, "a target is another one once it was printed");
}

void feed_trace(std::string_view text) {
  read_twice(text, Trace::parse, kPrint, "a trace is another one once it was printed");
}

void feed_program(std::string_view bytes) { ir::to_string(ir::deserialize(bytes)); }

/// The first byte selects the message.
void feed_message(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string_view message = bytes.substr(1);
  switch (bytes.front()) {
    case 'h':
      expect_hello(message);
      break;
    case 'c':
      encode(decode_compile_request(message));
      break;
    case 'C':
      encode(decode_compile_reply(message));
      break;
    case 's':
      encode(decode_runner_setup(message));
      break;
    case 'r':
      encode(decode_runner_request(message));
      break;
    case 'R':
      encode(decode_runner_reply(message));
      break;
    default:
      break;
  }
}

void feed_workload_file(std::string_view text) { parse_workload_file(std::string(text), "shapes.json"); }

void feed_baseline(std::string_view text) { parse_baseline(std::string(text), "baseline.json"); }

/// The first byte selects the column.
void feed_column(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string_view text = bytes.substr(1);
  switch (bytes.front()) {
    case 'n':
      encode_numbers(decode_numbers(text));
      break;
    case 'p':
      encode_parameters(decode_parameters(text));
      break;
    case 'r':
      encode_resources(decode_resources(text));
      break;
    default:
      break;
  }
}

/// A file in memory alone, beside which there are no others.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzzed", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "no memory for a file");
    require(write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "a file is too short");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

void feed_onnx(std::string_view bytes) {
  const MemoryFile file(bytes);
  try {
    import_onnx(file.path());
  } catch (const UsageError& error) {
    if (std::string_view(error.what()).find("symbolic") == std::string_view::npos) throw;
    import_onnx(file.path(), {.dims = {{"n", 2}}});
  }
}

/// The entries of a file of another tuner. The first byte selects the format: K is a cache of Kernel Tuner, others T4.
void feed_records(std::string_view bytes) {
  if (bytes.empty()) return;
  const bool is_cache = bytes.front() == 'K';
  const MemoryFile file(bytes.substr(1));
  const nlohmann::ordered_json header = {{"tune_params_keys", {"block", "unroll", "factor", "mode"}}};
  EntryHandlers handlers{.container = is_cache ? "cache" : "results", .may_end_open = is_cache};
  handlers.on_entry = [&](const std::string& name, const nlohmann::ordered_json& entry) {
    const auto result = is_cache ? t4_of_cache_entry(header, name, entry) : entry;
    const ForeignTrial trial = trial_of_t4(result, 1);
    const auto printed = t4_of_trial(trial, 1);
    require(trial_of_t4(printed, 1).config == trial.config, "a result is another one once it was printed");
    if (is_cache) cache_entry_of_t4(header, printed, true);
  };
  read_json_entries(file.path(), handlers);
}

constexpr FuzzedParser kParsers[] = {{"workload", feed_workload},
                                     {"baseline", feed_baseline},
                                     {"expression", feed_expression},
                                     {"config", feed_config},
                                     {"condition", feed_condition},
                                     {"config_json", feed_config_json},
                                     {"target", feed_target},
                                     {"trace", feed_trace},
                                     {"program", feed_program},
                                     {"message", feed_message},
                                     {"workload_file", feed_workload_file},
                                     {"column", feed_column},
                                     {"onnx", feed_onnx},
                                     {"records", feed_records}};

}  // namespace

std::span<const FuzzedParser> fuzzed_parsers() { return kParsers; }

void feed_or_abort(const FuzzedParser& parser, std::string_view bytes) {
  try {
    parser.feed(bytes);
  } catch (const InternalError& e) {
    std::fprintf(stderr, "%s: %s\n", parser.name, e.what());
    std::abort();
  } catch (const Error& e) {
    const std::string sentence = e.what();
    require(!sentence.empty(), "it was refused without a word");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: no Error was thrown: %s\n", parser.name, e.what());
    std::abort();
  }
}

}  // namespace nestwright
