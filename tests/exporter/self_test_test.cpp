// Self-tests of operators with functions, conditions, several stages and every reducer: they pass a right kernel, and
// tell it from one that computes something else.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "export_fixture.h"
#include "exporter/sources.h"
#include "expression/scan.h"
#include "kernel/parallel_loops.h"
#include "lower/lower.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

constexpr int kRows = 19, kColumns = 37, kDepth = 11;

/// An operator of X, and for two stages W too. `wrong` stands for what a wrong kernel computes in its stead.
struct Case {
  const char* name;
  std::function<Tensor(const Tensor& X, const Tensor& W, bool wrong)> make;
  ir::Type type = kFloat32;
};

Tensor product(const Tensor& X, const Tensor& W) {
  const IterVar k = reduce_axis(kDepth, "k");
  return compute({kRows, kColumns}, [&](Expr i, Expr j) { return sum(X(i, k) * W(k, j), k); }, "product");
}

/// Of each element of X.
Case of_elements(const char* name, const std::function<Expr(const Expr& x)>& right,
                 const std::function<Expr(const Expr& x)>& other, ir::Type type = kFloat32) {
  return {name,
          [=](const Tensor& X, const Tensor&, bool wrong) {
            return compute({kRows, kDepth}, [&](Expr i, Expr j) { return (wrong ? other : right)(X(i, j)); }, "Y");
          },
          type};
}

/// Of each row of X, by a reduction in a stage of its own.
Case of_rows(const char* name, const std::function<Expr(const Expr& x, const std::vector<IterVar>& k)>& reduced,
             const std::function<Expr(const Expr& reduced, bool wrong)>& value) {
  return {name, [=](const Tensor& X, const Tensor&, bool wrong) {
            const IterVar k = reduce_axis(kDepth, "k");
            const Tensor r = compute({kRows}, [&](Expr i) { return reduced(X(i, k), {k}); }, "reduced");
            return compute({kRows}, [&](Expr i) { return value(r(i), wrong); }, "Y");
          }};
}

const auto kZero = [](const Expr& x) { return x * 0.0; };
/// A difference that no rounding makes.
Expr nearly(const Expr& e, bool wrong) { return wrong ? e * 1.0001 : e; }

const std::vector<Case> kCases{
    {"product_bias_tanh",
     [](const Tensor& X, const Tensor& W, bool wrong) {
       const Tensor p = product(X, W);
       return compute(
           {kRows, kColumns}, [&](Expr i, Expr j) { return nearly(tanh(p(i, j) + W(0, j)) * sigmoid(p(i, j)), wrong); },
           "Y");
     }},
    {"product_relu_gradient",  // a jump where sums are near zero
     [](const Tensor& X, const Tensor& W, bool wrong) {
       const Tensor p = product(X, W);
       return compute(
           {kRows, kColumns}, [&](Expr i, Expr j) { return select(p(i, j) > (wrong ? 0.01 : 0.0), 1.0, 0.25); }, "Y");
     }},
    {"softmax",
     [](const Tensor& X, const Tensor&, bool wrong) {
       const IterVar k = reduce_axis(kDepth, "k"), l = reduce_axis(kDepth, "l");
       const Tensor most = compute({kRows}, [&](Expr i) { return max(X(i, k), k); }, "most");
       const Tensor e = compute({kRows, kDepth}, [&](Expr i, Expr j) { return exp(X(i, j) - most(i)); }, "e");
       const Tensor all = compute({kRows}, [&](Expr i) { return sum(e(i, l), l); }, "all");
       return compute({kRows, kDepth}, [&](Expr i, Expr j) { return nearly(e(i, j) / all(i), wrong); }, "Y");
     }},
    {"padded",
     [](const Tensor& X, const Tensor&, bool wrong) {
       return compute(
           {kRows + 2, kDepth},
           [&](Expr i, Expr j) {
             return select(i >= 1 && i - 1 < kRows, X(i - 1, (j * 3 - 5) % kDepth), wrong ? 0.5 : 0.0) +
                    cast(kFloat32, (j - 4) / 3);
           },
           "Y");
     }},
    {"running_sum",
     [](const Tensor& X, const Tensor&, bool wrong) {
       const Tensor state = placeholder({kRows, kDepth}, kFloat32, "state");
       const Tensor init = compute({2, kDepth}, [&](Expr t, Expr j) { return X(t, j) * 0.5; }, "init");
       const Tensor update = compute(
           {kRows, kDepth}, [&](Expr t, Expr j) { return state(t - (wrong ? 1 : 2), j) * 0.75 + X(t, j); }, "update");
       return scan(init, update, state, {X}, "Y");
     }},
    of_elements(
        "exp_log", [](const Expr& x) { return exp(x * 3.0) + log(abs(x) + 0.5); }, kZero),
    of_elements(
        "log_of_what_may_be_negative", [](const Expr& x) { return log(x) + log2(x); }, kZero),
    of_elements(
        "roots", [](const Expr& x) { return sqrt(x + 1.5) * rsqrt(x * x + 0.25); }, [](const Expr& x) { return x; }),
    of_elements(
        "tanh_erf", [](const Expr& x) { return tanh(x) - erf(x); }, [](const Expr& x) { return tanh(x); }),
    of_elements(
        "sigmoid_pow", [](const Expr& x) { return sigmoid(x) * pow(abs(x) + 0.1, x); }, kZero),
    of_elements(
        "rounding", [](const Expr& x) { return floor(x * 8.0) + ceil(x * 5.0) * round(x * 4.0); },
        [](const Expr& x) { return floor(x * 8.0) + ceil(x * 5.0) * floor(x * 4.0); }),
    of_elements(
        "tf32", [](const Expr& x) { return round_tf32(x) * 3.0; }, [](const Expr& x) { return x * 3.0; }),
    of_elements(
        "clamped", [](const Expr& x) { return fma(clamp(x, -0.5, 0.25), x, max(x, min(x * x, 0.5))); }, kZero),
    of_elements(
        "chosen", [](const Expr& x) { return select((x > 0.5 || x <= -0.5) && !(x == 0.75) && x != 0.0, x / 3.0, -x); },
        [](const Expr& x) { return select(x > 0.5 || x <= -0.25, x / 3.0, -x); }),
    of_elements(
        "narrow",
        [](const Expr& x) { return cast(kFloat32, cast(kFloat16, x) * 3.0) + cast(kFloat32, cast(kInt32, x)); }, kZero),
    of_elements(
        "in_double", [](const Expr& x) { return exp(x) * tanh(x) + pow(x * x + 1.0, x); },
        [](const Expr& x) { return (exp(x) * tanh(x) + pow(x * x + 1.0, x)) * ir::make_float(1 + 1e-12, kFloat64); },
        kFloat64),
    of_rows(
        "largest_and_root", [](const Expr& x, const std::vector<IterVar>& k) { return max(x, k); },
        [](const Expr& r, bool wrong) { return sqrt(abs(nearly(r, wrong))); }),
    of_rows(
        "smallest", [](const Expr& x, const std::vector<IterVar>& k) { return min(x, k); }, nearly),
    of_rows(
        "product_of_all", [](const Expr& x, const std::vector<IterVar>& k) { return prod(x + 1.5, k); }, nearly),
    of_rows(
        "any_large", [](const Expr& x, const std::vector<IterVar>& k) { return any(x > 0.9, k); },
        [](const Expr& r, bool wrong) { return select(wrong ? !r : r, Expr(1.0), Expr(0.0)); }),
    of_rows(
        "all_small", [](const Expr& x, const std::vector<IterVar>& k) { return all(x < 0.9, k); },
        [](const Expr& r, bool wrong) { return select(wrong ? !r : r, Expr(1.0), Expr(0.0)); }),
    of_rows(
        "count", [](const Expr& x, const std::vector<IterVar>& k) { return sum(cast(kInt32, x > 0.0), k); },
        [](const Expr& r, bool wrong) { return cast(kFloat32, wrong ? r + 1 : r * r); }),
};

