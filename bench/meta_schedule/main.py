"""Compares kernels of generated.cpu with those of MetaSchedule: bench/metaschedule says how."""

import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys

from expressions import EXPRESSIONS
from ours import Nestwright
from report import HEAD, line_of, ratio_of, summary_of

SOURCES = pathlib.Path(__file__).parent
# Ours may take a quarter of their time of tuning. Its final race may exceed the given time by 8%, and it begins and ends
# a process in it.
QUARTER = 0.25
OVERRUN = 1.08
OVERHEAD_SECONDS = 2


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"bench/metaschedule: {message}\n")


def whole_number(text):
    if not text.isdecimal() or not 1 <= int(text) <= 100000:
        raise argparse.ArgumentTypeError(f"'{text}' is not an integer from 1 to 100000")
    return int(text)


def thread_count(text):
    processors = len(os.sched_getaffinity(0))
    if not text.isdecimal() or not 1 <= int(text) <= processors:
        raise argparse.ArgumentTypeError(f"'{text}' is not an integer from 1 to {processors}, the processors of this machine")
    return int(text)


def parse_options():
    parser = Parser(prog="bench/metaschedule", allow_abbrev=False)
    add = parser.add_argument
    names = [expression.name for expression in EXPRESSIONS]
    add("--only", action="append", choices=names, metavar="NAME", help=f"one of {', '.join(names)}; may be repeated")
    add("--threads", type=thread_count, default=2, help="of both functions (default: 2)")
    add("--trials", type=whole_number, default=128, help="of MetaSchedule, an expression (default: 128)")
    add("--seconds", type=whole_number, help="of our tuning, an expression, if a quarter of theirs is not less (default: a quarter)")
    add("--rounds", type=whole_number, default=30, help="of measuring (default: 30)")
    add("--resume", action="store_true", help="keep tunings of MetaSchedule of an earlier call with as many trials and threads")
    add("--folder", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    add("--nestwright", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


@contextlib.contextmanager
def machine_to_ourselves():
    """Holds the lock that nestwright takes while it measures, so that no tuner disturbs what runs meanwhile."""
    path = pathlib.Path(os.environ.get("NESTWRIGHT_LOCK_DIR") or "/run/lock") / "nestwright-cpu.lock"
    # Another user's file is not created anew: in a folder such as /run/lock the system may refuse that.
    lock = os.open(path, os.O_RDONLY if path.exists() else os.O_RDONLY | os.O_CREAT, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def run(script, log_path, threads, *arguments):
    """Runs a script of this folder in a process of its own, since TVM may crash."""
    # The processes of MetaSchedule's runner import modules of this folder, too.
    environment = os.environ | {"TVM_NUM_THREADS": str(threads), "PYTHONPATH": str(SOURCES)}
    with machine_to_ourselves(), open(log_path, "w") as log:
        done = subprocess.run(
            [sys.executable, SOURCES / script, *map(str, arguments)], env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    if done.returncode != 0:
        lines = log_path.read_text().splitlines() or [f"ended with exit code {done.returncode}"]
        raise RuntimeError(f"{script} failed: {lines[-1]} (see {log_path})")


def their_tuning(expression, folder, options):
    record = folder / "theirs.json"
    if options.resume and record.exists():
        kept = json.loads(record.read_text())
        if (kept["trials"], kept["threads"]) == (options.trials, options.threads):
            return kept
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run("tune_theirs.py", folder / "theirs.log", options.threads, expression.name, folder, options.threads, options.trials)
    return json.loads(record.read_text())


def compare(expression, options):
    folder = options.folder / expression.name
    try:
        theirs = their_tuning(expression, folder, options)
        budget = max(1.0, theirs["seconds"] * QUARTER / OVERRUN - OVERHEAD_SECONDS)
        if options.seconds is not None:
            budget = min(budget, options.seconds)
        ours = Nestwright(options.nestwright, options.threads).tune(expression, folder, budget)
        run("time_both.py", folder / "times.log", options.threads, expression.name, folder, options.rounds)
    except RuntimeError as failure:
        return {"failure": str(failure)}
    times = json.loads((folder / "times.json").read_text())
    return {"theirs": theirs, "ours": ours, **times, "ratio": ratio_of(times["times_ns"])}


def main():
    options = parse_options()
    options.folder.mkdir(parents=True, exist_ok=True)
    results = options.folder / "metaschedule.json"
    comparisons = {}
    print(HEAD, flush=True)
    for expression in EXPRESSIONS:
        if options.only and expression.name not in options.only:
            continue
        comparisons[expression.name] = compare(expression, options)
        print(line_of(expression.name, comparisons[expression.name]), flush=True)
        settings = {"threads": options.threads, "trials": options.trials, "rounds": options.rounds}
        results.write_text(json.dumps({**settings, "comparisons": comparisons}, indent=1))
    print(summary_of(comparisons))
    print(f"all times: {results}")
    return 1 if any("failure" in comparison for comparison in comparisons.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
