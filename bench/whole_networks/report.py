"""Conclusions from times, and the tables. A ratio is a rival's time over ours: above 1 we are faster."""

import math

import numpy

PROFILED = 12  # kernels that are printed
# Of the better rival's time over ours; the ratios of the other models are capped at CAP before their mean is taken.
BARS = {"resnet50": 1.15, "mobilenet_v2": 1.7, "bert_base": 1.08}
BAR_OF_OTHERS, LEAST_OF_OTHERS, CAP = 1.3, 0.95, 2.0
ATTENTION, BAR_OF_ATTENTION, LEAST_OF_ATTENTION = "attention_", 1.2, 1.0  # of the models of bench/attention
MOST_OVER_KERNELS = 1.05  # the whole over the sum of its kernels
HEAD = (
    f"{'model':<26} {'ours ms':>8} {'rival':<11} {'ms':>8} {'ratio':>6}  {'95% interval':<14} {'MB':>5} {'rival':>5} "
    f"{'whole/sum':>9} {'/tuned':>7} {'rounds':>7} {'tuned s':>8} {'kernels':>7}"
)


def counted(comparison, engine):
    """The times of the rounds that count; of all rounds, if none does."""
    counts = comparison["rounds_count"]
    if not any(counts):
        counts = [True] * len(counts)
    return numpy.array([time for time, counts_here in zip(comparison["times_ns"][engine], counts) if counts_here])


def ratio_of(comparison, rival):
    """The median over the rounds of a rival's time over ours, with the 95% interval of a bootstrap."""
    ratios = counted(comparison, rival) / counted(comparison, "ours")
    draws = numpy.random.default_rng(1).choice(ratios, (2000, len(ratios)))
    low, high = numpy.percentile(numpy.median(draws, axis=1), [2.5, 97.5])
    return float(numpy.median(ratios)), float(low), float(high)


def conclude(comparison):
    """Adds ratios and medians."""
    rivals = [engine for engine in comparison["times_ns"] if engine != "ours"]
    comparison["median_ns"] = {
        engine: float(numpy.median(counted(comparison, engine))) for engine in comparison["times_ns"]
    }
    comparison["ratios"] = {rival: ratio_of(comparison, rival) for rival in rivals}
    comparison["whole_over_steps"] = comparison["whole_ns"] / comparison["sum_of_steps_ns"]
    tuned = comparison["sum_of_kernels_ns"]
    comparison["whole_over_tuned"] = comparison["median_ns"]["ours"] / tuned if tuned else None
    return comparison


def lines_of(name, comparison):
    """One line a rival."""
    if "failure" in comparison:
        yield f"{name:<26} {comparison['failure']}"
        return
    counts, medians, memory = comparison["rounds_count"], comparison["median_ns"], comparison["memory"]
    tuned = f"{comparison['whole_over_tuned']:.3f}" if comparison["whole_over_tuned"] else "-"
    kernels = f"{comparison['exported']['tuned']}/{comparison['exported']['kernels']}"
    rounds = f"{sum(counts)}/{len(counts)}"
    for rival, (ratio, low, high) in comparison["ratios"].items():
        interval = f"{low:.3f} .. {high:.3f}"
        yield (
            f"{name:<26} {medians['ours'] / 1e6:>8.3f} {rival:<11} {medians[rival] / 1e6:>8.3f} {ratio:>6.3f}  {interval:<14} "
            f"{memory['ours']['peak'] / 1e6:>5.0f} {memory[rival]['peak'] / 1e6:>5.0f} {comparison['whole_over_steps']:>9.3f} "
            f"{tuned:>7} {rounds:>7} {comparison['seconds_tuned']:>8.0f} {kernels:>7}"
            + ("" if any(counts) else "  disturbed")
        )
    for rival, reason in comparison["refused"].items():
        yield f"{name:<26} {rival} is refused: {reason}"


