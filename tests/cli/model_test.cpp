// Models as arguments of the commands, end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/command_test.h"
#include "tests/onnx/written_model.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Two equal layers with relu, then one more without: y = (relu(relu(x w0) w1)) w2.
class ModelCommandTest : public CommandTest {
 protected:
  ModelCommandTest() {
    model_.add_input("x", {-1, 8});
    std::string value = "x";
    for (int layer = 0; layer < 3; ++layer) {
      const std::string number = std::to_string(layer), weights = "w" + number;
      auto& tensor = model_.add_tensor(weights, {8, 8});
      for (int i = 0; i < 64; ++i) tensor.add_float_data(static_cast<float>((i * 7 + layer) % 16) / 16 - .5F);
      model_.add_node("MatMul", {value, weights}, {"product" + number}).set_name("layer" + number);
      value = "product" + number;
      if (layer == 2) break;
      model_.add_node("Relu", {value}, {"relu" + number}).set_name("relu" + number);
      value = "relu" + number;
    }
    model_.add_output(value);
    write();
  }

  void write() {
    std::filesystem::copy_file(model_.write(), folder_.file("net.onnx"),
                               std::filesystem::copy_options::overwrite_existing);
  }

  testing::WrittenModel model_;
};

TEST_F(ModelCommandTest, ShowsKernelsAndTheirShares) {
  const CommandOutput ran = run("model net.onnx --dim n=4");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("model     net.onnx: opset 17, 5 nodes\n"
                                  "inputs    x: float32[4, 8]\n"
                                  "outputs   product2: float32[4, 8]\n"));
  EXPECT_THAT(ran.out, HasSubstr("in 3 kernels, 2 tasks\n"));
  EXPECT_THAT(ran.out, HasSubstr("66.7%      2           256  MatMul+Relu"));
  EXPECT_THAT(ran.out, HasSubstr("layer0, 2x\n"));
  EXPECT_EQ(ran.err, "");
}

TEST_F(ModelCommandTest, PrintsTasksAsTuneFileReadsThem) {
  const CommandOutput ran = run("model net.onnx --dim n=4 --tasks");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json tasks = json::parse(ran.out);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].at("label"), "layer0, 2x");
  EXPECT_EQ(tasks[0].at("weight"), 2);
  EXPECT_EQ(tasks[1].at("workload"), "Y[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1]);B:constant i0=4 i1=8 i2=8");
  const CommandOutput graph = run("model net.onnx --dim n=4 --print-after import");
  EXPECT_THAT(graph.out, HasSubstr("Relu(%"));
}

TEST_F(ModelCommandTest, PrintsGroupings) {
  EXPECT_EQ(run("model net.onnx --dim n=4 --groupings").out, "no kernel may be made in another way\n");
  model_.add_node("MatMul", {"relu0", "w1"}, {"twin"}).set_name("twin");
  model_.add_node("Softmax", {"twin"}, {"shares"});
  model_.add_output("shares");
  write();
  const CommandOutput ran = run("model net.onnx --dim n=4 --groupings");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("reduced-product: 1 (a product and the rows reduced from it as one)\n"
                                  "  1x, first twin\n"
                                  "    now    Y[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1]);B:constant i0=4 i1=8 i2=8\n"));
  EXPECT_THAT(ran.out, HasSubstr("    or     T[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1]);"));
}

TEST_F(ModelCommandTest, IsTunedQueriedAndExported) {
  const CommandOutput tuned = run("tune net.onnx --dim n=4 --threads 1 --trials 12");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("tuning 2 tasks of net.onnx on cpu"));
  EXPECT_THAT(tuned.out, AllOf(HasSubstr("\nlayer0, 2x "), HasSubstr("\nlayer2 ")));
  const CommandOutput query = run("query net.onnx --dim n=4 --threads 1 --json");
  ASSERT_EQ(query.code, 0) << query.err;
  const json rows = json::parse(query.out);
  ASSERT_EQ(rows.size(), 2U);
  for (const json& row : rows) {
    EXPECT_EQ(row.at("match"), "exact");
    EXPECT_GT(row.at("time_ns"), 0);
  }
  EXPECT_THAT(run("query net.onnx --dim n=4 --threads 1").out, AllOf(HasSubstr("layer0, 2x"), HasSubstr("in all\n")));
  const CommandOutput exported = run("export net.onnx --dim n=4 --threads 1 --out out --name net");
  ASSERT_EQ(exported.code, 0) << exported.err;
  EXPECT_THAT(exported.out, AllOf(StartsWith("net exported to out: 3 calls of 2 kernels, 2 of them tuned\n"),
                                  HasSubstr("run here: right"), HasSubstr("  net_weights.bin\n")));
  EXPECT_EQ(exported.err, "");
}

