// expand() on handwritten programs: the vector form is compared in print, and its results with the interpreter's of the
// loop form.
#include <gmock/gmock.h>

#include <cstring>
#include <functional>
#include <vector>

#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "pass_list.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using namespace ir;
using ::testing::HasSubstr;
using ::testing::Not;

Target target_of(CpuIsa isa) {
  Target target;
  target.isa = isa;
  target.vector_bits = isa == CpuIsa::kAvx512 ? 512 : isa == CpuIsa::kAvx2 ? 256 : 128;
  return target;
}

struct OneKernel {
  Buffer A, B;  ///< input, output
  Program program;
};

/// A program that computes B[n] from A[n] by `make_body(A, B)`.
OneKernel kernel(std::int64_t n, const std::function<Stmt(Buffer, Buffer)>& make_body, std::int64_t n_out = 0) {
  OneKernel k;
  k.A = Buffer("A", kFloat32, {Expr(n)});
  k.B = Buffer("B", kFloat32, {Expr(n_out == 0 ? n : n_out)});
  k.program.name = "test";
  k.program.parameters = {{k.A, Role::kInput}, {k.B, Role::kOutput}};
  k.program.host = make_launch(0);
  k.program.kernels = {{"main", make_body(k.A, k.B)}};
  return k;
}

std::vector<float> run(const Program& program, std::int64_t n, std::int64_t n_out) {
  std::vector<float> a(static_cast<std::size_t>(n)), b(static_cast<std::size_t>(n_out), -1.f);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i) + 1;
  const std::vector<Memory> memory{std::as_writable_bytes(std::span(a)), std::as_writable_bytes(std::span(b))};
  interpret(program, memory);
  return b;
}

/// Expands for all instruction sets and compares the results. Returns the printed vector form for the last, AVX-512.
std::string expand_everywhere(const OneKernel& k) {
  const std::int64_t n = k.A->elements(), n_out = k.B->elements();
  const std::vector<float> expected = run(k.program, n, n_out);
  std::string text;
  for (CpuIsa isa : {CpuIsa::kX86_64, CpuIsa::kAvx2, CpuIsa::kAvx512}) {
    LowerOptions options;
    options.verify = true;
    const Program expanded = expand(k.program, target_of(isa), options);
    EXPECT_EQ(run(expanded, n, n_out), expected) << to_string(expanded);
    text = to_string(expanded);
    if (isa == CpuIsa::kX86_64) {
      for_each_expr(expanded.kernels[0].body, [](const Expr& e) {
        if (const auto* load = e.as<Load>()) {
          EXPECT_FALSE(load->mask.defined()) << "a mask on a target without masks";
        }
      });
    }
  }
  return text;
}

std::string lower_error(const OneKernel& k, CpuIsa isa = CpuIsa::kAvx512) {
  return message<LowerError>([&] { expand(k.program, target_of(isa)); });
}

TEST(Expand, FullVectors) {
  const auto k = kernel(64, [](Buffer A, Buffer B) {
    const Var i("i"), j("j");
    const Expr at = i * 32 + j;
    return make_for(i, 0, 2, LoopKind::kSerial,
                    make_for(j, 0, 32, LoopKind::kVectorized, make_store(B, {at}, make_load(A, {at}) * Expr(2.0))));
  });
  const std::string text = expand_everywhere(k);
  EXPECT_THAT(text, HasSubstr("B[ramp(i*32, 1, 16)]"));
  EXPECT_THAT(text, HasSubstr("B[ramp(i*32 + 16, 1, 16)]"));
  EXPECT_THAT(text, Not(HasSubstr("vectorized")));
}

TEST(Expand, PartialVectorsOfEveryLength) {
  for (int n = 1; n <= 35; ++n) {
    expand_everywhere(kernel(n, [&](Buffer A, Buffer B) {
      const Var j("j");
      return make_for(j, 0, Expr(n), LoopKind::kVectorized, make_store(B, {j}, make_load(A, {j}) + Expr(1.0)));
    }));
  }
}

TEST(Expand, GuardsBecomeMasksOrNarrowerPieces) {
  for (int n : {1, 5, 16, 17, 31, 40}) {
    const std::string text = expand_everywhere(kernel(n, [&](Buffer A, Buffer B) {
      const Var i("i"), j("j");
      const Expr at = i * 16 + j;
      return make_for(i, 0, Expr((n + 15) / 16), LoopKind::kSerial,
                      make_for(j, 0, 16, LoopKind::kVectorized,
                               make_if(likely(at < Expr(n)), make_store(B, {at}, make_load(A, {at}) + Expr(1.0)))));
    }));
    EXPECT_THAT(text, Not(HasSubstr("likely")));  // masks, not branches
  }
}

