// Tensors whose elements lie in other files: in the model's folder alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "graph/evaluate.h"
#include "nestwright/error.h"
#include "nestwright/model/onnx.h"
#include "tests/onnx/written_model.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using testing::WrittenModel;

class ExternalDataTest : public ::testing::Test {
 protected:
  ExternalDataTest() {
    model_.add_input("x", {2});
    tensor_ = &model_.add_tensor("w", {2});
    tensor_->set_data_location(::onnx::TensorProto::EXTERNAL);
    model_.add_node("Add", {"x", "w"}, {"y"});
    model_.add_output("y");
    const std::vector<float> values{1, 2, 3, 4};
    model_.write_file("w.bin", {reinterpret_cast<const char*>(values.data()), 16});
  }

  std::string refusal(const std::vector<std::pair<std::string, std::string>>& entries) {
    tensor_->clear_external_data();
    for (const auto& [key, value] : entries) {
      auto& entry = *tensor_->add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    return message<UsageError>([&] { import_onnx(model_.write()); });
  }

  WrittenModel model_;
  ::onnx::TensorProto* tensor_;
};

TEST_F(ExternalDataTest, IsReadWhereItBegins) {
  EXPECT_EQ(refusal({{"location", "w.bin"}, {"offset", "8"}, {"length", "8"}}), "accepted");
  const ImportedModel model = import_onnx(model_.write());
  GraphEvaluator evaluator(model.graph);
  for (ValueId value = 0; value < model.graph.values().size(); ++value) {
    if (model.graph.value(value).name != "w") continue;
    EXPECT_EQ(evaluator.get(value)->as<float>()[0], 3);
    EXPECT_EQ(evaluator.get(value)->as<float>()[1], 4);
  }
}

TEST_F(ExternalDataTest, OutsideOfTheFolderIsRefused) {
  const std::string outside = "which is not in the model's folder";
  const WrittenModel other;
  const std::string secret = other.write_file("secret.bin", std::string(8, 's'));
  EXPECT_THAT(refusal({{"location", "../w.bin"}}), HasSubstr(outside));
  EXPECT_THAT(refusal({{"location", "a/../../w.bin"}}), HasSubstr(outside));
  EXPECT_THAT(refusal({{"location", secret}}), HasSubstr(outside));
  EXPECT_THAT(refusal({{"location", (model_.folder() / "w.bin").string()}}), HasSubstr(outside));
  EXPECT_THAT(refusal({{"location", ""}}), HasSubstr(outside));
  EXPECT_THAT(refusal({}), HasSubstr(outside));
  std::filesystem::create_symlink(secret, model_.folder() / "link.bin");
  EXPECT_THAT(refusal({{"location", "link.bin"}}), HasSubstr(outside));
  std::filesystem::create_directory_symlink(other.folder(), model_.folder() / "folder");
  EXPECT_THAT(refusal({{"location", "folder/secret.bin"}}), HasSubstr(outside));
}

TEST_F(ExternalDataTest, FilesThatCannotBeReadAreRefused) {
  EXPECT_THAT(refusal({{"location", "none.bin"}}), HasSubstr("cannot be read: No such file or directory"));
  std::filesystem::create_directory(model_.folder() / "data");
  EXPECT_THAT(refusal({{"location", "data"}}), HasSubstr("the data of the tensor 'w'"));
  model_.write_file("nothing.bin", "");
  EXPECT_THAT(refusal({{"location", "nothing.bin"}}), HasSubstr("the tensor 'w'"));
}

TEST_F(ExternalDataTest, OffsetsAndLengthsAreChecked) {
  EXPECT_THAT(refusal({{"location", "w.bin"}, {"offset", "12"}}),
              HasSubstr("the tensor 'w' needs 8 bytes from byte 12 of"));
  EXPECT_THAT(refusal({{"location", "w.bin"}, {"offset", "18446744073709551615"}}), HasSubstr("the tensor 'w' needs"));
  EXPECT_THAT(refusal({{"location", "w.bin"}, {"offset", "-1"}}), HasSubstr("which is no offset or length"));
  EXPECT_THAT(refusal({{"location", "w.bin"}, {"offset", "many"}}), HasSubstr("which is no offset or length"));
  EXPECT_THAT(refusal({{"location", "w.bin"}, {"length", "4"}}),
              HasSubstr("the tensor 'w' is float32[2] and has 4 bytes, not 8"));
}

}  // namespace
}  // namespace nestwright
