"""Compares whole networks with other libraries: bench/networks says how."""

import argparse
import fcntl
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
from dataclasses import dataclass

import accuracy
import report
import speed
from models import ATTENTION, MODELS, named
from processes import Control
from product import Nestwright

RIVALS = ("onnxruntime", "openvino")
# Seconds of tuning, for each number of threads, and the numbers of threads that are compared if none is given.
LARGE = ("resnet50", "mobilenet_v2", "bert_base")
SECONDS_OF_LARGE, SECONDS_OF_OTHERS = 600, 240


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"bench/networks: {message}\n")


def whole_number(low, high):
    def parsed(text):
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"'{text}' is not an integer from {low} to {high}")
        return int(text)

    return parsed


def names_of(known):
    def parsed(text):
        unknown = [name for name in text.split(",") if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"there is no '{unknown[0]}'; write some of {','.join(known)}")
        return text.split(",")

    return parsed


def parse_options():
    parser = Parser(prog="bench/networks", allow_abbrev=False)
    processors = len(os.sched_getaffinity(0))
    names, attention = ([model.name for model in models] for models in (MODELS, ATTENTION))
    add = parser.add_argument
    add("--models", type=names_of(names + attention), default=names)
    add("--check", action="store_true")
    add("--rivals", type=names_of(RIVALS), default=list(RIVALS))
    add("--threads", type=whole_number(1, processors))
    add("--seconds", type=whole_number(0, 1000000))
    add("--rounds", type=whole_number(1, 10000), default=30)
    add("--caches", choices=("warm", "cold", "stream"), default="stream")
    add("--resume", action="store_true")
    add("--profile", action="store_true")
    add("--json", type=pathlib.Path)
    add("--folder", type=pathlib.Path, required=True)
    add("--nestwright", type=pathlib.Path, required=True)
    add("--commit", required=True)
    return parser.parse_args()


@dataclass
class Run:
    """A model on a number of threads, tuned for so long."""

    model: str
    threads: int
    seconds: int

    @property
    def name(self):
        return f"{self.model}, {self.threads} thread{'s' if self.threads > 1 else ''}"


def runs_of(options):
    most = min(2, len(os.sched_getaffinity(0)))
    runs = []
    for model in options.models:
        of_model = LARGE if model in LARGE else ()
        counts = {most, 1} if of_model and not options.check else {most}
        threads = [options.threads] if options.threads else sorted(counts, reverse=True)
        usual = SECONDS_OF_LARGE if of_model else SECONDS_OF_OTHERS
        runs += [Run(model, t, usual if options.seconds is None else options.seconds) for t in threads]
    return runs


@dataclass
class Files:
    """Of a model."""

    folder: pathlib.Path
    model: pathlib.Path
    for_onnxruntime: pathlib.Path
    for_openvino: pathlib.Path


def files_of(model, folder):
    """The model's files, made by a process of its own: onnx needs the memory of several models. Files of other sources
    are not used."""
    here = pathlib.Path(__file__).parent
    sources = [
        "models.py",
        "sources.py",
        "double.py",
        *sorted(f"written/{path.name}" for path in here.glob("written/*.py")),
    ]
    stamp = hashlib.sha256(b"".join((here / source).read_bytes() for source in sources)).hexdigest()[:12]
    done = subprocess.run(
        [sys.executable, here / "sources.py", model.name, folder, stamp], stdout=subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"the model could not be made, exit code {done.returncode}")
    made = pathlib.Path(done.stdout.strip())
    path = made / "model.onnx"
    own = [made / file for file in ("onnxruntime.onnx", "openvino.xml")]
    shared = [made / "fixed.onnx" if model.fixes_sizes else path, made / "openvino.onnx"]
    return Files(made, path, *(file if file.exists() else other for file, other in zip(own, shared)))


def run_check(run, nestwright, options):
    model = named(run.model)
    files = files_of(model, options.folder)
    exported = nestwright.export(model, files.model)
    rows = accuracy.check(model, files, exported["directory"], run.threads, options.folder)
    return {"rows": rows, "right": accuracy.is_right(rows), "tuned": exported["tuned"], "kernels": exported["kernels"]}


