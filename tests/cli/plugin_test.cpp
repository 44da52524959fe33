// --plugin and NESTWRIGHT_PLUGINS: what a plugin adds is tuned, looked up, lowered and listed like everything else, and
// each kind of fault is one sentence.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "logs/sqlite/database.h"
#include "nestwright/registry.h"
#include "templates/framework/registry/plugin_file.h"
#include "tests/cli/command_test.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string plugin(const std::string& name) { return PLUGINS "/plugin_" + name + ".so"; }

class PluginTest : public CommandTest {
 protected:
  CommandOutput with(const std::string& name, const std::string& text) {
    return run(text + " --plugin " + plugin(name));
  }
};

TEST_F(PluginTest, IsTunedAndLookedUpAndAHintOnceItsContentHasChanged) {
  const CommandOutput tuned = with("clip", "tune clip n=1000 --threads 1 --trials 4 --json");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const json report = json::parse(tuned.out);
  EXPECT_EQ(report["template"], "clip.any");
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["made_by"]["plugins"], json::array({read_plugin(plugin("clip")).identity()}));
  EXPECT_EQ(report["hint"], nullptr);

  const CommandOutput found = with("clip", "query clip n=1000 --threads 1 --exact");
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_THAT(found.out, Not(HasSubstr("a hint")));
  expect_refusal(run("query clip n=1000"), 2, {"there is no operator 'clip'"});
  const CommandOutput listed = run("query");
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.out, HasSubstr("clip n=1000")) << "a listing needs no plugin";

  const std::string then = read_plugin(plugin("clip")).hash, now = read_plugin(plugin("clip_2")).hash;
  ASSERT_NE(then, now);
  const CommandOutput changed = with("clip_2", "query clip n=1000 --threads 1");
  EXPECT_EQ(changed.code, 0) << changed.err;
  const std::string reason = "the plugin clip was 1.0 " + then + ", and is 1.0 " + now;
  EXPECT_THAT(changed.out, HasSubstr("a hint until it is tuned again (" + reason + ")"));

  const CommandOutput exported = with("clip_2", "export clip n=1000 --threads 1 --out out --name f --unchecked");
  EXPECT_EQ(exported.code, 0) << exported.err;
  EXPECT_THAT(exported.err, HasSubstr("the record of clip n=1000 is a hint until it is tuned again (" + reason + ")"));
  std::ifstream file(folder_.file("out/f_manifest.json"));
  const json manifest = json::parse(file);
  EXPECT_EQ(manifest["hint"], reason);
  EXPECT_EQ(manifest["verified"], false);
}

TEST_F(PluginTest, ItsTemplateServesAGpuToo) {
  const CommandOutput lowered = with("clip", "lower clip n=1000 --target cuda,arch=sm_90");
  ASSERT_EQ(lowered.code, 0) << lowered.err;
  EXPECT_THAT(lowered.out, HasSubstr("threadIdx.x"));
}

TEST_F(PluginTest, ItsSpaceIsListed) {
  const CommandOutput listed = with("clip", "space clip n=1000 --threads 1 --json");
  ASSERT_EQ(listed.code, 0) << listed.err;
  const json report = json::parse(listed.out);
  EXPECT_EQ(report["workload"], "clip n=1000");
  ASSERT_EQ(report["templates"].size(), 1u);
  EXPECT_THAT(report["templates"][0].dump(), AllOf(HasSubstr("clip.any"), HasSubstr("lanes"), HasSubstr("vectors")));
}

TEST_F(PluginTest, OneConfigurationIsMeasuredAndExported) {
  const CommandOutput measured = with("clip", "measure clip n=1000 --threads 1 --config lanes=8 --json");
  ASSERT_EQ(measured.code, 0) << measured.err;
  const json report = json::parse(measured.out);
  EXPECT_EQ(report["template"], "clip.any");
  EXPECT_EQ(report["verified"], true);

  const CommandOutput exported =
      with("clip", "export clip n=1000 --threads 1 --config lanes=8 --out out --name clip_1000");
  ASSERT_EQ(exported.code, 0) << exported.err;
  std::ifstream file(folder_.file("out/clip_1000_manifest.json"));
  const json manifest = json::parse(file);
  EXPECT_EQ(manifest["template"], "clip.any");
  EXPECT_EQ(manifest["config"]["lanes"], 8);
  EXPECT_EQ(manifest.at("exported").at("checked").at("verified"), true);
}

