// For every template and configuration, least_work counts no more than the program executes when it is interpreted,
// statement by statement.
#include <gmock/gmock.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include "cost_model/least_time.h"
#include "ir/analysis/evaluate.h"
#include "ir/analysis/preparation.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/registry.h"
#include "tests/templates/all_templates.h"

namespace nestwright {
namespace {

using namespace ir;  // NOLINT(google-build-using-namespace)

/// Executes the loops without the arithmetic.
class Execution {
 public:
  explicit Execution(const Program& program) {
    for (const Parameter& parameter : program.parameters) {
      if (parameter.role != Role::kOutput) parameters_.insert(parameter.buffer);
    }
    for (std::size_t k = 0; k < program.kernels.size(); ++k) {
      if (is_of_call(program, k)) run(program.kernels[k].body);
    }
  }
  double multiplications = 0;
  double read_bytes() const {
    double sum = 0;
    for (const auto& [buffer, elements] : read_) sum += static_cast<double>(elements.size()) * buffer->element.bytes();
    return sum;
  }

 private:
  std::int64_t value(const Expr& e) const { return evaluate(e, vars_, values_); }

  void with(const Var& var, const std::function<void()>& body, std::int64_t first, std::int64_t count) {
    vars_.push_back(var);
    values_.push_back(0);
    for (std::int64_t i = 0; i < count; ++i) {
      values_.back() = first + i;
      body();
    }
    vars_.pop_back();
    values_.pop_back();
  }

  void run(const Stmt& s) {
    if (!s.defined()) return;
    if (const auto* loop = s.as<For>()) {
      with(loop->var, [&] { run(loop->body); }, value(loop->min), value(loop->extent));
    } else if (const auto* let = s.as<Let>()) {
      with(let->var, [&] { run(let->body); }, value(let->value), 1);
    } else if (const auto* branch = s.as<IfThenElse>()) {
      run(value(branch->condition) != 0 ? branch->then_case : branch->else_case);
    } else if (const auto* block = s.as<Block>()) {
      for (const Stmt& child : block->stmts) run(child);
    } else if (const auto* allocate = s.as<Allocate>()) {
      run(allocate->body);
    } else if (const auto* store = s.as<Store>()) {
      run(store->value);
    }
  }

  void run(const Expr& e) {
    if (const auto* load = e.as<Load>()) {
      if (!parameters_.contains(load->buffer)) return;
      std::vector<std::int64_t> element;
      for (const Expr& index : load->indices) element.push_back(value(index));
      read_[load->buffer].insert(std::move(element));
    } else if (const auto* choice = e.as<Select>()) {
      try {
        run(value(choice->condition) != 0 ? choice->if_true : choice->if_false);
      } catch (const InternalError&) {  // depends on data
      }
    } else if (const auto* cast = e.as<Cast>()) {
      run(cast->value);
    } else if (const auto* binary = e.as<Binary>()) {
      multiplications += binary->op == BinaryOp::kMul ? 1 : 0;
      run(binary->a);
      run(binary->b);
    } else if (const auto* call = e.as<Call>()) {
      const Intrinsic intrinsic = call->intrinsic;
      const bool is_of_bytes = intrinsic == Intrinsic::kDotU8S8 || intrinsic == Intrinsic::kDotS8S8;
      multiplications += intrinsic == Intrinsic::kFma ? 1 : is_of_bytes ? 4 : is_dot(intrinsic) ? 2 : 0;
      for (const Expr& argument : call->args) run(argument);
    }
  }

