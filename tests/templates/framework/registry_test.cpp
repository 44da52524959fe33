// Registries as values: what they take, what they refuse, and that workloads keep their operator.
#include "nestwright/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "templates/framework/space/completion.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

Definition define(const Workload& workload) {
  const Tensor x = placeholder({Expr(workload.size("n"))}, kFloat32, "X");
  const Tensor y = compute({Expr(workload.size("n"))}, [&](Expr i) { return x(i) + x(i); }, "Y");
  return {{x, y}, 1, 1, 1};
}

Template twice_template(const std::string& name) {
  return {.name = name, .schedule = [](Tuning& t, const Workload&, Definition& definition, const Target&) {
            Schedule s = create_schedule(definition.args[1]);
            s[definition.args[1]].split(s[definition.args[1]].axis(0), factor(t.define_knob("lanes", {4, 8, 16})));
            return s;
          }};
}

Operator twice(const std::string& name = "twice") {
  return {.name = name,
          .parameters = {{"n", "the number of elements"}},
          .define = define,
          .reference = [](const Workload&, const HostTensors& in) { return Reference{in, in}; },
          .templates = {twice_template(name + ".cpu")}};
}

TEST(Registry, TakesAnOperatorWithItsTemplates) {
  Registry registry = builtin_registry();
  registry.add(twice());
  const Workload workload = registry.parse_workload("twice n=100");
  EXPECT_EQ(workload.str(), "twice n=100");
  const std::vector<const Template*> found = templates_for(workload, Target::parse("cpu,isa=avx2"));
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0], registry.find_template("twice.cpu"));
  EXPECT_EQ(discover_space(*found[0], workload, Target()).count_all().points, 3);
  EXPECT_EQ(registry.parse_workload("matmul m=1 n=1 k=1").op, parse_workload("matmul m=1 n=1 k=1").op);
  EXPECT_EQ(builtin_registry().find_template("twice.cpu"), nullptr) << "a copy was added to";
}

TEST(Registry, WorkloadsNeedNoRegistry) {
  const Workload workload = parse_workload("twice n=100", std::make_shared<const Operator>(twice()));
  EXPECT_EQ(templates_for(workload, Target()).at(0)->name, "twice.cpu");
  Registry registry;
  registry.add(twice());
  EXPECT_EQ(registry.parse_workload("twice n=100"), workload) << "the same by name and values";
  EXPECT_FALSE(registry.parse_workload("twice n=101") == workload);
}

TEST(Registry, ATemplateOfAnExistingOperatorComesLastAndLeavesWorkloadsAlone) {
  Registry registry;
  registry.add(twice());
  const Workload before = registry.parse_workload("twice n=100");
  registry.add("twice", twice_template("twice.better"));
  EXPECT_EQ(before.op->templates.size(), 1);
  const std::vector<Template>& templates = registry.parse_workload("twice n=100").op->templates;
  ASSERT_EQ(templates.size(), 2);
  EXPECT_EQ(templates[1].name, "twice.better");
}

TEST(Registry, ATemplateWithoutSeedsBeginsWithItsFirstCandidates) {
  Registry registry;
  registry.add(twice());
  const Workload workload = registry.parse_workload("twice n=100");
  EXPECT_EQ(seeds_of(workload.op->templates[0], workload, Target()).at(0).str(), "lanes=4");
}

TEST(Registry, WhatIsAddedForAPluginNamesIt) {
  Registry registry;
  registry.set_plugin("doubles 1.0 0123456789abcdef");
  registry.add(twice());
  registry.set_plugin({});
  registry.add("twice", twice_template("twice.own"));
  const Operator& op = *registry.find_operator("twice");
  EXPECT_EQ(op.plugin, "doubles 1.0 0123456789abcdef");
  EXPECT_EQ(op.templates[0].plugin, op.plugin);
  EXPECT_EQ(op.templates[1].plugin, "");
}

TEST(Registry, RefusesWithOneClearSentence) {
  Registry registry;
  registry.add(twice());
  const auto refusal = [&](Operator op) { return message<UsageError>([&] { registry.add(std::move(op)); }); };
  EXPECT_EQ(refusal(twice()), "there is an operator 'twice' already: give yours another name");
  for (const char* name : {"", "two words", "a.b", "2x"}) {
    EXPECT_EQ(refusal(twice(name)), "'" + std::string(name) +
                                        "' cannot be the name of an operator: begin with a letter, go on with letters, "
                                        "digits and _");
  }
  Operator other = twice("other");
  other.templates[0].name = "twice.cpu";
  EXPECT_EQ(refusal(other), "there is a template 'twice.cpu' already: give yours another name");
  other.templates = {twice_template("other.a"), twice_template("other.a")};
  EXPECT_EQ(refusal(other), "the operator 'other' has two templates 'other.a': give one another name");
  other.templates = {{.name = "other.b"}};
  EXPECT_EQ(refusal(other), "the template 'other.b' of 'other' has no schedule: give it a function that makes one");
  other.reference = nullptr;
  EXPECT_EQ(refusal(other), "the operator 'other' has no reference: give it a function that makes one");
  other.define = nullptr;
  EXPECT_EQ(refusal(other), "the operator 'other' has no definition: give it a function that makes one");

  const auto refused = [&](const std::string& op, Template t) {
    return message<UsageError>([&] { registry.add(op, std::move(t)); });
  };
  EXPECT_EQ(refused("twice", twice_template("twice.cpu")),
            "there is a template 'twice.cpu' already: give yours another name");
  EXPECT_EQ(refused("thrice", twice_template("thrice.cpu")),
            "there is no operator 'thrice'; did you mean 'twice'; the operators are twice");
  EXPECT_EQ(registry.operators().size(), 1);
}

}  // namespace
}  // namespace nestwright
