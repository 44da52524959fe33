// Connections and statements of SQLite.
#include "logs/sqlite/database.h"

#include <gtest/gtest.h>

#include "tests/logs/sample.h"

namespace nestwright::sqlite {
namespace {

class DatabaseTest : public ::testing::Test {
 protected:
  DatabaseTest() { database_.execute("CREATE TABLE t(x); INSERT INTO t VALUES (1), (2), (3)"); }

  Database open() const { return {path_, path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0}; }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("any.db");
  Database database_ = open();
};

constexpr const char* kGreater = "SELECT x FROM t WHERE x > ? ORDER BY x";

TEST_F(DatabaseTest, AStatementThatIsUsedAgainStartsOver) {
  {
    Statement first = database_.prepare(kGreater);
    ASSERT_TRUE(first.bind(1).step());
    EXPECT_EQ(first.integer(0), 2) << "and one row is left unread";
  }
  Statement again = database_.prepare(kGreater);
  EXPECT_FALSE(again.step()) << "no parameter is bound any more";
  ASSERT_TRUE(again.bind(0).step());
  EXPECT_EQ(again.integer(0), 1);
}

TEST_F(DatabaseTest, StatementsOfOneTextAreIndependentOfEachOther) {
  Statement outer = database_.prepare(kGreater);
  outer.bind(0);
  int pairs = 0;
  while (outer.step()) {
    Statement inner = database_.prepare(kGreater);
    inner.bind(outer.integer(0));
    while (inner.step()) ++pairs;
  }
  EXPECT_EQ(pairs, 3);
}

TEST_F(DatabaseTest, KeptStatementsSeeAChangedSchema) {
  const auto count = [&] {
    Statement select = database_.prepare("SELECT * FROM t");
    return select.step() ? sqlite3_column_count(sqlite3_next_stmt(database_.connection(), nullptr)) : 0;
  };
  EXPECT_EQ(count(), 1);
  database_.execute("ALTER TABLE t ADD COLUMN y; DELETE FROM t WHERE x > 1");
  EXPECT_EQ(count(), 2);
}

TEST_F(DatabaseTest, KeptStatementsDoNotKeepTheFileOpen) {
  Database moved = std::move(database_);
  EXPECT_TRUE(moved.prepare(kGreater).bind(0).step());
  moved = open();
  moved.execute("DROP TABLE t");
}

}  // namespace
}  // namespace nestwright::sqlite