TEST_F(PluginTest, IsTunedFromAFile) {
  std::ofstream(folder_.file("shapes.json")) << R"({"entries": ["clip n=1000", "clip n=500 high=2"]})";
  expect_refusal(run("tune --file shapes.json --threads 1 --trials 8"), 2, {"there is no operator 'clip'"});
  const CommandOutput tuned = with("clip", "tune --file shapes.json --threads 1 --trials 24 --json");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const json report = json::parse(tuned.out);
  ASSERT_EQ(report["tasks"].size(), 2u);
  for (const json& task : report["tasks"]) EXPECT_EQ(task.at("template"), "clip.any");
}

TEST_F(PluginTest, AWrongConfigurationHasADocumentToo) {
  const std::string command = "measure faulty n=64 fault=expectation --threads 1 --config factor=8";
  const CommandOutput measured = with("faulty", command + " --json");
  const std::string sentence = "the configuration how=bad factor=8 of faulty.cpu failed (wrong_result: ";
  EXPECT_EQ(measured.code, 4);
  EXPECT_THAT(measured.err, HasSubstr(sentence));
  const json report = json::parse(measured.out);
  EXPECT_EQ(report["config_text"], "how=bad factor=8");
  EXPECT_EQ(report["outcome"], "wrong_result");
  EXPECT_THAT(measured.err, HasSubstr(report["message"].get<std::string>()));
  EXPECT_EQ(report["verified"], false);
  EXPECT_EQ(report["time_ns"], nullptr);
  EXPECT_EQ(report["ratio"], nullptr);
  EXPECT_EQ(report["beside"]["outcome"], "wrong_result");
  expect_failure(with("faulty", command), 4, {sentence});
}

TEST_F(PluginTest, AnIncompleteReferenceIsRefusedByTheOperatorsName) {
  const std::string sentence =
      "what the function 'reference' of the operator 'faulty' returns does not fit faulty n=64 fault=bounds: return "
      "bounds for each output (1, not 0)";
  const CommandOutput exported = with("faulty", "export faulty n=64 fault=bounds --threads 1 --out out --unchecked");
  expect_refusal(exported, 2, {});
  EXPECT_EQ(exported.err, "nestwright: " + sentence + "\n");
  const CommandOutput tuned = with("faulty", "tune faulty n=64 fault=bounds --threads 1 --trials 4");
  expect_failure(tuned, 2, {});
  EXPECT_THAT(tuned.err, ::testing::EndsWith("nestwright: " + sentence + "\n"));
}

TEST_F(PluginTest, WhatIsNoExceptionIsOneSentence) {
  const std::string sentence =
      "something was thrown that is no std::exception: correct the plugin that throws it, or leave it out";
  for (const std::string fault : {"define", "reference"}) {
    expect_failure(with("faulty", "tune faulty n=64 --threads 1 --trials 4 fault=" + fault), 1, {sentence});
  }
  const std::string log = folder_.file("nestwright.db");
  const sqlite::Database database(log, log, SQLITE_OPEN_READONLY, 1000);
  EXPECT_FALSE(database.prepare("SELECT 1 FROM session").step()) << "they fail before a session begins";
}

TEST_F(PluginTest, AConfigurationThatThrowsIsAFailedTrial) {
  const CommandOutput tuned = with("faulty", "tune faulty n=64 fault=other_factors --threads 1 --trials 8 --json");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_EQ(json::parse(tuned.out)["config"]["factor"], 4);
  EXPECT_THAT(tuned.err, HasSubstr("invalid_config"));
}

