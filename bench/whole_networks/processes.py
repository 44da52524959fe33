"""Processes of contestants, and the machine on which they take turns."""

import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import sys

import numpy

SOURCES = pathlib.Path(__file__).parent
# As in bench/compare: two threads do at least 1.9 times the work of one alone, and a single thread has its processor to
# itself.
MIN_SCALING_PER_THREAD = 0.95
MIN_CPU_SHARE = 0.97
CONTROL_SECONDS = 0.01


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


def by_number(arrays):
    """Of arrays NUMBER/NAME: for each number a dictionary by name."""
    sets = {}
    for key, array in arrays.items():
        number, name = key.split("/", 1)
        sets.setdefault(int(number), {})[name] = array
    return [sets[number] for number in range(len(sets))]


class Contestant:
    """A process that runs an engine on one model. It is stopped but while it answers."""

    def __init__(self, engine, path, threads, sets, folder):
        """`sets`: of inputs. Their outputs are computed at once."""
        self.engine = engine
        inputs_path, self._outputs_path = folder / f"{engine}_inputs.npz", folder / f"{engine}_outputs.npz"
        numpy.savez(
            inputs_path, **{f"{number}/{name}": x for number, inputs in enumerate(sets) for name, x in inputs.items()}
        )
        self._log = folder / f"{engine}.log"
        processors = sorted(os.sched_getaffinity(0))[:threads]
        command = [
            sys.executable,
            SOURCES / "contestant.py",
            engine,
            path,
            str(threads),
            inputs_path,
            self._outputs_path,
        ]
        with open(self._log, "w") as log:
            self._process = subprocess.Popen(
                ["taskset", "--cpu-list", ",".join(map(str, processors)), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()

    def outputs(self):
        """Those of each set of inputs, by position."""
        with numpy.load(self._outputs_path) as file:
            return [list(outputs.values()) for outputs in by_number(file)]

    def ask(self, question):
        self._process.send_signal(signal.SIGCONT)
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(question + "\n")
            self._process.stdin.flush()
        return self._answer()

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            said = self._log.read_text().strip().splitlines()[-1:] or [""]
            raise RuntimeError(f"the process of {self.engine} ended with {code}: {said[0]} (see {self._log})")
        self._process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        return json.loads(line)


class Control:
    """Pure arithmetic on one thread and on all, which tells whether the machine was undisturbed."""

    def __init__(self, threads, folder):
        library = folder / "libcontrol.so"
        source = SOURCES / "control.c"
        subprocess.run(
            ["cc", "-O3", "-march=native", "-shared", "-fPIC", source, "-o", library, "-pthread"], check=True
        )
        self._rate = ctypes.CDLL(str(library)).control_rate
        self._rate.restype = ctypes.c_double
        self._threads = threads
        self._loops = 1 << 16
        self._loops = int(CONTROL_SECONDS * max(self._rate(1, self._loops) for _ in range(9)))

    def scales(self):
        if self._threads == 1:
            return True
        # The faster of two, as new threads may begin on one processor.
        one, all_threads = (
            max(self._rate(threads, self._loops) for _ in range(2)) for threads in (1, self._threads)
        )
        return all_threads >= MIN_SCALING_PER_THREAD * self._threads * one


def round_counts(threads, scaled, samples):
    """Whether the machine was undisturbed during a round. CPU shares mean nothing where a thread may wait for another."""
    if threads > 1:
        return all(scaled)
    return all(sample["cpu_share"] >= MIN_CPU_SHARE for sample in samples.values())
