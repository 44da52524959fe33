"""Times our library beside rivals: each in a process of its own, all but the running one stopped, in random order,
round by round."""

import contextlib
import random

import numpy

from processes import Contestant, machine_to_ourselves, round_counts

TOLERANCE = 1e-3  # of the largest element; --check is the one that says how precise a library is
SEED = 1


def differs(outputs, expected):
    """How much outputs differ from others of the same model, as a share of the largest element."""
    shares = [0.0]
    for one, other in zip(outputs, expected, strict=True):
        if one.shape != other.shape:
            return numpy.inf
        difference = numpy.abs(one.astype(numpy.float64) - other).max(initial=0)
        shares.append(float(difference / max(numpy.abs(other.astype(numpy.float64)).max(initial=0), 1e-30)))
    return max(shares)


def start(stack, engines, paths, threads, inputs, folder):
    """The contestants that run and are right, and why others are refused."""
    contestants, refused = {}, {}
    for engine in engines:
        try:
            contestants[engine] = stack.enter_context(Contestant(engine, paths[engine], threads, [inputs], folder))
        except RuntimeError as failure:
            refused[engine] = str(failure)
    for engine in [e for e in engines if e in contestants and e != "onnxruntime" and "onnxruntime" in contestants]:
        share = differs(contestants[engine].outputs()[0], contestants["onnxruntime"].outputs()[0])
        if not share <= TOLERANCE:  # nor a NaN
            refused[engine] = f"its outputs differ from those of onnxruntime by {share:.2g} of the largest element"
            del contestants[engine]
    return contestants, refused


def run_rounds(contestants, threads, rounds, control):
    """The times of each contestant in all rounds, and whether each round counts."""
    order = random.Random(SEED)
    times, counts = {engine: [] for engine in contestants}, []
    while sum(counts) < rounds and len(counts) < 3 * rounds:
        before = control.scales()
        samples = {
            engine: contestants[engine].ask("sample") for engine in order.sample(list(contestants), len(contestants))
        }
        counts.append(round_counts(threads, (before, control.scales()), samples))
        for engine, sample in samples.items():
            times[engine].append(sample["time_ns"])
    return times, counts


def compare(model, engines, paths, threads, rounds, control, folder):
    """A comparison as a dictionary for JSON."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(machine_to_ourselves())
        contestants, refused = start(stack, engines, paths, threads, model.inputs(SEED), folder)
        if "ours" not in contestants:
            raise RuntimeError(f"ours: {refused['ours']}")
        times, counts = run_rounds(contestants, threads, rounds, control)
        return {
            "times_ns": times,
            "rounds_count": counts,
            "refused": refused,
            "memory": {engine: contestant.ask("memory") for engine, contestant in contestants.items()},
            **contestants["ours"].ask("steps"),
            "profiles": {engine: c.ask("profile") for engine, c in contestants.items() if engine != "ours"},
        }