TEST_F(ModelCommandTest, TheNetworkIsTimedAndItsRecordIsShown) {
  const CommandOutput tuned = run("tune net.onnx --dim n=4 --threads 1 --trials 12 --json");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const json document = json::parse(tuned.out);
  ASSERT_FALSE(document.at("network").is_null()) << tuned.err;
  EXPECT_GT(document.at("network").at("time_ns"), 0);
  EXPECT_GT(document.at("network").at("sum_of_kernels_ns"), 0);
  EXPECT_GT(document.at("whole_ns"), 0);
  const CommandOutput known = run("query net.onnx --dim n=4 --threads 1");
  ASSERT_EQ(known.code, 0) << known.err;
  EXPECT_THAT(known.out, AllOf(HasSubstr("\nnetwork   "), HasSubstr(" a run (")));
}

TEST_F(ModelCommandTest, SecondsThatDoNotSufficeForTheNetworkAreSaid) {
  const CommandOutput tuned = run("tune net.onnx --dim n=4 --threads 1 --seconds 4");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("the network as a whole was not timed: that takes longer"));
}

TEST_F(ModelCommandTest, AnUntunedModelIsExportedWithANote) {
  const CommandOutput ran = run("export net.onnx --dim n=2 --threads 1 --out out");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("2 of 2 kernels were not tuned here"));
  EXPECT_TRUE(std::filesystem::exists(folder_.file("out/libnet.so")));
}

TEST_F(ModelCommandTest, MissingSizesAndWrongOptionsAreRefused) {
  expect_refusal(run("model net.onnx"), 2, {"symbolic sizes", "--dim n=1"});
  expect_refusal(run("model net.onnx --dim n=4 --dim n=4"), 2, {"given twice"});
  expect_refusal(run("model net.onnx --dim n=0"), 2, {"--dim n=0", "size from 1"});
  expect_refusal(run("model net.onnx --dim n"), 2, {"NAME=VALUE"});
  expect_refusal(run("model net.onnx --dim n=4 --dim m=4"), 2, {"'m'"});
  expect_refusal(run("model net.onnx --dim n=4 --constant z=1"), 2, {"no input 'z'"});
  expect_refusal(run("model net.onnx --dim n=4 --constant x=a"), 2, {"no number"});
  expect_refusal(run("model none.onnx"), 2, {"none.onnx", "No such file"});
  expect_refusal(run("model matmul"), 2, {".onnx"});
  expect_refusal(run("tune matmul m=8 n=8 k=8 --dim n=4"), 2, {"--dim", "models"});
  expect_refusal(run("tune net.onnx --dim n=4 --template generated.cpu"), 2, {"--template", "model"});
  expect_refusal(run("tune net.onnx --dim n=4 --target cuda,arch=sm_90"), 2, {"CPUs only"});
  expect_refusal(run("export net.onnx --dim n=4 --out out --exact"), 2, {"--exact"});
  expect_refusal(run("export matmul m=8 n=8 k=8 --out out --embed"), 2, {"--embed", "models"});
  expect_refusal(run("export net.onnx --dim n=4 --out out --name 2net"), 2, {"2net"});
  for (const char* command : {"measure net.onnx --config a=1", "space net.onnx", "lower net.onnx"}) {
    expect_refusal(run(command), 2, {"not a workload", "--tasks"});
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file("out")));
}

TEST_F(ModelCommandTest, MissingOperatorsAreListed) {
  model_.add_node("NonZero", {"product2"}, {"places"});
  model_.add_node("Cast", {"places"}, {"numbers"}).add_attribute()->set_name("to");
  model_.add_output("numbers");
  write();
  const CommandOutput ran = run("model net.onnx --dim n=4");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, HasSubstr("operators of the model are missing: NonZero (1x"));
  EXPECT_THAT(ran.err, HasSubstr("1 nodes depend on them"));
  expect_refusal(run("export net.onnx --dim n=4 --out out"), 2, {"missing", "NonZero"});
}

TEST_F(ModelCommandTest, AnExpressionIsShownAsItWasGivenWithItsLabel) {
  CommandOptions options;
  options.folder = folder_.path();
  const CommandOutput ran =
      run_nestwright({"tune", "--expr", "C[row, col] = A[row, col] * 2", "row=8", "col=64", "--threads", "1",
                      "--trials", "4", "--finalists", "0", "--label", "the double"},
                     options);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("\nthe double: "));
  EXPECT_THAT(ran.out, StartsWith("label     the double\n"
                                  "given     C[row, col] = A[row, col] * 2 row=8 col=64\n"
                                  "workload  C[i0,i1]=A[i0,i1]*2 i0=8 i1=64\n"));
  expect_refusal(run("tune net.onnx --dim n=4 --label a"), 2, {"--label", "model"});
}

TEST_F(ModelCommandTest, ADamagedFileIsRefused) {
  std::filesystem::resize_file(folder_.file("net.onnx"), std::filesystem::file_size(folder_.file("net.onnx")) / 2);
  expect_refusal(run("model net.onnx --dim n=4"), 2, {"not an ONNX model"});
}

}  // namespace
}  // namespace nestwright
