"""Our side of a comparison: nestwright, called from the shell as a user would."""

import json
import os
import pathlib
import subprocess
import time

TEMPLATE = "generated.cpu"


class Nestwright:
    def __init__(self, program, threads):
        self._program, self._threads = program, threads

    def _call(self, command, expression, folder, *options):
        workload = ["--expr", expression.text, *expression.extents.split(), "--threads", str(self._threads)]
        environment = os.environ | {
            "NESTWRIGHT": str(self._program),
            "NESTWRIGHT_WORKER": str(pathlib.Path(__file__).with_name("worker")),
        }
        with open(folder / "ours.log", "a") as log:
            done = subprocess.run(
                [self._program, command, *workload, "--template", TEMPLATE, "--json", *options],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        if done.returncode != 0:
            raise RuntimeError(f"nestwright {command} failed: see {folder / 'ours.log'}")
        return json.loads(done.stdout)

    def tune(self, expression, folder, budget):
        """Tunes for `budget` seconds, exports folder/ours/libours.so and returns what was found and how long it took."""
        database = folder / "ours.db"
        database.unlink(missing_ok=True)
        begin = time.monotonic()
        found = self._call("tune", expression, folder, "--seconds", f"{budget:.1f}", "--db", str(database))
        seconds = time.monotonic() - begin
        self._call("export", expression, folder, "--db", str(database), "--name", "ours", "--out", str(folder / "ours"))
        return {
            "seconds": seconds,
            "trials": found["trials_this_run"],
            "disturbed": found["trials_disturbed"],
            "config": found["config_text"],
            "load": os.getloadavg()[0],
        }
