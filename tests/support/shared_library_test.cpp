#include "support/os/shared_library.h"

#include <gtest/gtest.h>

#include <vector>

#include "nestwright/error.h"

namespace nestwright {
namespace {

TEST(SharedLibrary, TheFirstThatIsThereIsTaken) {
  const std::vector<std::string> names{"libnestwright-has-none.so.1", "libm.so.6", "libc.so.6"};
  const auto library = SharedLibrary::open(names);
  ASSERT_TRUE(library.has_value());
  EXPECT_EQ(library->name(), "libm.so.6");
  const auto cosine = library->function<double (*)(double)>("cos");
  EXPECT_EQ(cosine(0.0), 1.0);
}

TEST(SharedLibrary, IsAbsentWhereNoneIsThere) {
  const std::vector<std::string> names{"libnestwright-has-none.so.1"};
  EXPECT_FALSE(SharedLibrary::open(names).has_value());
  EXPECT_FALSE(SharedLibrary::open({}).has_value());
}

TEST(SharedLibrary, NamesAFunctionThatIsMissing) {
  const std::vector<std::string> names{"libm.so.6"};
  try {
    SharedLibrary::open(names)->function<void (*)()>("no_such_function");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "library libm.so.6 has no function no_such_function: install another version of it");
  }
}

}  // namespace
}  // namespace nestwright