TEST(Expand, ElseOfAVaryingConditionTakesTheOtherLanes) {
  expand_everywhere(kernel(24, [&](Buffer A, Buffer B) {
    const Var j("j");
    return make_for(j, 0, 24, LoopKind::kVectorized,
                    make_if(j < Expr(10), make_store(B, {j}, make_load(A, {j})), make_store(B, {j}, Expr(7.0))));
  }));
}

TEST(Expand, StridedReversedAndInvariantIndices) {
  expand_everywhere(kernel(
      64,
      [&](Buffer A, Buffer B) {
        const Var j("j");
        const Expr strided = make_load(A, {j * 2}), reversed = make_load(A, {Expr(63) - j}),
                   same = make_load(A, {Expr(5)});
        return make_for(j, 0, 30, LoopKind::kVectorized, make_store(B, {j}, strided * reversed + same));
      },
      30));
}

TEST(Expand, IndicesThatDivideAreTakenApartWhereTheyCanBe) {
  const std::string text = expand_everywhere(kernel(64, [&](Buffer A, Buffer B) {
    const Var j("j");
    // Packed: the element j of panel j / 16.
    return make_for(j, 0, 64, LoopKind::kVectorized, make_store(B, {j}, make_load(A, {j / 16 * 16 + j % 16})));
  }));
  EXPECT_THAT(text, HasSubstr("A[ramp(48, 1, 16)]"));
}

TEST(Expand, BuffersInsideAVectorisedLoopGetAnElementALane) {
  expand_everywhere(kernel(
      40,
      [&](Buffer A, Buffer B) {
        const Var j("j"), k("k");
        const Buffer sum("sum", kFloat32, {Expr(1)}, Scope::kRegister);
        const Stmt add = make_store(sum, {0}, make_load(sum, {0}) + make_load(A, {j + k}));
        return make_for(
            j, 0, 21, LoopKind::kVectorized,
            make_allocate(sum, block({make_store(sum, {0}, Expr(0.0)), make_for(k, 0, 3, LoopKind::kSerial, add),
                                      make_store(B, {j}, make_load(sum, {0}))})));
      },
      21));
}

TEST(Expand, WholeNumbersInsideAVectorisedLoopGetAnElementALane) {
  const Var j("j");
  const Buffer a("A", kInt64, {Expr(21)}), b("B", kInt64, {Expr(21)}), t("t", kInt64, {Expr(1)}, Scope::kRegister);
  const Stmt body =
      make_allocate(t, block({make_store(t, {0}, make_load(a, {j})), make_store(b, {j}, make_load(t, {0}) + Expr(j))}));
  Program program;
  program.name = "numbers";
  program.parameters = {{a, Role::kInput}, {b, Role::kOutput}};
  program.kernels = {{"numbers", make_for(j, 0, 21, LoopKind::kVectorized, body)}};
  program.host = make_launch(0);
  std::vector<std::int64_t> numbers(21), expected(21), results(21);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(7 * i);
  const auto run_on = [&](const Program& p, std::vector<std::int64_t>& out) {
    interpret(p,
              std::vector<Memory>{std::as_writable_bytes(std::span(numbers)), std::as_writable_bytes(std::span(out))});
  };
  run_on(program, expected);
  run_on(expand(program, target_of(CpuIsa::kAvx512), {.verify = true}), results);
  EXPECT_EQ(results, expected);
}

TEST(Expand, UnrollingDecidesGuardsAndRenewsBindings) {
  const std::string text = expand_everywhere(kernel(6, [&](Buffer A, Buffer B) {
    const Var i("i"), j("j");
    const Expr at = i * 4 + j;
    const Stmt inner =
        make_for(j, 0, 4, LoopKind::kSerial, make_if(likely(at < Expr(6)), make_store(B, {at}, make_load(A, {at}))));
    const Stmt one = make_if(i < Expr(1), make_store(B, {Expr(0)}, Expr(9.0)));
    return make_for(i, 0, 2, LoopKind::kUnrolled, block({inner, one}));
  }));
  EXPECT_THAT(text, Not(HasSubstr("unrolled")));
  EXPECT_THAT(text, Not(HasSubstr("i <")));
}

