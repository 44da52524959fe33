#include "nestwright/expr_nodes.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "ir/core/fold.h"
#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

void require_number(Intrinsic intrinsic, const Expr& x, bool integers_too) {
  const std::string name = intrinsic_name(intrinsic);
  if (!x.defined()) throw UsageError("an operand of " + name + " is undefined");
  const Type type = x.type();
  if (type.is_float() || (integers_too && type.is_int())) return;
  throw UsageError(name + " does not take " + type.str() + ": cast it to " +
                   (integers_too ? "a number" : "a floating-point type") + " first");
}

Expr of_float(Intrinsic intrinsic, const Expr& x) {
  require_number(intrinsic, x, false);
  return make_call(intrinsic, {x}, x.type());
}

Expr of_two_floats(Intrinsic intrinsic, const Expr& x, const Expr& y) {
  Expr a = x, b = y;
  make_agree(a, b, intrinsic_name(intrinsic));
  require_number(intrinsic, a, false);
  const Type type = a.type();
  return make_call(intrinsic, {std::move(a), std::move(b)}, type);
}

Expr rounded(Intrinsic intrinsic, const Expr& x) {
  require_number(intrinsic, x, true);
  return x.type().is_int() ? x : make_call(intrinsic, {x}, x.type());
}

}  // namespace

Expr exp(const Expr& x) { return of_float(Intrinsic::kExp, x); }
Expr log(const Expr& x) { return of_float(Intrinsic::kLog, x); }
Expr log2(const Expr& x) { return of_float(Intrinsic::kLog2, x); }
Expr sqrt(const Expr& x) { return of_float(Intrinsic::kSqrt, x); }
Expr rsqrt(const Expr& x) { return of_float(Intrinsic::kRsqrt, x); }
Expr tanh(const Expr& x) { return of_float(Intrinsic::kTanh, x); }
Expr sigmoid(const Expr& x) { return of_float(Intrinsic::kSigmoid, x); }
Expr erf(const Expr& x) { return of_float(Intrinsic::kErf, x); }
Expr sin(const Expr& x) { return of_float(Intrinsic::kSin, x); }
Expr cos(const Expr& x) { return of_float(Intrinsic::kCos, x); }

Expr pow(const Expr& x, const Expr& y) { return of_two_floats(Intrinsic::kPow, x, y); }
Expr scale(const Expr& x, const Expr& n) { return of_two_floats(Intrinsic::kScale, x, n); }

Expr round_tf32(const Expr& x) {
  require_number(Intrinsic::kRoundTf32, x, false);
  if (x.type().element() != kFloat32) {
    throw UsageError("round_tf32 does not take " + x.type().str() + ": cast it to float32 first");
  }
  return make_call(Intrinsic::kRoundTf32, {x}, x.type());
}

Expr floor(const Expr& x) { return rounded(Intrinsic::kFloor, x); }
Expr ceil(const Expr& x) { return rounded(Intrinsic::kCeil, x); }
Expr round(const Expr& x) { return rounded(Intrinsic::kRound, x); }
Expr trunc(const Expr& x) { return rounded(Intrinsic::kTrunc, x); }

Expr abs(const Expr& x) {
  require_number(Intrinsic::kAbs, x, true);
  return x.type().code == TypeCode::kUInt ? x : make_call(Intrinsic::kAbs, {x}, x.type());
}

Expr clamp(const Expr& x, const Expr& low, const Expr& high) { return min(high, max(low, x)); }

Expr fma(const Expr& x, const Expr& y, const Expr& z) {
  Expr a = x, b = y, c = z;
  // Twice, so that a type that only the last operand has reaches the first.
  for (int pass = 0; pass < 2; ++pass) {
    make_agree(a, b, "fma");
    make_agree(b, c, "fma");
  }
  require_number(Intrinsic::kFma, a, true);
  const Type type = a.type();
  return make_call(Intrinsic::kFma, {std::move(a), std::move(b), std::move(c)}, type);
}

Expr reinterpret(Type type, const Expr& x) {
  if (!x.defined()) throw UsageError("the operand of reinterpret is undefined");
  const Type from = x.type(), to = type.with_lanes(from.lanes);
  if (from == to) return x;
  if (from.bits != to.bits || from.is_bool()) {
    throw UsageError("reinterpret from " + from.str() + " to " + to.str() +
                     ": the types differ in bits, cast to change the type of a value");
  }
  return make_call(Intrinsic::kReinterpret, {x}, to);
}

Expr call_extern(Type type, const std::string& function, const std::vector<Expr>& args) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  const auto is_part = [&](unsigned char c) { return is_letter(c) || std::isdigit(c) != 0; };
  if (function.empty() || !is_letter(static_cast<unsigned char>(function[0])) ||
      !std::all_of(function.begin(), function.end(), is_part)) {
    throw UsageError("'" + function + "' is no name of a C function: use letters, digits and _");
  }
  if (!type.is_scalar() || type.is_narrow_float()) {
    throw UsageError("the C function " + function + " cannot give " + type.str() +
                     ": let it give float32 or an integer");
  }
  for (const Expr& arg : args) {
    if (!arg.defined()) throw UsageError("an argument of the C function " + function + " is undefined");
    const Type given = arg.type();
    if (given.is_narrow_float() || !given.is_scalar()) {
      throw UsageError("the C function " + function + " does not take " + given.str() + ": cast it to float32");
    }
  }
  return make_call_extern(function, args, type);
}

Expr join(const std::vector<Expr>& parts) {
  if (parts.size() != 2 && parts.size() != 4) throw UsageError("a word is joined from two halves or four bytes");
  std::vector<Expr> words;
  for (const Expr& part : parts) {
    if (!part.defined()) throw UsageError("a part of a word is undefined");
    const Type type = part.type();
    const bool is_half = type.is_float() && type.bits == 16 && parts.size() == 2;
    if (!type.is_int() && !is_half) {
      throw UsageError("a word is joined from integers, or two floats of 16 bits, not from " + type.str());
    }
    words.push_back(cast(kInt32, is_half ? reinterpret(kUInt16, part) : part));
  }
  const Type type = words[0].type();
  return make_call(parts.size() == 2 ? Intrinsic::kJoinHalves : Intrinsic::kJoinBytes, std::move(words), type);
}

Expr dot(Intrinsic how, Expr sum, Expr a, Expr b) {
  const std::string name = intrinsic_name(how);
  if (!is_dot(how)) throw UsageError(name + " is no product of words");
  if (!sum.defined() || !a.defined() || !b.defined()) throw UsageError("an argument of " + name + " is undefined");
  const Type type = sum.type();
  const Type own = (how == Intrinsic::kDotBF16 ? kFloat32 : kInt32).with_lanes(type.lanes);
  if (type != own) throw UsageError(name + " is not of type " + own.str());
  const Type word = kInt32.with_lanes(type.lanes);
  if (a.type() != word || b.type() != word) {
    throw UsageError("an argument of " + name + " is not of type " + word.str());
  }
  return make_call(how, {std::move(sum), std::move(a), std::move(b)}, type);
}

Expr shuffle_xor(const Expr& x, int n) {
  return make_call(Intrinsic::kShuffleXor, {x, make_int(n, kInt32.with_lanes(x.lanes()))}, x.type());
}

}  // namespace nestwright::ir