  std::set<Buffer> parameters_;
  std::vector<Var> vars_;
  std::vector<std::int64_t> values_;
  std::map<Buffer, std::set<std::vector<std::int64_t>>> read_;
};

double multiplications_of_matmul(const Workload& w) {
  return static_cast<double>(w.size("batch") * w.size("m") * w.size("n") * w.size("k"));
}

class LeastTimeOfTemplates : public ::testing::TestWithParam<const char*> {};

TEST_P(LeastTimeOfTemplates, IsNoMoreThanWhatIsDone) {
  const Workload workload = parse_workload(GetParam());
  int candidates = 0;
  for (const char* text : {"cpu,isa=avx2,threads=2", "cpu,isa=avx512,threads=1,features=avx512_vnni+avx512_bf16",
                           "cpu,isa=avx512,threads=2,features=avx512_vnni+amx_int8+amx_bf16"}) {
    const Target target = Target::parse(text);
    for (const Template* t : templates_for(workload, target)) {
      std::mt19937_64 random(7);
      std::vector<Config> configs = t->seeds(workload, target);
      configs.resize(std::min<std::size_t>(configs.size(), 2));
      const ConfigSpace space = discover_space(*t, workload, target);
      for (int i = 0; i < 4; ++i) {
        if (const auto config = space.sample(random)) configs.push_back(*config);
      }
      for (const Config& config : configs) {
        const Instance instance = instantiate(*t, workload, target, config);
        const Program program = lower(instance.schedule, instance.definition.args, target, "kernel");
        const Execution done(program);
        const LeastWork least = least_work(program);
        const std::string where = t->name + " " + config.str();
        EXPECT_LE(least.multiplications, done.multiplications * (1 + 1e-12)) << where;
        EXPECT_LE(least.read_bytes, done.read_bytes() * (1 + 1e-12)) << where;
        EXPECT_GT(least.written_bytes, 0) << where;
        if (workload.op->name == "matmul") {
          // Half of the operations are multiplications: a count far below that would not reject any time.
          EXPECT_GE(least.multiplications, 0.95 * multiplications_of_matmul(workload)) << where;
          EXPECT_GT(least.read_bytes, 0) << where;
        }
        ++candidates;
      }
    }
  }
  EXPECT_GE(candidates, 6);
}

constexpr std::array kWorkloads = {"matmul m=13 n=18 k=9",
                                   "matmul m=16 n=16 k=16 ta=1 tb=1",
                                   "matmul m=1 n=40 k=17",
                                   "matmul m=17 n=1 k=30",
                                   "matmul m=19 n=20 k=8 dtype=int8",
                                   "matmul m=9 n=33 k=10 dtype=bfloat16",
                                   "matmul m=16 n=16 k=32 dtype=int8",
                                   "matmul m=10 n=9 k=8 dtype=float64",
                                   "matmul m=8 n=12 k=16 prepared=b",
                                   "matmul m=7 n=10 k=12 batch=2 alpha=2 beta=0.5 epilogue=bias_residual_relu",
                                   "elementwise function=multiply shape=103",
                                   "elementwise function=gelu shape=5x7x6",
                                   "broadcast function=multiply rows=6 columns=48 vector=column",
                                   "transpose rows=37 columns=13",
                                   "reduce function=sum shape=53x20 axes=1",
                                   "reduce function=max shape=5x6x7x3 axes=1,3",
                                   "softmax rows=5 columns=37",
                                   "layer_norm rows=5 columns=48",
                                   "conv2d n=1 c=16 h=6 w=7 k=9 r=3 s=3 pad=1",
                                   "depthwise_conv2d n=1 c=6 h=7 w=9 r=3 s=3 pad=1",
                                   "scan function=sum steps=6 columns=37"};
INSTANTIATE_TEST_SUITE_P(Workloads, LeastTimeOfTemplates, ::testing::ValuesIn(kWorkloads));

TEST(LeastTimeOfTemplatesTest, EveryOperatorOfTheCpuIsAmongThem) {
  for (const std::shared_ptr<const Operator>& op : builtin_registry().operators()) {
    EXPECT_TRUE(std::any_of(kWorkloads.begin(), kWorkloads.end(), [&](const std::string& text) {
      return text.starts_with(op->name + " ");
    })) << op->name;
  }
}

}  // namespace
}  // namespace nestwright
