"""A contestant: the process that runs one engine on one model.

    contestant.py ENGINE PATH THREADS INPUTS OUTPUTS

INPUTS is a file .npz of sets of inputs, named NUMBER/INPUT. Writes the outputs for each, NUMBER/OUTPUT, to OUTPUTS, then
answers each line that it reads with one line of JSON: "sample": the time of a call; "memory": what it uses; "steps", of
ours, and "profile", of rivals, once and at last: the times of kernels.
"""

import importlib
import json
import pathlib
import sys
import time

import numpy

from engines import ENGINES
from processes import by_number

SAMPLE_SECONDS = 0.05
PROFILED_RUNS = 30


def memory():
    """Bytes that are resident now, and at most since the last reset_peak()."""
    words = dict(line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
    return [int(words[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM")]


def reset_peak():
    pathlib.Path("/proc/self/clear_refs").write_text("5")


class Sampler:
    def __init__(self, call):
        self._call, self._calls = call, 0

    def time(self, calls):
        call, cpu, begin = self._call, time.thread_time(), time.perf_counter()
        for _ in range(calls):
            call()
        seconds = time.perf_counter() - begin
        return seconds, (time.thread_time() - cpu) / seconds

    def sample(self):
        self._call()
        calls = 1
        while self._calls == 0:
            seconds, _ = self.time(calls)
            if seconds >= SAMPLE_SECONDS / 2:
                self._calls = int(SAMPLE_SECONDS / seconds * calls) + 1
            calls *= 2
        seconds, cpu_share = self.time(self._calls)
        return {"time_ns": seconds / self._calls * 1e9, "cpu_share": cpu_share}


def main():
    name, path, threads, inputs_path, outputs_path = sys.argv[1:]
    if name != "ours":
        importlib.import_module(name)  # its code is not counted
    with numpy.load(inputs_path) as file:
        sets = by_number(file)
    reset_peak()
    before, _ = memory()
    engine = ENGINES[name](path, int(threads), sets[0])
    outputs = {}
    for number, inputs in enumerate(sets):
        engine.read(inputs)
        outputs |= {f"{number}/{i}": numpy.array(output) for i, output in enumerate(engine.outputs())}
    numpy.savez(outputs_path, **outputs)
    sampler = Sampler(engine.call)
    answers = {
        "sample": sampler.sample,
        "steps": lambda: engine.steps(PROFILED_RUNS),
        "profile": lambda: engine.profile(PROFILED_RUNS),
        "memory": lambda: dict(zip(("resident", "peak"), (bytes - before for bytes in memory()))),
    }
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(answers[line.strip()]()), flush=True)


main()
