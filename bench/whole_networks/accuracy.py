"""Whether the outputs of an exported library are right: its error against double precision beside ONNX Runtime's."""

import numpy

from double import DoubleModel
from processes import Contestant

# Three sets of inputs; more where outputs are small, since the largest of a few errors is chance.
MIN_SETS, MAX_SETS, MIN_ELEMENTS = 3, 50, 100
ALLOWED = 3  # times ONNX Runtime's own error
PLANTED = 1e-3  # of the largest element
# An error that no program with single precision avoids: of the rounding of the largest element.
ROUNDING = 2.0**-24


def largest_error(outputs, doubles):
    """Infinite for another shape and for what is no number."""
    if outputs.shape != doubles.shape or not numpy.array_equal(numpy.isnan(outputs), numpy.isnan(doubles)):
        return numpy.inf
    differences = numpy.abs(outputs.astype(numpy.float64) - doubles)[~numpy.isnan(doubles)]
    return float(differences.max(initial=0))


def row_of(ours, theirs, doubles):
    """The verdict on one output, of all sets of inputs."""
    errors = [max(map(largest_error, results, doubles)) for results in (ours, theirs)]
    largest = max(float(numpy.nanmax(numpy.abs(double))) for double in doubles)
    return {
        "largest": largest,
        "sets": len(doubles),
        "ours": errors[0],
        "theirs": errors[1],
        "of_bound": errors[0] / (ALLOWED * max(errors[1], ROUNDING * largest)),
    }


def is_seen(ours, theirs, doubles):
    """Whether a wrong element is found: if not, the check says nothing."""
    largest = [float(numpy.nanmax(numpy.abs(double))) for double in doubles]
    at = largest.index(max(largest))
    wrong = ours[at].copy()
    wrong.flat[wrong.size // 2] += PLANTED * largest[at]
    plants = wrong, numpy.full_like(ours[at], numpy.nan), ours[at][..., :-1]
    return all(row_of([*ours[:at], plant, *ours[at + 1 :]], theirs, doubles)["of_bound"] > 1 for plant in plants)


def doubles_of(model, path, seed, folder):
    """The outputs in double precision, which are kept in `folder`."""
    kept = folder / f"double_{seed}.npz"
    if not kept.exists():
        outputs = DoubleModel(path).run(model.inputs(seed))
        partial = folder / "partial.npz"
        numpy.savez(partial, *outputs)
        partial.rename(kept)
    with numpy.load(kept) as file:
        return list(file.values())


def check(model, files, library, threads, folder):
    """A row for each output."""
    doubles = []
    while len(doubles) < MIN_SETS or (
        len(doubles) < MAX_SETS and len(doubles) * min(x.size for x in doubles[0]) < MIN_ELEMENTS
    ):
        doubles.append(doubles_of(model, files.model, 1 + len(doubles), files.folder))
    sets = [model.inputs(1 + number) for number in range(len(doubles))]
    results = []
    for engine, path in (("ours", library), ("onnxruntime", files.for_onnxruntime)):
        with Contestant(engine, path, threads, sets, folder) as contestant:
            results.append(contestant.outputs())
    rows = []
    for number, (ours, theirs, double) in enumerate(
        zip(*(zip(*outputs, strict=True) for outputs in (*results, doubles)), strict=True)
    ):
        rows.append({"output": number, **row_of(ours, theirs, double), "sees": is_seen(ours, theirs, double)})
    return rows


HEAD = f"{'model':<26} {'output':>6} {'inputs':>6} {'largest':>10} {'our error':>10} {'theirs':>10} {'ratio':>7} {'of bound':>9}"


def lines_of(name, rows):
    for row in rows:
        ratio = f"{row['ours'] / row['theirs']:>7.2f}" if row["theirs"] > 0 else f"{'-':>7}"
        verdict = "" if row["of_bound"] <= 1 else "  WRONG"
        verdict += "" if row["sees"] else "  a planted error was not seen"
        yield (
            f"{name:<26} {row['output']:>6} {row['sets']:>6} {row['largest']:>10.3g} {row['ours']:>10.2e} {row['theirs']:>10.2e} {ratio} "
            f"{row['of_bound']:>9.2f}{verdict}"
        )


def is_right(rows):
    return all(row["of_bound"] <= 1 and row["sees"] for row in rows)