TEST(Expand, PartialRowsOfATileArePaddedAndUnmasked) {
  // A tile of 2 x 15 in registers, summed over three steps.
  const auto k = kernel(
      90,
      [&](Buffer A, Buffer B) {
        const Buffer acc("acc", kFloat32, {Expr(2), Expr(15)}, Scope::kRegister);
        const Var s("s");
        const auto tile = [&](auto&& statement) {
          const Var i("i"), j("j");
          return make_for(i, 0, 2, LoopKind::kUnrolled, make_for(j, 0, 15, LoopKind::kVectorized, statement(i, j)));
        };
        const Stmt init = tile([&](Expr i, Expr j) { return make_store(acc, {i, j}, Expr(0.0)); });
        const Stmt add = tile([&](Expr i, Expr j) {
          return make_store(acc, {i, j}, make_load(acc, {i, j}) + make_load(A, {s * 30 + i * 15 + j}));
        });
        const Stmt out = tile([&](Expr i, Expr j) { return make_store(B, {i * 15 + j}, make_load(acc, {i, j})); });
        return make_allocate(acc, block({init, make_for(s, 0, 3, LoopKind::kSerial, add), out}));
      },
      30);
  const std::string text = expand_everywhere(k);
  EXPECT_THAT(text, HasSubstr("acc: float32[2, 16]"));
  const Program expanded = expand(k.program, target_of(CpuIsa::kAvx512));
  for_each_stmt(expanded.kernels[0].body, [](const Stmt& s) {
    const auto* store = s.as<Store>();
    if (store == nullptr) return;
    EXPECT_EQ(store->mask.defined(), store->buffer->name == "B") << to_string(s);
  });
}

TEST(Expand, WorkspaceIsSharedByWhatIsNeverAliveAtOnce) {
  const auto copy = [](Buffer from, Buffer to) {
    const Var i("i");
    return make_for(i, 0, 100, LoopKind::kSerial, make_store(to, {i}, make_load(from, {i}) + Expr(1.0)));
  };
  const Buffer X("X", kFloat32, {Expr(100)}), Y("Y", kFloat32, {Expr(100)}), Z("Z", kFloat32, {Expr(100)});
  const auto k = kernel(100, [&](Buffer A, Buffer B) {
    // X is dead once Y is computed, so that Z may use its memory.
    const Stmt body = block({copy(A, X), copy(X, Y), copy(Y, Z), copy(Z, B)});
    return make_allocate(X, make_allocate(Y, make_allocate(Z, body)));
  });
  expand_everywhere(k);
  const Program expanded = expand(k.program, target_of(CpuIsa::kAvx512));
  EXPECT_EQ(expanded.workspace.shared_bytes, 2 * 448);
  EXPECT_EQ(expanded.workspace.per_thread_bytes, 0);
  std::vector<std::int64_t> offsets;
  for_each_stmt(expanded.kernels[0].body, [&](const Stmt& s) {
    if (const auto* allocate = s.as<Allocate>()) offsets.push_back(allocate->offset);
  });
  EXPECT_EQ(offsets, (std::vector<std::int64_t>{0, 448, 0}));
}

TEST(Expand, WhatALoopCarriesKeepsItsPlace) {
  // X is read and written in every iteration, Y only in between: they must not share.
  const Buffer X("X", kFloat32, {Expr(16)}), Y("Y", kFloat32, {Expr(16)});
  const auto k = kernel(16, [&](Buffer A, Buffer B) {
    const Var i("i"), t("t");
    const Stmt step = block({make_store(Y, {0}, make_load(X, {0}) + Expr(1.0)), make_store(X, {0}, make_load(Y, {0}))});
    return make_allocate(
        X, block({make_store(X, {0}, make_load(A, {0})), make_for(t, 0, 3, LoopKind::kSerial, make_allocate(Y, step)),
                  make_for(i, 0, 16, LoopKind::kSerial, make_store(B, {i}, make_load(X, {0})))}));
  });
  expand_everywhere(k);
  EXPECT_EQ(expand(k.program, target_of(CpuIsa::kAvx2)).workspace.shared_bytes, 128);
}

TEST(Expand, WhatIsInVectorFormIsRefused) {
  const auto k = kernel(32, [&](Buffer A, Buffer B) {
    const Var i("i");
    return make_for(i, 0, 32, LoopKind::kVectorized, make_store(B, {i}, make_load(A, {i})));
  });
  const Target target = target_of(CpuIsa::kAvx512);
  const Program vectors = expand(k.program, target);
  EXPECT_EQ(message<UsageError>([&] { expand(vectors, target); }),
            k.program.name + " is in vector form already: expand and build take the loop form, which lower returns");
  Program instructions = k.program;
  instructions.kernels.front().body = make_tensor_instruction({.op = TensorOp::kTileRelease});
  EXPECT_THAT(message<UsageError>([&] { expand(instructions, target); }), HasSubstr("is in vector form already"));
}

