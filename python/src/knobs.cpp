// Knobs of templates: their handles, whose arithmetic makes conditions, and the interface that a template defines them
// by.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "bindings.h"
#include "conversions.h"
#include "knobs.h"
#include "nestwright/error.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

KnobExpr knob_expr_from(nb::handle object) {
  if (nb::isinstance<KnobExpr>(object)) return nb::cast<const KnobExpr&>(object);
  if (nb::isinstance<nb::bool_>(object)) return {std::int64_t{nb::cast<bool>(object)}};
  return {integer_from(object, "the operand of a knob")};
}

/// The option of a choice, which is compared with its names alone: a misspelt one would be false in every run.
class PythonOption {
 public:
  PythonOption(OptionKnob knob, std::string name, std::vector<std::string> options)
      : knob_(std::move(knob)), name_(std::move(name)), options_(std::move(options)) {}

  /// Throws UsageError that lists the names.
  KnobExpr operator==(const std::string& option) const {
    if (std::ranges::find(options_, option) == options_.end()) {
      std::string names;
      for (const std::string& each : options_) names += (names.empty() ? "" : ", ") + each;
      throw UsageError("knob " + name_ + ": there is no option '" + option + "': its options are " + names);
    }
    return knob_ == option;
  }
  /// In this run.
  std::string taken() const { return knob_; }

 private:
  OptionKnob knob_;
  std::string name_;
  std::vector<std::string> options_;
};

SplitOptions::Policy policy_from(const std::string& name) {
  if (name == "factors") return SplitOptions::Policy::kFactors;
  if (name == "power_of_two") return SplitOptions::Policy::kPowerOfTwo;
  if (name == "all") return SplitOptions::Policy::kAll;
  throw UsageError("there is no policy of splits '" + name + "': use factors, power_of_two or all");
}

