// Every refusal of an expression text: its message, and the column that it points at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/message.h"
#include "text/expression.h"
#include "text/syntax/expression_error.h"

namespace nestwright::text {
namespace {

using ::testing::HasSubstr;

/// `marked` is the text with a '^' before the character that the message is to point at.
void expect_error(std::string marked, const std::string& part) {
  const std::size_t at = marked.find('^');
  ASSERT_NE(at, std::string::npos) << marked;
  marked.erase(at, 1);
  try {
    const Expression made = Expression::parse(marked);
    ADD_FAILURE() << "not refused: " << marked << " is " << made.str();
  } catch (const ExpressionError& e) {
    EXPECT_THAT(e.what(), HasSubstr(part)) << marked;
    EXPECT_EQ(e.column(), at + 1) << marked << "\n" << e.what();
    EXPECT_THAT(e.what(), HasSubstr("expression, column " + std::to_string(at + 1) + ": "));
  }
}

TEST(ExpressionErrors, ShowTheCharacter) {
  try {
    Expression::parse("C[i, j] = sum(k, A[i, k]] * B[k, j])");
    FAIL();
  } catch (const ExpressionError& e) {
    EXPECT_STREQ(e.what(), "expression, column 25: expected an operator or ')', got ']'");
    EXPECT_EQ(e.excerpt(), "  C[i, j] = sum(k, A[i, k]] * B[k, j])\n                          ^\n");
  }
  try {
    Expression::parse("C[i] = " + std::string(100, ' ') + "$");
    FAIL();
  } catch (const ExpressionError& e) {
    EXPECT_EQ(e.excerpt(), "  ..." + std::string(60, ' ') + "$\n     " + std::string(60, ' ') + "^\n");
  }
}

TEST(ExpressionErrors, OfTheGrammar) {
  expect_error("^", "the text is empty; write an expression");
  expect_error("C[i] = A[i] ^# 2", "this character begins no name, number or operator");
  expect_error("C[i] = A[i] * ^99999999999999999999", "the number 99999999999999999999 is out of range");
  expect_error("C[i] = A[i] * ^1e999", "the number 1e999 is out of range");
  expect_error("C[i] = A[i] + ^-(1 << 63)", "the result of '-' is out of range");
  expect_error("C[i] = A[i] * ^3.5e38", "this number is no float32");
  expect_error("C[i] = A[i] & ^-1; A: uint64[4]", "this number is no uint64");
  expect_error("^3 = A[i]", "expected the name of a tensor, got the number 3");
  expect_error("C^(i) = A[i]", "expected '[' or ':' after the name of a tensor, got '('");
  expect_error("C[^3] = A[3]", "expected an index or ']', got the number 3");
  expect_error("C[i, ^] = A[i]", "expected an index, got ']'");
  expect_error("C[i ^j] = A[i]", "expected ',' or ']', got 'j'");
  expect_error("C[i] ^A[i]", "expected '=', got 'A'");
  expect_error("C[i] = ^", "expected a number, an index, a tensor, a function or '(', got the end");
  expect_error("C[i] = (A[i] ^; D[i] = 1", "expected an operator or ')', got ';'");
  expect_error("C[i] = A[i ^; D[i] = 1", "expected an operator, ',' or ']', got ';'");
  expect_error("C[i] = A[i] ^5", "expected an operator, ';' or the end, got the number 5");
  expect_error("C[i] = A[i] i=4 ^+ 1", "expected another size, as in i=512, the end or ';', got '+'");
  expect_error("C[i] = A[i] i=^x",
               "expected an integer: the extent of 'i', got 'x'; a tensor is written with brackets, as in i[] = ...");
  expect_error("s = ^sum(i, X[i])", "the extent of 's', got 'sum'; a tensor is written with brackets, as in s[] = ...");
  expect_error("C[i] = A[i] i=^0", "an extent is an integer from 1 to 2147483647");
  expect_error("C[i] = A[i] i=^3000000000", "an extent is an integer from 1 to 2147483647");
  expect_error("C[i] = A[i] < 1 ^< 2", "expected an operator, ';' or the end, got '<'");
  expect_error("C[i] = ^foo(A[i])", "there is no function 'foo'; the functions are exp, log");
  expect_error("C[i] = ^sqr(A[i])", "there is no function 'sqr'; did you mean 'sqrt'");
  expect_error("C[i] = ^exp(A[i], 1)", "exp takes 1 argument, not 2");
  expect_error("C[i] = ^select(A[i] > 0, 1)", "select takes 3 arguments, not 2");
  expect_error("C[i] = ^float16(A[i], 1)", "float16 takes 1 argument, not 2");
  expect_error("C[i] = A[i] * (1 ^/ 3)", "a quotient of two integers is rounded down: write its value, or 1.0/3");
  expect_error("C[i] = A[i] * (inf ^- inf)", "the result of these two numbers is out of range");
  expect_error("C[i] = B[i] + 9223372036854775807 ^* 9 * 9", "the result of these two numbers is out of range");
}

TEST(ExpressionErrors, OfReductions) {
  expect_error("C[i] = sum(^A[i, k])", "expected an index to reduce over, followed by ',', got 'A'");
  expect_error("C[i] = 2 * sum(^A[i, k])", "expected an index to reduce over, followed by ',', got 'A'");
  expect_error("C[i] = sum(k, A[i, k]) ^5", "expected an operator, ';' or the end, got the number 5");
  expect_error("C[i] = sum(k, A[i, k] ^; D[i] = 1", "expected an operator or ')', got ';'");
  expect_error("C[i] = exp(max(^k, A[i, k])) i=4",
               "the extent of 'k' does not follow from the shapes of tensors: add k=...");
  expect_error("C[^i] = 2 * sum(k, A[i, k]) k=4", "the extent of 'i' does not follow");
  expect_error("C[i] = sum(k, A[i, k]) * ^k", "'k' is no index of this statement");
  expect_error("C[i] = 1 + sum(^i, A[i])", "the index 'i' is given twice");
  expect_error("C[i] = sum(k, A[k] * sum(^k, B[k]))", "the index 'k' is given twice");
  expect_error("C[a,b,c,d,e,f,g,h] = sum(k, A[k] * ^max(l, B[a,b,c,d,e,f,g,h] + D[k, l]))",
               "more than 8 indices are given: use fewer");
  expect_error("C[i] = ^sum(k, A[i, k] > 0) + 1", "sum takes numbers, but the value is bool: convert it");
  expect_error("C[i] = ^argmax(j, k, A[i, j, k])", "argmax runs over one index: reduce over the others before");
  expect_error("C[i] = ^any(k, A[i, k])", "any takes conditions, but the value is float32: compare it");
  expect_error("C[i] = ^sum(k, A[i, k] > 0)", "sum takes numbers, but the value is bool: convert it");
  expect_error("C[i] = sum(^i, A[i])", "the index 'i' is given twice");
}

TEST(ExpressionErrors, OfDeclarations) {
  expect_error("C[i] = A[i]; A: ^float33[4]", "'float33' is no type: the types are");
  expect_error("C[i] = A[i]; ^C: constant i=4", "'C' is computed, so it is not constant: declare inputs");
  expect_error("C[i] = A[i]; A: constant; ^A: constant i=4", "'A' is declared twice");
  expect_error("C[i] = A[i]; A: ^4", "expected 'constant', a type or 'in', got the number 4");
  expect_error("C[i] = A[i]; A: float32[^+]", "expected an extent: a number or the name of a size, got '+'");
  expect_error("C[i] = A[i]; A: float32[^0]", "an extent is an integer from 1 to 2147483647");
  expect_error("C[i] = A[i]; A: float32[4 ^5]", "expected ']' or ',', got the number 5");
  expect_error("C[i] = A[i]; A: float32[^n]", "the size 'n' is not known: add n=...");
  expect_error("C[i] = A[i]; A: float32 in ^(0, 1)", "expected '[', got '('");
  expect_error("C[i] = A[i]; A: float32 in [^x, 1]", "expected a number, got 'x'");
  expect_error("C[i] = A[i]; A: float32 in [^2, 1]", "a range is [low, high] of finite numbers with low <= high");
  expect_error("C[i] = A[i]; A: float32 in [^0, inf]", "a range is [low, high] of finite numbers with low <= high");
  expect_error("C[i] = A[i]; A: int64 in [0, ^9223372036854775807]",
               "the end of the range 9223372036854775807 is not exact in double precision: use an integer up to");
  expect_error("C[i] = A[i]; A: int64 in [^-9007199254740993, 0]",
               "the end of the range 9007199254740993 is not exact in double precision");
  expect_error("C[i] = A[i]; A: float32[4] ^+ 1", "expected ';' or the end, got '+'");
  expect_error("C[i] = A[i]; ^B: float32[4]", "no statement reads or computes 'B': leave the declaration out");
  expect_error("C[i] = A[i]; A: float32[4]; ^A: float16", "'A' is declared twice");
  expect_error("C[i] = A[i] i=4; ^C: in [0, 1]", "'C' is computed, so it has no range of data");
  expect_error("C[i] = A[i]; ^C: float16[4]", "'C' is float32 by its statement, not float16: convert the value");
  expect_error("C[i] = A[i]; ^A: float32[4, 4]", "'A' has 1 dimensions at column 8, but 2 here");
  expect_error("C[i] = A[i]; ^A: int8[4] in [0.2, 0.7]", "the range of 'A' has no integer");
  expect_error("C[i] = A[i]; ^A: uint8[4] in [-1, 5]", "the range of 'A' is not one of its type, uint8");
  expect_error("C[i] = A[i]; ^A: float16[4] in [0, 70000]", "the range of 'A' is not one of its type, float16");
}

TEST(ExpressionErrors, OfNames) {
  expect_error("A: float32[4]^", "no statement computes a tensor: write one");
  expect_error("C[i] = A[^j] i=4", "'j' is no index of this statement: put it to the left of '=' or reduce over it");
  expect_error("C[i, ^i] = A[i]", "the index 'i' is given twice");
  expect_error("C[^inf] = A[0]", "'inf' is a number: use another name for the index");
  expect_error("C[i] = A[i]; ^C[i] = A[i]", "'C' is computed or read before: use another name");
  expect_error("C[i] = ^D[i]; D[i] = A[i]", "'D' is read before the statement that computes it has ended");
  expect_error("C[i] = ^C[i] + 1", "'C' is read before the statement that computes it has ended");
  expect_error("C[i] = A[i] + ^A[i, i]", "'A' has 1 dimensions at column 8, but 2 here");
  expect_error("C[i] = A[i,i,i,i,i,i,i,i] + ^B[i,i,i,i,i,i,i,i,i] i=1", "more than 8 indices are given: use fewer");
  expect_error("C[i] = A[i] i=4 ^i=5", "the size 'i' is given twice");
  expect_error("C[i] = A[i] i=4 ^q=5", "no index and no declared extent is named 'q': leave it out");
}

TEST(ExpressionErrors, OfTypes) {
  const std::string types = "; A: float16[4]; B: int32[4]; P: bool[4]; D: float32[4]";
  const auto refuse = [&](const std::string& body, const std::string& part) {
    // Reads all of the declared tensors.
    expect_error("C[i] = " + body + "; E[i] = float32(A[i]) + float32(B[i]) + select(P[i], 1, D[i])" + types, part);
  };
  refuse("A[i] ^* B[i]", "the operands of '*' are float16 and int32: convert one, as in float16(...)");
  refuse("A[i] ^+ D[i]", "the operands of '+' are float16 and float32: convert one");
  refuse("B[i] + ^0.5", "this number is no int32, as the other operand of '+' is: convert that");
  refuse("B[i] + ^3000000000", "this number is no int32");
  refuse("A[i] + ^100000", "this number is no float16");
  refuse("P[i] ^+ P[i]", "'+' takes numbers, not conditions: use && and ||");
  refuse("P[i] && ^B[i]", "'&&' takes conditions, not int32: compare it");
  refuse("^!B[i]", "'!' takes a condition, not int32: compare it");
  refuse("^-P[i]", "'-' takes a number, not a condition: use '!'");
  refuse("A[i] ^% A[i]", "'%' takes integers, not float16");
  refuse("B[i] / ^0", "the divisor is 0");
  refuse("^exp(B[i])", "exp takes floating-point numbers, not int32: convert it, as in float32(...)");
  refuse("^abs(P[i])", "abs takes numbers, not bool");
  refuse("^round_tf32(A[i])", "round_tf32 takes float32, not float16");
  refuse("select(^B[i], 1, 2)", "the first argument of select is a condition, not int32: compare it");
  refuse("max(^A[i], B[i])", "the arguments of max are int32 and float16: convert one");
  refuse("max(B[i], ^0.5)", "this number is no int32");
  refuse("^sin(B[i])", "sin takes floating-point numbers, not int32");
  refuse("^trunc(P[i])", "trunc takes numbers, not bool");
  refuse("B[i] & ^A[i]", "'&' takes integers, not float16: convert it, as in int32(...)");
  refuse("B[i] << ^1.5", "'<<' takes integers, not float32");
  refuse("^P[i] | P[i]", "'|' takes integers, not bool: write && and ||");
  refuse("B[i] & (^B[i] == 0)", "'&' takes integers, not bool");
  refuse("D[^A[i]]", "an index is an integer, not float16: convert it");
}

TEST(ExpressionErrors, OfNumbersThatTheirTypeDoesNotHold) {
  const std::string refusal = "this number is no float32: convert it to a type that holds it, as in float64(";
  for (const char* body : {"^1e39", "^-1e39", "sum(k, ^1e39)", "exp(^1e39) * A[i]", "select(A[i] > 0, ^1e39, 1.0)",
                           "A[i] + max(2, ^-1e39)", "select(^1e39 > 1.0, A[i], 0)", "A[i] + float32(^1e39)"}) {
    expect_error("B[i, k] = A[i] + float32(k); C[i] = " + std::string(body) + " i=4 k=3", refusal);
  }
  expect_error("C[i] = float16(^70000) i=4", "this number is no float16: convert it");
  for (const char* body : {"inf", "3e38", "float64(1e39)", "select(A[i] > 0, float64(1e39), 1.0)", "float16(65504)"}) {
    EXPECT_NO_THROW(Expression::parse("B[i] = A[i]; C[i] = " + std::string(body) + " i=4")) << body;
  }
}

TEST(ExpressionErrors, OfDivisors) {
  const std::string refusal = "this divisor may be 0: give the range of the tensor that it is read from";
  expect_error("Y[i] = X[i] / ^Z[i]; X: int32; Z: int32 i=5", refusal);
  expect_error("Y[i] = X[i] % (^Z[i] + 1); X: int32; Z: int32 in [-3, 3] i=5", refusal);
  expect_error("Y[i] = 5 / (^i - 2) i=5", refusal);
  for (const char* text : {"Y[i] = X[i] / Z[i]; X: int32; Z: int32 in [1, 9] i=5", "Y[i] = X[i] / Z[i] i=5",
                           "Y[i] = X[i] / max(Z[i], 1); X: int32; Z: int32 i=5", "Y[i] = 5 / -(i + 1) i=5",
                           "Y[i] = X[i] / select(Z[i] == 0, 1, max(Z[i], 2)); X: int32; Z: int32 i=5",
                           "Y[i] = select(Z[i] != 0, X[i] / Z[i], 0); X: int32; Z: int32 i=5"}) {
    EXPECT_NO_THROW(Expression::parse(text)) << text;
  }
}

TEST(ExpressionErrors, OfOverflow) {
  const auto text_of = [](const std::string& value) {
    return "B[i] = float32(Z[i]); Y[i] = X[i] * float32(" + value + "); Z: int64 in [0, 9] i=1000";
  };
  const std::string refusal = "this arithmetic on indices may overflow, as its terms may add up to 2^62 or more: ";
  for (const char* value :
       {"(i ^* 6364136223846793005) >> 33", "select(i ^* 6364136223846793005 >= 0, 1.0, 0.0)",
        "int64(i) ^* 6364136223846793005", "(i - 500) ^* 15372286728091293", "i ^+ 4611686018427387904", "i ^<< 53",
        "2 * ((i / 4) ^* 18446744073709551)", "max(i, 3) ^* 4616302321000000", "floor(-i) ^* 4616302321000000",
        "i ^* int64(1e18)", "abs(i - 5) ^* 4616302321000000", "(Z[i] + i) ^* 6364136223846793005",
        "select(Z[i] > 0, i, 7) ^* 4616302321000000", "Z[i] * (i ^* 4616302321000000)",
        "T[clamp(i ^* 6364136223846793005, 0, 9)]", "clamp(Z[i], 0, 1000) ^* 10000000000000000",
        "min(max(Z[i], -5), 1000) ^* 10000000000000000", "max(min(1000, Z[i]), 0) ^* 10000000000000000",
        "(clamp(Z[i], 0, 8000) >> 3) ^* 10000000000000000"}) {
    expect_error(text_of(value), refusal);
  }
  expect_error("B[i] = i + 5; Y[i] = select(B[i] ^* 10000000000000000 >= 0, X[i], 0.0) i=1000", refusal);
  expect_error("B[i] = i + 5; Y[i] = select(B[i - 1]?7 ^* 10000000000000000 >= 0, X[i], 0.0) i=1000", refusal);
  for (const char* value : {"(uint64(i) * 6364136223846793005) >> 33", "int64(uint64(i) * 6364136223846793005) >> 33",
                            "select(int64(uint64(i) * 6364136223846793005) >= 0, 1.0, 0.0)", "i * 4616302320000000",
                            "i * 2654435761 % 4294967296", "(Z[i] + 5) * 6364136223846793005",
                            "Z[i] * 6364136223846793005 + 1442695040888963407 + i", "Z[i] % 7 * 6364136223846793005",
                            "int32(i) * 2000000000", "(i >> 3) * 35000000000000000", "(i & 7) * 500000000000000000",
                            "max(1e30, 2) * inf / 0 * 5", "max(Z[i], 1) * 10000000000000000",
                            "clamp(X[i], 0.0, 9.0) * 1e30", "clamp(Z[i], 0, 400) * 10000000000000000",
                            "select(i < 9223372036854775807, 1.0, 0.0)", "min(i, 9223372036854775807)"}) {
    EXPECT_NO_THROW(Expression::parse(text_of(value))) << value;
  }
}

TEST(ExpressionErrors, OfPaddings) {
  const auto refuse = [](const std::string& padding, const std::string& type, const std::string& part) {
    expect_error("Y[i] = X[i - 1]?" + padding + " i=9; X: " + type + "[8]", part);
  };
  refuse("^0.5", "int32", "the padding of 'X' is no value of its type, int32");
  refuse("^2", "bool", "the padding of 'X' is no value of its type, bool");
  refuse("^-1", "uint64", "the padding of 'X' is no value of its type, uint64");
  refuse("^1e19", "int64", "the padding of 'X' is no value of its type, int64");
  refuse("^1e19", "uint64", "the padding of 'X' is too large: that of uint64 is below 2^63");
  refuse("^9223372036854775808.0", "uint64", "the padding of 'X' is too large: that of uint64 is below 2^63");
  refuse("^9007199254740993", "int64",
         "the padding 9007199254740993 is not exact in double precision: use an integer up to 2^53");
  refuse("^-9007199254740993", "int64", "the padding 9007199254740993 is not exact in double precision");
  refuse("^9223372036854775807", "uint64", "the padding 9223372036854775807 is not exact in double precision");
}

TEST(ExpressionErrors, OfExtents) {
  expect_error("C[^i] = A[i]", "the extent of 'i' does not follow from the shapes of tensors: add i=...");
  expect_error("C[i] = sum(^k, A[i, k]) i=4",
               "the extent of 'k' does not follow from the shapes of tensors: add k=...");
  expect_error("C[i] = A[^i - 1]?0 i=4", "padded reads do not say how large 'A' is: declare its shape");
  expect_error("C[i] = A[^B[i]] i=4; B: int32", "this index does not say how large 'A' is: declare its shape");
  expect_error("C[i] = A[^B[i]] i=4; B: int32; A: float32[9]",
               "index 0 of 'A' has no known range: clamp it, or give the range of the tensor that it is read from");
  expect_error("C[i] = A[^I[i] + 100] i=4; I: int8 in [0, 99]; A: float32[500]",
               "index 0 of 'A' has no known range, because int8 does not hold 100 to 199: compute it in a wider type, "
               "as in int64(...)");
  for (const char* shape : {"", "; A: float32[200]"}) {
    expect_error("C[i] = A[2 * ^int8(i)] i=200" + std::string(shape),
                 "index 0 of 'A' has no known range, because int8 does not hold 0 to 199: compute it in a wider type");
  }
  expect_error("C[i] = A[^i & 5] i=4; A: float32[500]", "index 0 of 'A' has no known range");
  expect_error("C[i] = A[^i << i] i=4; A: float32[500]", "index 0 of 'A' has no known range");
  expect_error("C[i] = A[^i - 1] i=4", "index 0 of 'A' runs from -1 to 2, but the extent is 3");
  expect_error("C[i] = A[^i + 1] i=4; A: float32[4]", "index 0 of 'A' runs from 1 to 4, but the extent is 4");
  expect_error("C[i] = A[^i] i=5; A: float32[4]", "index 0 of 'A' runs from 0 to 4, but the extent is 4");
  expect_error("C[i] = sum(k, A[i, k] * B[^k]) i=2; A: float32[2, 8]; B: float32[9]",
               "'k' runs over 8, all of dimension 1 of 'A', but dimension 0 of 'B' is 9: make them agree, or add "
               "k=8 if that part is meant");
  expect_error("C[i] = A[^i + 9]; A: float32[4]", "this index is at least 9, but dimension 0 of 'A' is 4");
  expect_error("^C[i] = A[i] i=5; C: float32[4]", "dimension 0 of 'C' is declared as 4, but i=5: make them agree");
  expect_error("^C[i, j] = 1.0 i=100000 j=100000", "'C' has more than 2147483647 elements: give smaller sizes");
}

TEST(ExpressionErrors, AskForARangeOnlyWhereOneHelps) {
  for (const char* text :
       {"M[i] = Z[i] + 1; C[i] = A[M[i]] i=4; Z: int32; A: float32[9]", "C[i] = A[int64(X[i])] i=4; A: float32[9]",
        "C[i] = A[i & 5] i=4; A: float32[9]", "C[i] = A[I[i - 1]?0] i=4; I: int32[3]; A: float32[9]",
        "C[i] = A[I[i] ^ 1] i=4; I: int32 in [0, 8]; A: float32[9]"}) {
    EXPECT_THAT(message<ExpressionError>([&] { Expression::parse(text); }),
                ::testing::EndsWith("index 0 of 'A' has no known range: clamp it"))
        << text;
  }
  for (const char* text : {"C[i] = A[^I[J[i]]] i=4; J: int32 in [0, 8]; I: int32[9]; A: float32[9]",
                           "C[i] = A[^I[i] + J[i]] i=4; J: int32 in [0, 4]; I: int32[4]; A: float32[9]"}) {
    expect_error(text, "clamp it, or give the range of the tensor that it is read from");
  }
}

TEST(ExpressionErrors, OfLength) {
  const std::string deep = std::string(kMaxHeight, '(');
  expect_error("C[i] = " + deep + "^" + deep, "operations are nested more than 200 deep");
  std::string chain = "C[i] = A[i]";
  for (int n = 0; n < kMaxHeight - 2; ++n) chain += "+A[i]";
  Expression::parse(chain + " i=2");
  expect_error(chain + "^+A[i] i=2", "operations are nested more than 200 deep");
  expect_error(std::string(kMaxText, ' ') + "^ C[i] = A[i]", "the text is longer than 16384 characters");
}

}  // namespace
}  // namespace nestwright::text