TEST(Expand, AllocationsInParallelLoopsAreOfEachThread) {
  const Buffer X("X", kFloat32, {Expr(16)});
  const auto k = kernel(32, [&](Buffer A, Buffer B) {
    const Var p("p"), i("i"), j("j");
    const Stmt in = make_for(i, 0, 16, LoopKind::kVectorized, make_store(X, {i}, make_load(A, {p * 16 + i})));
    const Stmt out = make_for(j, 0, 16, LoopKind::kVectorized, make_store(B, {p * 16 + j}, make_load(X, {j})));
    return make_for(p, 0, 2, LoopKind::kParallel, make_allocate(X, block({in, out})));
  });
  expand_everywhere(k);
  const Program expanded = expand(k.program, target_of(CpuIsa::kAvx512));
  EXPECT_EQ(expanded.workspace.shared_bytes, 0);
  EXPECT_EQ(expanded.workspace.per_thread_bytes, 64);
}

TEST(Expand, WhatHasNoConstantSizeFollowsTheRest) {
  const Var n("n");
  const Buffer X("X", kFloat32, {Expr(100)}), Y("Y", kFloat32, {n}), Z("Z", kFloat64, {n, n});
  const auto all = [&](const Stmt& use, LoopKind kind) {
    Program program =
        kernel(16, [&](Buffer, Buffer) {
          return make_for(Var("p"), 0, 2, kind, make_allocate(Y, make_allocate(X, make_allocate(Z, use))));
        }).program;
    program.symbols = {n};
    return expand(program, target_of(CpuIsa::kAvx512));
  };
  const Stmt use =
      block({make_store(X, {0}, 0.0), make_store(Y, {0}, 0.0), make_store(Z, {0, 0}, make_float(0, kFloat64))});
  const Program shared = all(use, LoopKind::kSerial);
  EXPECT_EQ(to_string(shared),
            "program test<n>(A: float32[16]) -> (B: float32[16])\n"
            "  workspace (n*4 + 63)/64*64 + (n*n*8 + 63)/64*64 + 448 bytes shared, 0 bytes per thread\n"
            "  launch main\n"
            "  kernel main:\n"
            "    for p in 0..2:\n"
            "      global Y: float32[n] at 448\n"
            "      global X: float32[100] at 0\n"
            "      global Z: float64[n, n] at (n*4 + 63)/64*64 + 448\n"
            "      X[0] = 0.0\n"
            "      Y[0] = 0.0\n"
            "      Z[0, 0] = 0.0\n");
  const Program parallel = all(use, LoopKind::kParallel);
  EXPECT_THAT(to_string(parallel),
              HasSubstr("workspace 0 bytes shared, (n*4 + 63)/64*64 + (n*n*8 + 63)/64*64 + 448 bytes per thread\n"));
  EXPECT_THAT(to_string(parallel), HasSubstr("global Z: float64[n, n] at (n*4 + 63)/64*64 + 448 per thread\n"));
}

TEST(Expand, KernelsShareTheirPartsOfTheWorkspace) {
  const Var n("n"), m("m");
  const Buffer H("H", kInt8, {n}), X("X", kInt8, {m}), Y("Y", kInt8, {n});
  Program program =
      kernel(16, [&](Buffer, Buffer) { return make_allocate(X, make_store(X, {0}, make_int(0, kInt8))); }).program;
  program.symbols = {n, m};
  program.kernels.push_back({"next", make_allocate(Y, make_store(Y, {0}, make_int(0, kInt8)))});
  program.host = make_allocate(H, block({make_launch(0), make_launch(1)}));
  const Program expanded = expand(program, target_of(CpuIsa::kAvx2));
  EXPECT_EQ(to_string(expanded.workspace.symbolic_shared_bytes),
            "max((n + 63)/64*64 + (m + 63)/64*64, (n + 63)/64*64 + (n + 63)/64*64)");
  for (const Kernel& one : expanded.kernels) {
    EXPECT_EQ(to_string(one.body.as<Allocate>()->symbolic_offset), "(n + 63)/64*64");
  }
}

