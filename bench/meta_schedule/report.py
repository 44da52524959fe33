"""Ratios of a comparison, and the table that is printed. A ratio is their time over ours: above 1 we are faster."""

import math

import numpy

HEAD = f"{'expression':<18} {'ours us':>10} {'theirs us':>10} {'ratio':>7}  {'95% interval':<16} {'tuned s':>8} {'theirs s':>8}"


def ratio_of(times_ns):
    """The median over the rounds of their time over ours, with the 95% interval of a bootstrap: (median, low, high)."""
    ratios = numpy.array(times_ns["theirs"]) / numpy.array(times_ns["ours"])
    draws = numpy.random.default_rng(1).choice(ratios, (2000, len(ratios)))
    low, high = numpy.percentile(numpy.median(draws, axis=1), [2.5, 97.5])
    return float(numpy.median(ratios)), float(low), float(high)


def line_of(name, comparison):
    if "failure" in comparison:
        return f"{name:<18} {comparison['failure']}"
    ours, theirs = (numpy.median(comparison["times_ns"][side]) / 1e3 for side in ("ours", "theirs"))
    ratio, low, high = comparison["ratio"]
    interval = f"{low:.3f} .. {high:.3f}"
    tuned, their_tuned = comparison["ours"]["seconds"], comparison["theirs"]["seconds"]
    return f"{name:<18} {ours:>10.2f} {theirs:>10.2f} {ratio:>7.3f}  {interval:<16} {tuned:>8.1f} {their_tuned:>8.1f}"


def summary_of(comparisons):
    """Of a dictionary of comparisons by name."""
    ratios = {name: c["ratio"][0] for name, c in comparisons.items() if "ratio" in c}
    if not ratios:
        return "nothing was compared"
    worst = min(ratios, key=ratios.get)
    geomean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    share = max(c["ours"]["seconds"] / c["theirs"]["seconds"] for c in comparisons.values() if "ratio" in c)
    return (
        f"{len(ratios)} compared: geomean {geomean:.3f}, worst {ratios[worst]:.3f} ({worst}); "
        f"our tuning took at most {share:.0%} of theirs"
    )