def run_comparison(run, nestwright, control, options):
    model = named(run.model)
    files = files_of(model, options.folder)
    nestwright.tune(model, files.model, run.seconds)
    exported = nestwright.export(model, files.model)
    paths = {"ours": exported["directory"], "onnxruntime": files.for_onnxruntime, "openvino": files.for_openvino}
    engines = ["ours", *options.rivals]
    comparison = speed.compare(model, engines, paths, run.threads, options.rounds, control, options.folder)
    comparison["model"], comparison["threads"] = run.model, run.threads
    comparison["seconds_tuned"] = nestwright.seconds_tuned(model)
    comparison["sum_of_kernels_ns"] = nestwright.sum_of_kernels_ns(model, files.model)
    comparison["exported"] = {name: value for name, value in exported.items() if name != "files"}
    return report.conclude(comparison)


def attempt(work, *arguments):
    """A failure of one model is a result."""
    try:
        return work(*arguments)
    except (RuntimeError, subprocess.CalledProcessError, OSError) as failure:
        return {"failure": str(failure)}


def conditions_of(options):
    doctor = subprocess.run(
        [options.nestwright, "doctor", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    names = ("threads", "seconds", "rounds", "caches", "rivals", "commit")
    machine = json.loads(doctor.stdout) if doctor.returncode == 0 else None
    return {name: getattr(options, name) for name in names}, machine


def nestwrights_of(runs, options):
    """By the number of threads."""
    return {t: Nestwright(options.nestwright, options.folder, t, options.caches) for t in {run.threads for run in runs}}


def check_all(runs, options):
    print(f"{report_of_check(options)}\n{accuracy.HEAD}", flush=True)
    nestwrights = nestwrights_of(runs, options)
    results = {}
    for run in runs:
        name = run.name
        results[name] = attempt(run_check, run, nestwrights[run.threads], options)
        lines = (
            accuracy.lines_of(name, results[name]["rows"])
            if "rows" in results[name]
            else [f"{name:<26} {results[name]['failure']}"]
        )
        print("\n".join(lines), flush=True)
    wrong = [name for name, result in results.items() if not result.get("right")]
    print(
        f"{len(results) - len(wrong)} of {len(results)} models are right"
        + (f"; not right: {', '.join(wrong)}" if wrong else "")
    )
    return results, not wrong


def report_of_check(options):
    return (
        "Largest error on three sets of inputs (more of small outputs) against onnx's reference in double precision; "
        f"theirs is onnxruntime's, and {accuracy.ALLOWED} times theirs is the bound"
    )


def compare_all(runs, options, save, kept):
    nestwrights = nestwrights_of(runs, options)
    controls = {threads: Control(threads, options.folder) for threads in nestwrights}
    print(report.HEAD, flush=True)
    results = {}
    for run in runs:
        name = run.name
        if name in kept and "failure" not in kept[name]:
            results[name] = kept[name]
        else:
            results[name] = attempt(run_comparison, run, nestwrights[run.threads], controls[run.threads], options)
        lines = list(report.lines_of(name, results[name]))
        if options.profile or report.is_below_bar(results[name]):
            lines += report.profiles_of(name, results[name])
        print("\n".join(lines), flush=True)
        save({**kept, **results})
    print("\n".join([*report.summaries_of(results), *report.bars_of(results)]))
    return results, not any("failure" in result for result in results.values())


def main():
    options = parse_options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what was started is ended, too
    options.folder.mkdir(parents=True, exist_ok=True)
    lock = open(options.folder / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"bench/networks: another one runs in {options.folder}", file=sys.stderr)
        return 1
    runs = runs_of(options)
    conditions, machine = conditions_of(options)
    path = options.json or options.folder / ("check.json" if options.check else "networks.json")

    def save(results):
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps({"conditions": conditions, "machine": machine, "results": results}, indent=1))
        partial.rename(path)

    if options.check:
        results, good = check_all(runs, options)
        save(results)
    else:
        kept = {}
        if options.resume and path.exists():
            document = json.loads(path.read_text())
            if document["conditions"] == conditions:
                kept = document["results"]
            else:
                print(
                    "bench/networks: the results that are there have other conditions, and are measured anew",
                    file=sys.stderr,
                )
        results, good = compare_all(runs, options, save, kept)
    print(f"all numbers: {path}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