def between_kernels_of(comparison):
    """What a whole run takes beside its kernels, and its share of the run."""
    whole, kernels = comparison["whole_ns"], comparison["sum_of_steps_ns"]
    return f", {whole / 1e6:.3f} ms in a whole run, {(whole - kernels) / whole:.1%} between kernels"


def profiles_of(name, comparison):
    """The most expensive kernels of ours and of each rival, with their share of the time of all."""
    if "profiles" not in comparison:
        return
    profiles = {"ours": [[label, "", time] for label, time in comparison["steps"]], **comparison["profiles"]}
    for engine, kernels in profiles.items():
        total = sum(time for *_, time in kernels)
        yield f"{name}, {engine}: {len(kernels)} kernels, {total / 1e6:.3f} ms together" + (
            between_kernels_of(comparison) if engine == "ours" else ""
        )
        for label, kind, time in sorted(kernels, key=lambda kernel: -kernel[2])[:PROFILED]:
            yield f"  {time / 1e3:>9.1f} us {time / total:>6.1%}  {label} {kind}".rstrip()


def best_ratio(comparison):
    """Of the better rival; None if there is none."""
    return min((ratio[0] for ratio in comparison.get("ratios", {}).values()), default=None)


def is_below_bar(comparison):
    ratio = best_ratio(comparison)
    return ratio is not None and ratio < BARS.get(comparison["model"], 1.0)


def bars_of(comparisons):
    """A line for each bar: met or missed."""

    def line(what, value, bar, is_met):
        return f"{what:<58} {value:>6.3f}  bar {bar:<5} {'met' if is_met else 'MISSED'}"

    known = {name: c for name, c in comparisons.items() if best_ratio(c) is not None}
    for name, c in known.items():
        if c["model"] in BARS:
            bar = BARS[c["model"]]
            yield line(f"{name}, of the better rival", best_ratio(c), bar, best_ratio(c) >= bar)
    attention = {name: best_ratio(c) for name, c in known.items() if c["model"].startswith(ATTENTION)}
    if attention:
        mean, worst = geomean(attention.values()), min(attention, key=attention.get)
        yield line(f"{len(attention)} of attention, geomean", mean, BAR_OF_ATTENTION, mean >= BAR_OF_ATTENTION)
        yield line(f"  the least ({worst})", attention[worst], LEAST_OF_ATTENTION, attention[worst] >= LEAST_OF_ATTENTION)
    others = {name: best_ratio(c) for name, c in known.items() if c["model"] not in BARS and name not in attention}
    if others:
        mean = geomean([min(ratio, CAP) for ratio in others.values()])
        yield line(f"{len(others)} others, geomean, capped at {CAP:g}", mean, BAR_OF_OTHERS, mean >= BAR_OF_OTHERS)
        worst = min(others, key=others.get)
        yield line(f"  the least ({worst})", others[worst], LEAST_OF_OTHERS, others[worst] >= LEAST_OF_OTHERS)
    if known:
        most = max(known, key=lambda name: known[name]["whole_over_steps"])
        value = known[most]["whole_over_steps"]
        yield line(f"whole over the sum of its kernels ({most})", value, MOST_OVER_KERNELS, value <= MOST_OVER_KERNELS)


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def summaries_of(comparisons):
    """One line for each rival, and one for the best of them in each model, over a dictionary of comparisons by name."""
    ratios = {
        name: {rival: ratio[0] for rival, ratio in c["ratios"].items()}
        for name, c in comparisons.items()
        if c.get("ratios")
    }
    rivals = sorted({rival for of_model in ratios.values() for rival in of_model})
    tables = {rival: {name: r[rival] for name, r in ratios.items() if rival in r} for rival in rivals}
    if len(rivals) > 1:
        tables["the best of them"] = {name: min(r.values()) for name, r in ratios.items()}
    for rival, of_rival in tables.items():
        worst = min(of_rival, key=of_rival.get)
        yield f"{len(of_rival)} models beside {rival}: geomean {geomean(of_rival.values()):.3f}, worst {of_rival[worst]:.3f} ({worst})"