// The bad branch comes first: without it, the default is of the good one.
TEST_F(PluginTest, AnIllegalBranchIsLeftOutByEveryCommand) {
  for (const std::string fault : {"branch", "lowering"}) {
    const std::string workload = "faulty n=64 --threads 1 fault=" + fault;
    const CommandOutput tuned = with("faulty", "tune " + workload + " --trials 8 --json");
    ASSERT_EQ(tuned.code, 0) << tuned.err;
    EXPECT_EQ(json::parse(tuned.out)["config"]["how"], "good");
    for (const std::string& command :
         {"lower " + workload + "", "query " + workload, "export " + workload + " --unchecked --name f --out " + fault,
          "measure " + workload + " --config how=good"}) {
      const CommandOutput ran = with("faulty", command);
      EXPECT_EQ(ran.code, 0) << command << ": " << ran.err;
      EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("how=bad"))) << command;
    }
    const CommandOutput listed = with("faulty", "space " + workload);
    EXPECT_EQ(listed.code, 0) << listed.err;
    EXPECT_THAT(listed.out,
                HasSubstr(fault == "branch" ? "  1 branch left out, without a legal schedule:\n    how=bad: "
                                            : "  1 branch cannot be lowered, so that their trials fail:\n"
                                              "    how=bad: "));
    const json space = json::parse(with("faulty", "space " + workload + " --json").out)["templates"][0];
    const json &illegal = space[fault == "branch" ? "left_out" : "not_lowered"], &legal = space["branches"];
    ASSERT_EQ(illegal.size(), 1u);
    EXPECT_EQ(illegal[0]["choices"], "how=bad");
    EXPECT_EQ(legal.size(), fault == "branch" ? 1u : 2u);
  }
}

TEST_F(PluginTest, ABranchThatWasLeftOutIsRefusedWithItsReason) {
  expect_refusal(with("faulty", "measure faulty n=64 fault=branch --threads 1 --config how=bad"), 2,
                 {"how=bad is not a candidate of the knob 'how'", "its candidates are good",
                  "template faulty.cpu has no legal schedule with how=bad: something was thrown"});
}

TEST_F(PluginTest, WithoutALegalScheduleEveryCommandSaysSoInOneSentence) {
  const std::string workload = "faulty n=64 fault=schedule --threads 1",
                    sentence = "no template has a legal schedule for faulty n=64 fault=schedule on ",
                    reason = "(faulty.cpu: something was thrown that is no std::exception";
  for (const std::string command : {"lower ", "tune --trials 4 ", "export --unchecked --out out "}) {
    const CommandOutput ran = with("faulty", command + workload);
    expect_failure(ran, 2, {sentence, reason});
  }
  const CommandOutput listed = with("faulty", "space " + workload);
  EXPECT_EQ(listed.code, 4);
  EXPECT_THAT(listed.err, HasSubstr(sentence));
  EXPECT_THAT(listed.out, HasSubstr("1 branch left out"));
  std::ofstream(folder_.file("shapes.json"))
      << "[\"matmul m=8 n=8 k=8\",\n {\"label\": \"x\", \"workload\": \"faulty n=64 fault=schedule\"}]";
  expect_failure(with("faulty", "tune --file shapes.json --threads 1 --trials 16"), 2,
                 {"shapes.json, line 2, entry 2 (x): " + sentence, reason});
}

TEST_F(PluginTest, ItsNameAndItsVersionAreWords) {
  std::ifstream stream(plugin("clip"), std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const std::string description = "\nclip\n1.0\n";
  const std::size_t at = content.find(description);
  ASSERT_NE(at, std::string::npos);
  for (const auto& [name, version] :
       {std::pair{"my clip", "1.0"}, std::pair{"clip", "1.0 beta"}, std::pair{"", "1.0"}}) {
    std::ofstream(folder_.file("changed.so"), std::ios::binary) << content.substr(0, at) << '\n'
                                                                << name << '\n'
                                                                << version << '\n'
                                                                << content.substr(at + description.size());
    expect_refusal(
        run("templates --plugin changed.so"), 2,
        {fmt::format("plugin 'changed.so' has the name '{}' and the version '{}': make each one word", name, version)});
  }
}

TEST_F(PluginTest, IsTakenFromTheEnvironmentOnce) {
  environment_ = {"NESTWRIGHT_PLUGINS=" + plugin("clip") + ":" + plugin("clip")};
  for (const CommandOutput& ran : {run("templates"), with("clip", "templates")}) {
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("clip: limits to a range"));
    EXPECT_THAT(ran.out, HasSubstr("template clip.any version 1"));
  }
}