TEST(Expand, StorageThatChangesFromIterationToIterationIsRefused) {
  const Var i("i");
  const Buffer X("X", kFloat32, {i + 1});
  const auto k = kernel(16, [&](Buffer, Buffer) {
    return make_for(i, 0, 4, LoopKind::kSerial, make_allocate(X, make_store(X, {0}, 0.0)));
  });
  try {
    expand(k.program, target_of(CpuIsa::kAvx2));
    FAIL();
  } catch (const LowerError& e) {
    EXPECT_STREQ(e.what(),
                 "the size of buffer X depends on loop i: its place in the workspace cannot be planned; compute it at "
                 "root, or split its consumer by a constant factor");
  }
}

TEST(Expand, PassesAreReportedInOrder) {
  const auto k = kernel(4, [](Buffer A, Buffer B) {
    const Var i("i");
    return make_for(i, 0, 4, LoopKind::kSerial, make_store(B, {i}, make_load(A, {i})));
  });
  std::vector<std::string> seen;
  LowerOptions options;
  options.after_pass = [&](std::string_view pass, const Program&, std::int64_t) { seen.emplace_back(pass); };
  expand(k.program, target_of(CpuIsa::kAvx512), options);
  EXPECT_EQ(seen, testing::names_of_passes(LoweringStage::kVectors, DeviceKind::kCpu));
}

// --- Refusals --------------------------------------------------------------------------------------------------------

TEST(ExpandRefuses, ReductionsOverLanes) {
  EXPECT_THAT(lower_error(kernel(16,
                                 [](Buffer A, Buffer B) {
                                   const Var j("j");
                                   return make_for(j, 0, 16, LoopKind::kVectorized,
                                                   make_store(B, {0}, make_load(B, {0}) + make_load(A, {j})));
                                 })),
              HasSubstr("vectorized loop j stores to one element of B in every lane"));
}

TEST(ExpandRefuses, LoopsThatDifferBetweenLanes) {
  EXPECT_THAT(lower_error(kernel(16,
                                 [](Buffer A, Buffer B) {
                                   const Var j("j"), k("k");
                                   return make_for(j, 0, 16, LoopKind::kVectorized,
                                                   make_for(k, 0, Expr(j) + 1, LoopKind::kSerial,
                                                            make_store(B, {j}, make_load(A, {k}))));
                                 })),
              HasSubstr("loop k inside vectorized loop j has other iterations in each lane"));
}

TEST(ExpandRefuses, NestedVectorisedLoops) {
  EXPECT_THAT(lower_error(kernel(16,
                                 [](Buffer A, Buffer B) {
                                   const Var i("i"), j("j");
                                   const Expr at = i * 4 + j;
                                   return make_for(i, 0, 4, LoopKind::kVectorized,
                                                   make_for(j, 0, 4, LoopKind::kVectorized,
                                                            make_store(B, {at}, make_load(A, {at}))));
                                 })),
              HasSubstr("vectorized loop j is inside vectorized loop i"));
}

TEST(ExpandRefuses, TooManyStatements) {
  EXPECT_THAT(lower_error(kernel(30000,
                                 [](Buffer A, Buffer B) {
                                   const Var i("i");
                                   return make_for(i, 0, 30000, LoopKind::kUnrolled,
                                                   make_store(B, {i}, make_load(A, {i})));
                                 })),
              HasSubstr("loop i unrolls to 30000 statements, at most 20000 are allowed"));
}

TEST(ExpandRefuses, ExtentsThatAreNotConstant) {
  const Var n("n");
  for (LoopKind kind : {LoopKind::kUnrolled, LoopKind::kVectorized}) {
    auto k = kernel(16, [&](Buffer A, Buffer B) {
      const Var i("i");
      return make_for(i, 0, n, kind, make_store(B, {i}, make_load(A, {i})));
    });
    k.program.symbols = {n};
    EXPECT_THAT(lower_error(k), HasSubstr("its extent is not constant; split it by a constant first"));
  }
}

TEST(ExpandRefuses, RegisterBuffersAtMovingIndices) {
  EXPECT_THAT(lower_error(kernel(
                  16,
                  [](Buffer A, Buffer B) {
                    const Var i("i"), j("j");
                    const Buffer acc("acc", kFloat32, {Expr(16)}, Scope::kRegister);
                    return make_allocate(
                        acc, block({make_for(i, 0, 16, LoopKind::kSerial, make_store(acc, {i}, make_load(A, {i}))),
                                    make_for(j, 0, 16, LoopKind::kUnrolled, make_store(B, {j}, make_load(acc, {j})))}));
                  })),
              HasSubstr("register buffer acc is indexed by i, which is not constant"));
}

}  // namespace
}  // namespace nestwright
