// The kernels of templates compute in registers, whatever the configuration: their innermost loops have no vectors on
// the stack, and no branch but the latch. (A soak, NESTWRIGHT_SOAK, tolerates one candidate in twenty.)
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "codegen/inspect.h"
#include "nestwright/registry.h"
#include "target/description/cpu_features.h"
#include "template_cases.h"
#include "tests/templates/all_templates.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> problems_of(const Candidate& c) {
  CompileOptions options;
  options.keep_assembly = true;
  return innermost_loop_problems(compile(lowered(c), c.target, options).assembly);
}

/// Whether the problem is that constants of a polynomial are reloaded from the stack: exp, erf and tanh have more than
/// 16 registers hold. Vectors that the loop itself spills would be more accesses.
bool is_about_constants(const Candidate& c, const std::string& problem) {
  constexpr int kMaxReads = 8;
  const std::size_t count = problem.find(": ");
  if (c.target.vector_registers > 16 || problem.find("accesses to vectors on the stack") == std::string::npos) {
    return false;
  }
  const std::string text = c.workload.str();
  const bool expands = c.workload.op->name == "softmax" || text.find("gelu") != std::string::npos ||
                       text.find("tanh") != std::string::npos || text.find("exp") != std::string::npos ||
                       text.find("sigmoid") != std::string::npos;
  return expands && std::stoi(problem.substr(count + 2)) <= kMaxReads;
}

/// What CPUs have no instructions for: rounding to tf32 takes branches, and erf of float64 is a call.
bool has_branches_or_calls(const Workload& workload) {
  const std::string text = workload.str();
  const bool has_erf = text.find("gelu") != std::string::npos && text.find("gelu_tanh") == std::string::npos;
  return text.find("precision=tf32") != std::string::npos || (has_erf && text.find("float64") != std::string::npos);
}

/// The candidates of a test. Constraints estimate what LLVM keeps in registers: of the samples of each run none has
/// problems; of ten times as many (NESTWRIGHT_SOAK) some do, which lose against their neighbours when they are timed.
class LoopTally {
 public:
  void add(const Candidate& c, std::vector<std::string> problems) {
    ++candidates_;
    if (problems.empty()) return;
    ++unclean_;
    for (const std::string& problem : problems) report_ += problem + "\n";
    report_ += c.str() + "\n";
  }

  void check_loops(const Candidate& c) {
    try {
      std::vector<std::string> problems = problems_of(c);
      std::erase_if(problems, [&](const std::string& problem) { return is_about_constants(c, problem); });
      add(c, std::move(problems));
    } catch (const Error& error) {
      ADD_FAILURE() << c.str() << ": " << error.what();
    }
  }

  void expect_clean() const {
    EXPECT_GT(candidates_, 0);
    constexpr int kTolerated = 20;  // one in so many, of a soak
    EXPECT_LE(unclean_, soak() == 1 ? 0 : candidates_ / kTolerated) << "of " << candidates_ << ":\n" << report_;
  }

 private:
  int candidates_ = 0, unclean_ = 0;
  std::string report_;
};

constexpr std::size_t kAllSeeds = 1000;

bool is_made_of_narrow_elements(const Workload& workload) {
  const Definition definition = workload.op->define(workload);
  return std::any_of(definition.args.begin(), definition.args.end(),
                     [](const Tensor& tensor) { return tensor.dtype().bits < 32; });
}

/// The templates for CPUs that serve elements of 32 bits or more, but for conv2d.winograd, whose transforms hold more
/// vectors than there are registers. MatmulLoops.OfNarrowProductsStayInRegisters has the others.
std::vector<std::string> cpu_templates() {
  std::vector<std::string> names;
  for (const Template* t : all_templates()) {
    const bool is_narrow = t->name == "matmul.amx" || t->name == "matmul.dot" || t->name == "matmul.convert";
    if (t->is_for(DeviceKind::kCpu) && !is_narrow && t->name != "conv2d.winograd") names.push_back(t->name);
  }
  return names;
}

/// Every template written by hand, for every instruction set.
class TemplateLoops : public ::testing::TestWithParam<std::tuple<CpuIsa, std::string>> {};

TEST_P(TemplateLoops, StayInRegisters) {
  const auto& [isa, name] = GetParam();
  const Template& t = *builtin_registry().find_template(name);
  Target target = target_of(isa);
  std::mt19937_64 random = random_for(t.name);
  LoopTally tally;
  for (int round = 0; round < rounds_of(t, 4); ++round) {
    target.threads = 1 + round % 2;
    // Long enough for the reduction to remain a loop, however often it is unrolled; a matrix-vector product takes the
    // longest steps, 512. A partial last step branches around whole vectors: 1536 has no partial step.
    const std::vector<std::int64_t> sizes = name == "matmul.gemv" ? std::vector<std::int64_t>{1031, 1100, 1151, 1536}
                                            : round % 4 == 0      ? std::vector<std::int64_t>{64, 128, 512}
                                                                  : std::vector<std::int64_t>{31, 48, 67, 96, 127, 200};
    if (isa == CpuIsa::kAvx512) target.features = features_of_cpu(round % 2 == 0 ? "" : "sapphirerapids");
    const auto workload = random_workload(t, target, sizes, random);
    if (!workload || is_made_of_narrow_elements(*workload) || has_branches_or_calls(*workload)) continue;
    for (const Candidate& c : candidates(t, *workload, target, round == 0 ? kAllSeeds : 2, 4, random)) {
      tally.check_loops(c);
    }
  }
  tally.expect_clean();
}

