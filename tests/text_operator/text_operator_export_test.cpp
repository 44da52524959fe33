// Exports of texts: several outputs, all element types, and names that C does not allow.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <set>

#include "exporter/source/parameter_names.h"
#include "nestwright/text_operator.h"
#include "tests/exporter/export_fixture.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TextExport : public ExportTest {
 protected:
  void export_text(const std::string& text, const std::string& name) {
    const Task task{workload_of(text), host_with(1)};
    export_kernel(task, look_up(task, nullptr), {file(name), name});
  }
};

TEST_F(TextExport, EachOfSeveralOutputsIsChecked) {
  const std::string text = "M[i] = max(j, X[i, j]); P[i] = argmax(j, X[i, j]); B[i, j] = X[i, j] > 0.5 i=20 j=30";
  export_text(text, "k");
  EXPECT_THAT(read_text(file("k/k.h")), HasSubstr("int k(const float* X, float* M, int64_t* P, unsigned char* B);"));
  EXPECT_THAT(build_and_run("k").output, HasSubstr("k: 640 of 640 elements checked, all right"));
  const auto planted = [&](const std::string& statement) {
    export_text(text, "k");
    plant(statement);
    return build_and_run("k").output;
  };
  EXPECT_THAT(planted("  M_at[7] += 1;\n"), HasSubstr("k: element 7 of M is "));
  EXPECT_THAT(planted("  P_at[19] += 1;\n"), HasSubstr("k: element 19 of P is "));
  EXPECT_THAT(planted("  B_at[599] ^= 1;\n"), HasSubstr("k: element 599 of B is "));
  EXPECT_THAT(planted("  P_at[20] = 0;\n"), HasSubstr("k: wrote outside its output P"));
  EXPECT_THAT(planted("  B_at[0] = 0xff;\n"), HasSubstr("k: element 0 of B was not written"));
}

TEST_F(TextExport, AllElementTypesHaveATypeInC) {
  std::string text, declarations;
  for (const ir::Type type : ir::element_types()) {
    const std::string name = "X_" + type.str();
    text += fmt::format("Y_{0}[i] = {1}; ", name, type.is_bool() ? "!" + name + "[i]" : name + "[i] + " + name + "[i]");
    declarations += fmt::format("{}: {}; ", name, type.str());
  }
  export_text(text + declarations + "i=70", "k");
  const CommandResult ran = build_and_run("k");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(run("printf '#include \"k.h\"\\n' > k/user.cpp && c++ -Wall -Wextra -Werror -fsyntax-only k/user.cpp").code,
            0);
}

TEST_F(TextExport, ExpressionsWithoutInputsAndWithoutIndices) {
  export_text("Y[i] = float32(i) * 0.5 i=100", "none");
  EXPECT_EQ(build_and_run("none").code, 0);
  export_text("y[] = x[] * 2", "one");
  EXPECT_EQ(build_and_run("one").code, 0);
}

TEST_F(TextExport, NamesWithAMeaningInCAreRenamed) {
  export_text("double[i] = new[i]*2 + t_double[i] + A_at[i] + A[i] + EOF[i] + _Bool[i] + size_t[i] i=50", "k");
  EXPECT_THAT(read_text(file("k/k.h")),
              HasSubstr("int k(const float* t_new, const float* t_double, const float* t_A_at, const float* A, const "
                        "float* t_EOF, const float* t__Bool, const float* t_size_t, float* t_t_double);"));
  EXPECT_THAT(build_and_run("k").output, HasSubstr("all right"));
  EXPECT_THAT(read_text(file("k/k_manifest.json")), HasSubstr("\"parameter\": \"t_t_double\""));
}

// Tensors may have any names: here, all those that the generated sources use themselves.
TEST_F(TextExport, NoNameBreaksTheSources) {
  export_text("Y[i, j] = sum(k, A[i, k] * B[k, j]); T[j, i] = Y[i, j] + float32(X[i, j]); X: float16 i=20 j=30 k=40",
              "k");
  const std::string sources = read_text(file("k/k.c")) + read_text(file("k/k_selftest.c")) + read_text(file("k/k.h"));
  static const std::regex kWord("[A-Za-z_][A-Za-z_0-9]*"),
      kComment(R"(/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|"[^"\n]*"|0x[0-9a-fp.+-]*)");
  const std::string code = std::regex_replace(sources, kComment, " ");
  std::set<std::string> words;
  for (std::sregex_iterator word(code.begin(), code.end(), kWord), end; word != end; ++word) words.insert(word->str());
  ASSERT_GT(words.size(), 100u);
  std::string text;
  std::size_t terms = 0;
  for (const std::string& word : words) {
    if (word == "k" || word == "K_H" || word.starts_with("k_")) continue;
    constexpr std::size_t kTerms = 40;  // of a statement
    text += terms % kTerms == 0 ? fmt::format("; out_{}[i]=", terms / kTerms) : "+";
    text += word + "[i]";
    ++terms;
  }
  text.erase(0, 1);
  export_text(text + " i=5", "k");
  const CommandResult ran = build_and_run("k");
  EXPECT_EQ(ran.code, 0) << ran.output;
}

TEST_F(TextExport, AFunctionIsNotNamedAsATensor) {
  const Task task{workload_of("Y[i] = X[i] + add_one[i] + ADD_H[i] i=5"), host_with(1)};
  const auto refusal = [&](const char* name) -> std::string {
    try {
      export_kernel(task, look_up(task, nullptr), {file("out"), name});
    } catch (const UsageError& e) {
      return e.what();
    }
    return "not refused";
  };
  EXPECT_THAT(refusal("X"), HasSubstr("'X' is a tensor of "));
  EXPECT_THAT(refusal("Y_is_right"), HasSubstr("choose another name"));
  EXPECT_THAT(refusal("add"), HasSubstr("'add_one' is a tensor of "));
  EXPECT_THAT(refusal("Add"), HasSubstr("'ADD_H' is a tensor of "));
}

}  // namespace
}  // namespace nestwright