TEST_F(PluginTest, WhatFailedIsTriedAgainOnceThePluginIsMended) {
  const std::string command = "tune faulty n=64 fault=expectation --threads 1 --trials 8 --json";
  EXPECT_EQ(with("faulty", command).code, 4);
  EXPECT_EQ(with("faulty", command).code, 4) << "the same plugin has the same fault";
  const CommandOutput mended = with("mended", command);
  ASSERT_EQ(mended.code, 0) << mended.err;
  EXPECT_EQ(json::parse(mended.out)["verified"], true);
}

TEST_F(PluginTest, NoTwoHaveOneName) {
  const std::string first = plugin("clip"), second = plugin("clip_2");
  const CommandOutput ran = run("templates --plugin " + first + " --plugin " + second);
  expect_refusal(ran, 2, {});
  EXPECT_EQ(ran.err, fmt::format("nestwright: plugin '{}' has the name 'clip' of plugin '{}', which is loaded already: "
                                 "leave one of them out, or give it another name\n",
                                 second, first));
}

TEST_F(PluginTest, EachCommandResolvesItsTaskOnce) {
  // Each with a database of its own: records of other shapes would be adapted, which resolves these.
  for (const auto& [command, discovered] :
       {std::pair{"space counting n=4096 --threads 1", 1}, std::pair{"lower counting n=512 --threads 1", 0},
        std::pair{"measure counting n=4096 --threads 1 --config lanes=16", 1},
        std::pair{"tune counting n=4096 --threads 1 --trials 4 --db whole.db", 1},
        std::pair{"tune counting n=4096 --threads 1 --trials 2 --fix lanes=8 --db part.db", 1}}) {
    const CommandOutput ran = with("counting", command);
    EXPECT_EQ(ran.code, 0) << command << ": " << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(fmt::format("counting: defined 1, discovered {}, seeded ", discovered))) << command;
  }
}

TEST_F(PluginTest, EachFaultIsOneSentence) {
  expect_refusal(run("templates --plugin nowhere.so"), 2,
                 {"plugin 'nowhere.so' cannot be read: give the path of a shared object"});
  std::ofstream(folder_.file("text.so")) << "no plugin\n";
  expect_refusal(run("templates --plugin text.so"), 2, {"plugin 'text.so' is none: build it with nestwright_plugin()"});
  expect_refusal(with("of_another_version", "templates"), 2,
                 {"is for nestwright 0.0.1 (0123456789abcdef) with gcc 4, and this is nestwright ", "build it again"});
  expect_refusal(with("undefined_symbol", "templates"), 2,
                 {"cannot be loaded (", "function_that_no_program_has", "build it again"});
  expect_refusal(with("not_registering", "templates"), 2, {"has no function nestwright_plugin_register"});
  expect_refusal(with("throwing", "templates"), 2, {"was not loaded, as it failed: the licence has expired"});
  for (const auto& [name, how] :
       {std::pair{"throwing_initialiser", "threw: the licence has expired"},
        std::pair{"throwing_number", "threw what is no std::exception: correct it, or leave the plugin out"}}) {
    const CommandOutput ran = with(name, "templates");
    expect_refusal(ran, 2, {});
    EXPECT_EQ(ran.err,
              fmt::format("nestwright: plugin '{}' was not loaded, as the initialisation of its static objects "
                          "{}\n",
                          plugin(name), how));
  }
  expect_refusal(with("taken_name", "templates"), 2,
                 {"was not loaded, as it failed: there is an operator 'matmul' already: give yours another name"});
}

}  // namespace
}  // namespace nestwright