INSTANTIATE_TEST_SUITE_P(All, TemplateLoops,
                         ::testing::Combine(::testing::Values(CpuIsa::kX86_64, CpuIsa::kAvx2, CpuIsa::kAvx512),
                                            ::testing::ValuesIn(cpu_templates())),
                         [](const auto& parameter) {
                           std::string name =
                               isa_name(std::get<0>(parameter.param)) + "_" + std::get<1>(parameter.param);
                           std::replace_if(
                               name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

// Knobs that templates offer only for tensors larger than the caches, on a target with small caches.
class LargeTensorLoops : public ::testing::TestWithParam<CpuIsa> {};

TEST_P(LargeTensorLoops, StayInRegisters) {
  Target target = target_of(GetParam());
  target.l2_bytes = 4096;
  std::mt19937_64 random = random_for("large");
  LoopTally tally;
  for (const char* text : {"reduce function=sum shape=64x512 axes=1", "reduce function=max shape=512x128 axes=0",
                           "reduce function=mean shape=32768 axes=0", "elementwise function=add shape=32768"}) {
    const Workload workload = parse_workload(text);
    const Template& t = *templates_for(workload, target).front();
    for (const Candidate& c : candidates(t, workload, target, 3, 4 * soak(), random)) tally.check_loops(c);
  }
  tally.expect_clean();
}

INSTANTIATE_TEST_SUITE_P(Isas, LargeTensorLoops, ::testing::Values(CpuIsa::kX86_64, CpuIsa::kAvx2, CpuIsa::kAvx512),
                         [](const auto& parameter) { return isa_name(parameter.param); });

class MatmulLoops : public ::testing::TestWithParam<CpuIsa> {};

// Packing converts narrow elements and words at the end of a vector one by one, with branches; none uses the stack.
TEST_P(MatmulLoops, OfNarrowProductsStayInRegisters) {
  Target target = target_of(GetParam());
  std::mt19937_64 random = random_for("narrow");
  LoopTally tally;
  for (int round = 0; round < 2 * soak(); ++round) {
    const bool has_more = GetParam() == CpuIsa::kAvx512 && round % 2 == 1;
    target.features = features_of_cpu(has_more ? "sapphirerapids" : "");
    const std::vector<int> rows{31, 48, 67, 96, 127, 200}, columns{48, 96, 112, 192};
    const std::string shape = " m=" + std::to_string(rows[random() % rows.size()]) +
                              " n=" + std::to_string(columns[random() % columns.size()]) + " k=256 dtype=";
    for (const char* type : {"bfloat16", "float16", "int8", "uint8"}) {
      // Conversions of float16 are calls where the CPU has no instruction for them.
      if (GetParam() == CpuIsa::kX86_64 && std::string(type) == "float16") continue;
      const Workload workload = parse_workload("matmul" + shape + type);
      for (const Template* t : templates_for(workload, target)) {
        for (const Candidate& c : candidates(*t, workload, target, 1, 1, random)) {
          std::vector<std::string> problems = problems_of(c);
          std::erase_if(problems, [](const std::string& p) { return p.find("stack") == std::string::npos; });
          tally.add(c, std::move(problems));
        }
      }
    }
  }
  tally.expect_clean();
}

TEST_P(MatmulLoops, OfThinProductsStayInRegisters) {
  const Target target = target_of(GetParam());
  std::mt19937_64 random = random_for("thin");
  LoopTally tally;
  for (const char* shape : {"m=1 n=200 k=96", "m=1 n=96 k=67 tb=1", "m=127 n=1 k=67", "m=96 n=3 k=64 ta=1"}) {
    const Workload workload = parse_workload(std::string("matmul ") + shape);
    for (const Candidate& c :
         candidates(*builtin_registry().find_template("matmul.cpu"), workload, target, 2, 3 * soak(), random)) {
      tally.check_loops(c);
    }
  }
  tally.expect_clean();
}

INSTANTIATE_TEST_SUITE_P(Isas, MatmulLoops, ::testing::Values(CpuIsa::kX86_64, CpuIsa::kAvx2, CpuIsa::kAvx512),
                         [](const auto& parameter) { return isa_name(parameter.param); });

TEST(TemplateLoopsAreSeenThrough, ATileThatIsTooLargeIsSeen) {
  const Target target = target_of(CpuIsa::kAvx512);
  const Template& matmul = *builtin_registry().find_template("matmul.cpu");
  const Workload workload = parse_workload("matmul m=64 n=64 k=64");
  Candidate c{&matmul, workload, target, matmul.seeds(workload, target).front()};
  EXPECT_THAT(problems_of(c), IsEmpty());
  // 16 x 32 needs as many accumulators as there are registers. The space has no such point, but instantiate() accepts
  // it.
  c.config.set("register_rows", {16});
  c.config.set("register_vectors", {2});
  ASSERT_FALSE(discover_space(matmul, workload, target).is_valid(c.config));
  EXPECT_THAT(problems_of(c), ::testing::Contains(HasSubstr("accesses to vectors on the stack")));
}

}  // namespace
}  // namespace nestwright::testing
