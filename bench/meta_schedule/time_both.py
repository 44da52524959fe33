"""Times both functions of one expression in this process, on the same tensors, in random order, round by round:

    time_both.py NAME FOLDER ROUNDS

FOLDER has theirs.so and ours/libours.so, and gets times.json. TVM_NUM_THREADS has to be set.
"""

import ctypes
import json
import os
import pathlib
import random
import subprocess
import sys
import time

import numpy
import tvm
import tvm_ffi
from tvm import te
from tvm.s_tir.meta_schedule.testing import te_workload

from expressions import named
from priority import take_priority

ALIGNMENT = 64
TOLERANCE = 1e-4  # of the largest element: both sum float32 in an order of their own
SAMPLE_NS = 30e6
# After a call, threads of TVM's pool wait for the next one on the processor before they sleep.
SETTLE_SECONDS = 0.15


def aligned_tensor(shape):
    size = int(numpy.prod(shape))
    room = numpy.empty(size + ALIGNMENT // 4, numpy.float32)
    begin = -room.ctypes.data % ALIGNMENT // 4
    return room[begin : begin + size].reshape(shape)


def build_timer(folder):
    """timing.c as a library."""
    library = folder / "libtiming.so"
    source = pathlib.Path(__file__).with_name("timing.c")
    includes = [f"-I{path}" for path in (tvm_ffi.libinfo.find_include_path(), tvm_ffi.libinfo.find_dlpack_include_path())]
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", *includes, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


class Contestant:
    """A function with the tensors that it is called on."""

    def __init__(self, name, timer, function, tensors, output):
        self.name, self.output = name, output
        self._timer, self._function = timer, function
        self._timer.restype = ctypes.c_double  # of nanoseconds
        self._tensors = (ctypes.c_void_p * len(tensors))(*tensors)
        self._calls = 1

    def time_ns(self, calls):
        """Nanoseconds of a call, on average."""
        total = self._timer(self._function, self._tensors, len(self._tensors), calls)
        if total < 0:
            sys.exit(f"a call of {self.name} failed")
        return total / calls

    def result(self):
        self.output.fill(numpy.nan)
        self.time_ns(1)
        return self.output.copy()

    def calibrate(self):
        """Determines how many calls a sample has."""
        self.time_ns(1)
        self._calls = max(1, round(SAMPLE_NS / self.time_ns(3)))

    def sample(self):
        time.sleep(SETTLE_SECONDS)
        self.time_ns(1)
        return self.time_ns(self._calls)


def contestants(expression, folder):
    placeholders = getattr(te_workload, expression.workload)(*expression.sizes)
    tensors = [aligned_tensor([int(extent) for extent in p.shape]) for p in placeholders]
    generator = numpy.random.default_rng(1)
    for tensor in tensors[:-1]:
        tensor[...] = generator.uniform(-1, 1, tensor.shape)
    timer = build_timer(folder)
    views = [tvm_ffi.from_dlpack(tensor) for tensor in tensors]
    path = str((folder / "theirs.so").resolve())
    module = tvm.runtime.load_module(path)  # fills in what the library needs of TVM's runtime
    theirs = ctypes.cast(ctypes.CDLL(path).__tvm_ffi_main, ctypes.c_void_p)
    ours = ctypes.cast(ctypes.CDLL(str((folder / "ours" / "libours.so").resolve())).ours, ctypes.c_void_p)
    keep = (module, views, tensors)
    return keep, (
        Contestant("ours", timer.time_ours, ours, [t.ctypes.data for t in tensors], tensors[-1]),
        Contestant("theirs", timer.time_theirs, theirs, [v.__chandle__() for v in views], tensors[-1]),
    )


def difference(ours, theirs):
    """The largest difference of two results, as a share of the largest element."""
    return float(numpy.abs(ours.result() - theirs.result()).max() / numpy.abs(theirs.result()).max())


def main():
    name, folder, rounds = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    take_priority()
    keep, both = contestants(named(name), folder)
    wrong = difference(*both)
    if not wrong <= TOLERANCE:  # nor a NaN
        sys.exit(f"the results of {name} differ by {wrong:.2g} of the largest element, more than {TOLERANCE:g}")
    for contestant in both:
        contestant.calibrate()
    # TVM binds its other threads to the other processors. A caller that shares one of those doubles the time of a call.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    times = {contestant.name: [] for contestant in both}
    order = random.Random(1)
    for _ in range(rounds):
        for contestant in order.sample(both, len(both)):
            times[contestant.name].append(contestant.sample())
    result = {"times_ns": times, "difference": wrong, "load": os.getloadavg()[0]}
    (folder / "times.json").write_text(json.dumps(result))


main()
