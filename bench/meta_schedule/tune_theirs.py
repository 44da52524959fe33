"""Tunes one expression by MetaSchedule in its default space and exports the best schedule:

    tune_theirs.py NAME FOLDER THREADS TRIALS

Writes into FOLDER: theirs.so, theirs_trace.py (the best schedule) and theirs.json (seconds of tuning, trials).
"""

import json
import os
import pathlib
import sys
import time

import tvm
from tvm import te
from tvm.s_tir import meta_schedule
from tvm.s_tir.meta_schedule.testing import te_workload
from tvm.target.codegen import llvm_get_system_cpu

from expressions import named
from priority import take_priority


def main():
    name, folder, threads, trials = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    expression = named(name)
    target = tvm.target.Target({"kind": "llvm", "mcpu": llvm_get_system_cpu(), "num-cores": threads})
    function = te.create_prim_func(getattr(te_workload, expression.workload)(*expression.sizes))
    begin = time.monotonic()
    database = meta_schedule.tir_integration.tune_tir(
        function,
        target,
        str(folder / "theirs_work"),
        trials,
        runner=meta_schedule.runner.LocalRunner(initializer=take_priority),
    )
    seconds = time.monotonic() - begin
    schedule = meta_schedule.tir_integration.compile_tir(database, function, target)
    if schedule is None:
        sys.exit(f"MetaSchedule found no schedule for {name} in {trials} trials")
    (folder / "theirs_trace.py").write_text(str(schedule.trace))
    tvm.compile(schedule.mod, target=target).export_library(str(folder / "theirs.so"))
    result = {
        "seconds": seconds,
        "trials": trials,
        "threads": threads,
        "target": str(target),
        "tvm": tvm.__version__,
        "load": os.getloadavg()[0],
    }
    (folder / "theirs.json").write_text(json.dumps(result))


# The guard: MetaSchedule's builders are processes that import this file.
if __name__ == "__main__":
    main()