void add_number(nb::module_& m) {
  using Op = KnobExpr::Op;
  nb::class_<KnobExpr> knob(
      m, "Knob", "The number of a knob in this run, or arithmetic on such numbers, which t.require() takes.");
  const auto add = [&](const std::string& name, Op op) {
    knob.def(("__" + name + "__").c_str(),
             [op](const KnobExpr& a, nb::handle b) { return KnobExpr::binary(op, a, knob_expr_from(b)); },
             nb::is_operator());
    knob.def(("__r" + name + "__").c_str(),
             [op](const KnobExpr& a, nb::handle b) { return KnobExpr::binary(op, knob_expr_from(b), a); },
             nb::is_operator());
  };
  add("add", Op::kAdd);
  add("sub", Op::kSubtract);
  add("mul", Op::kMultiply);
  // Of the sizes in templates, which are positive, the quotients of C++ and of Python are the same.
  add("floordiv", Op::kDivide);
  add("mod", Op::kModulo);
  add("and", Op::kSkipIfFalse);
  add("or", Op::kSkipIfTrue);
  const auto compare = [&](const char* name, Op op, bool is_negated) {
    knob.def(
        name,
        [op, is_negated](const KnobExpr& a, nb::handle b) {
          const KnobExpr result = KnobExpr::binary(op, a, knob_expr_from(b));
          return is_negated ? !result : result;
        },
        nb::is_operator());
  };
  // Any is what mypy takes in the place of a bool.
  knob.def(
      "__eq__", [](const KnobExpr& a, nb::handle b) { return KnobExpr::binary(Op::kEqual, a, knob_expr_from(b)); },
      nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> typing.Any"));
  knob.def(
      "__ne__", [](const KnobExpr& a, nb::handle b) { return KnobExpr::binary(Op::kNotEqual, a, knob_expr_from(b)); },
      nb::is_operator(), nb::sig("def __ne__(self, arg: object, /) -> typing.Any"));
  compare("__lt__", Op::kLess, false);
  compare("__le__", Op::kLessOrEqual, false);
  compare("__gt__", Op::kLessOrEqual, true);
  compare("__ge__", Op::kLess, true);
  knob.def("__invert__", [](const KnobExpr& a) { return !a; });
  knob.def("__int__", [](const KnobExpr& a) { return static_cast<std::int64_t>(a); });
  knob.def("__index__", [](const KnobExpr& a) { return static_cast<std::int64_t>(a); });
  knob.def("__bool__", [](const KnobExpr& a) { return static_cast<std::int64_t>(a) != 0; });
  knob.def("__hash__", [](const KnobExpr& a) { return static_cast<std::int64_t>(a); });
  knob.def("__repr__", [](const KnobExpr& a) { return std::to_string(static_cast<std::int64_t>(a)); });
  m.def(
      "ceil_div",
      [](nb::handle a, nb::handle b) {
        return KnobExpr::binary(Op::kCeilDivide, knob_expr_from(a), knob_expr_from(b));
      },
      nb::arg("a"), nb::arg("b"), "The quotient of two knobs or numbers, rounded up.");
}

void add_handles_of_knobs(nb::module_& m) {
  nb::class_<PartsKnob>(m, "PartsKnob", "The parts of a split, outermost first, or a permutation.")
      .def("__getitem__",
           [](const PartsKnob& knob, std::int64_t part) {
             const auto parts = static_cast<std::int64_t>(knob.knob()->value.size());
             if (part < 0) part += parts;
             if (part < 0 || part >= parts) throw nb::index_error("the knob has fewer parts");
             return knob[static_cast<std::size_t>(part)];
           })
      .def("__getitem__",
           [](const PartsKnob& knob, const nb::slice& slice) {
             const auto [start, stop, step, length] = slice.compute(knob.knob()->value.size());
             nb::list parts;
             for (std::size_t i = 0; i < length; ++i) {
               parts.append(knob[static_cast<std::size_t>(start + static_cast<Py_ssize_t>(i) * step)]);
             }
             return parts;
           })
      .def(
          "__eq__",
          [](const PartsKnob& knob, nb::handle other) {
            return nb::cast(knob.knob()->value).equal(nb::list(nb::borrow(other)));
          },
          nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__hash__", [](const PartsKnob& knob) { return nb::hash(nb::tuple(nb::cast(knob.knob()->value))); })
      .def("__len__", [](const PartsKnob& knob) { return knob.knob()->value.size(); })
      .def_prop_ro("name", [](const PartsKnob& knob) { return knob.knob()->name; })
      .def("__repr__", [](const PartsKnob& knob) { return nb::repr(nb::cast(knob.knob()->value)); });
  nb::class_<PythonOption>(m, "OptionKnob", "The option of a choice in this run: compare it with a name.")
      .def(
          "__eq__", [](const PythonOption& option, const std::string& name) { return option == name; },
          nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> typing.Any"))
      .def(
          "__ne__", [](const PythonOption& option, const std::string& name) { return !(option == name); },
          nb::is_operator(), nb::sig("def __ne__(self, arg: object, /) -> typing.Any"))
      .def("__hash__", [](const PythonOption& option) { return nb::hash(nb::cast(option.taken())); })
      .def("__str__", &PythonOption::taken)
      .def("__repr__", &PythonOption::taken);
}

std::vector<std::string> names_from(nb::handle options) {
  std::vector<std::string> names;
  for (nb::handle option : nb::borrow<nb::sequence>(options)) names.push_back(nb::cast<std::string>(nb::str(option)));
  return names;
}

void check_split(const std::string& name, std::int64_t extent, int parts, std::int64_t max_factor) {
  constexpr int kMostParts = 8;
  if (extent >= 1 && parts >= 1 && parts <= kMostParts && max_factor >= 1) return;
  throw UsageError("knob " + name + ": a split has an extent and a largest factor from 1 on, and 1 to 8 parts");
}

void check_permutations(const std::string& name, std::vector<std::vector<int>> candidates) {
  for (std::vector<int>& candidate : candidates) {
    std::ranges::sort(candidate);
    for (std::size_t i = 0; i < candidate.size(); ++i) {
      if (candidate[i] == static_cast<int>(i)) continue;
      throw UsageError("knob " + name + ": each candidate is a permutation of 0 .. n-1");
    }
  }
}

void add_tuning(nb::module_& m) {
  nb::class_<TemplateRun>(m, "Tuning", "Defines the knobs of a template in one run of it.")
      .def(
          "split",
          [](TemplateRun& run, const std::string& name, std::int64_t extent, int parts, const std::string& policy,
             std::int64_t max_factor) {
            check_split(name, extent, parts, max_factor);
            return run.tuning().define_split(name, extent,
                                             {.parts = parts, .policy = policy_from(policy), .max_factor = max_factor});
          },
          nb::arg("name"), nb::arg("extent"), nb::arg("parts") = 2, nb::arg("policy") = "factors",
          nb::arg("max_factor") = std::int64_t{1} << 30,
          "The extents of nested loops, outermost first. policy: factors (inner extents divide the extent), "
          "power_of_two, or all (any inner extent up to max_factor; the split gets a tail).")
      .def(
          "choice",
          [](TemplateRun& run, const std::string& name, nb::handle options) {
            const std::vector<std::string> names = names_from(options);
            return PythonOption(run.tuning().choose(name, names), name, names);
          },
          nb::arg("name"), nb::arg("options"), "One of the named options; what runs afterwards may depend on it.")
      .def(
          "annotation",
          [](TemplateRun& run, const std::string& name, nb::handle options) {
            const std::vector<std::string> names = names_from(options);
            return PythonOption(run.tuning().define_annotate(name, names), name, names);
          },
          nb::arg("name"), nb::arg("options"), "One of the named options, on which no later knob depends.")
      .def(
          "number",
          [](TemplateRun& run, const std::string& name, const std::vector<std::int64_t>& candidates) {
            return run.tuning().define_knob(name, candidates);
          },
          nb::arg("name"), nb::arg("candidates"), "One of the integers.")
      .def(
          "permutation",
          [](TemplateRun& run, const std::string& name, const std::vector<std::vector<int>>& candidates) {
            check_permutations(name, candidates);
            return run.tuning().define_reorder(name, candidates);
          },
          nb::arg("name"), nb::arg("candidates"), "One of the given permutations of 0 .. n-1.")
      .def(
          "require",
          [](TemplateRun& run, nb::handle condition, const std::string& reason) {
            run.tuning().require(knob_expr_from(condition), reason);
          },
          nb::arg("condition"), nb::arg("reason"),
          "Refuses points for which the condition on knobs does not hold, before anything is lowered.")
      .def_prop_ro(
          "target", [](const TemplateRun& run) { return run.target().str(); }, "The target's text.")
      .def_prop_ro("threads", [](const TemplateRun& run) { return run.target().threads; })
      .def(
          "lanes", [](const TemplateRun& run, nb::handle type) { return run.target().lanes(type_from(type)); },
          nb::arg("dtype"), "The elements of this type in one vector register.");
}

}  // namespace

Tuning& TemplateRun::tuning() {
  if (tuning_ == nullptr) throw UsageError("the knobs of a template are defined while it runs");
  return *tuning_;
}

void bind_knobs(nb::module_& m) {
  add_number(m);
  add_handles_of_knobs(m);
  add_tuning(m);
}

}  // namespace nestwright::python