class SelfTest : public ExportTest, public ::testing::WithParamInterface<Case> {
 protected:
  /// Writes the library `k` of the kernel that `computed` becomes, with the self-test of `expected`.
  void write(const Definition& computed, const Definition& expected) {
    const Task task{parse_workload("matmul m=8 n=8 k=8"), host_with(1)};  // named in the header's text only
    const Lookup found;
    Schedule schedule = create_schedule(computed.args.back());
    const ir::Program program = expand(lower(schedule, computed.args, task.target, "k_kernel"), task.target);
    const CompiledObject object = make_backend(DeviceKind::kCpu)->compile(program, task.target, {});
    const Exported exported{"k", &task, &found, &expected, &object, has_parallel_loop(program)};
    std::filesystem::create_directories(file("k"));
    write_text(file("k/k.h"), header_source(exported));
    write_text(file("k/k.c"), launcher_source(exported));
    write_text(file("k/k_kernel.o"), object.object);
    write_text(file("k/k_selftest.c"), self_test_source(exported));
  }
  Definition definition(bool wrong) {
    const ir::Type type = GetParam().type;
    const Tensor X = placeholder({kRows, kDepth}, type, "X"), W = placeholder({kDepth, kColumns}, type, "W");
    const Tensor Y = GetParam().make(X, W, wrong);
    const bool reads_w = Y.rank() == 2 && Y.shape()[1].as<ir::IntImm>()->value == kColumns;
    return reads_w ? Definition{{X, W, Y}, 2} : Definition{{X, Y}, 1};
  }
  CommandResult build_and_run() {
    const CommandResult build =
        run("cd k && cc -std=c11 -O1 -Wall -Wextra -Werror k.c k_selftest.c k_kernel.o -lm -lpthread -o selftest");
    EXPECT_EQ(build.code, 0) << build.output;
    return run("timeout 60 ./k/selftest");
  }
};

TEST_P(SelfTest, PassesTheRightKernelOnly) {
  const Definition right = definition(false);
  write(right, right);
  const CommandResult result = build_and_run();
  EXPECT_EQ(result.code, 0) << result.output << read_text(file("k/k_selftest.c"));
  EXPECT_THAT(result.output, HasSubstr("elements checked, all right"));
  write(definition(true), right);
  const CommandResult wrong = build_and_run();
  EXPECT_EQ(wrong.code, 1) << wrong.output;
  EXPECT_THAT(wrong.output, HasSubstr(", expected "));
}

INSTANTIATE_TEST_SUITE_P(Exporter, SelfTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace nestwright
