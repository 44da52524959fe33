"""Our side: nestwright, called from the shell as a user would."""

import json
import os
import subprocess
import time

HEARTBEAT_SECONDS = 5
NO_VALID_CANDIDATE = 4  # exit code: some kernels have no time yet, and are exported in their default configuration


class Nestwright:
    def __init__(self, program, folder, threads, caches):
        self._program, self._folder = program, folder
        self._threads = threads
        self._conditions = ["--threads", str(threads), "--caches", caches]
        self._database = folder / "networks.db"
        self._spent_path = folder / "tuned.json"
        self._suffix = f"{threads} threads, caches {caches}"
        self._environment = os.environ | {"NESTWRIGHT_WORKER": str(program.parent / "nestwright-worker")}

    def _command(self, verb, model, path):
        dims = [word for dim in model.dims for word in ("--dim", dim)]
        command = [self._program, verb, path, *dims, *self._conditions, "--json"]
        return command + (["--db", self._database] if self._database.exists() or verb == "tune" else [])

    def _log(self, model):
        folder = self._folder / "logs"
        folder.mkdir(exist_ok=True)
        return folder / f"{model.name}.log"

    def _call(self, verb, model, path, *options):
        log = self._log(model)
        with open(log, "a") as errors:
            # In this folder, where no other database is found.
            done = subprocess.run(
                [*self._command(verb, model, path), *options],
                env=self._environment,
                cwd=self._folder,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        if done.returncode != 0:
            said = log.read_text().strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            raise RuntimeError(f"nestwright {verb} failed with {done.returncode}: {said[0]} (see {log})")
        return json.loads(done.stdout)

    def _spent(self):
        return json.loads(self._spent_path.read_text()) if self._spent_path.exists() else {}

    def seconds_tuned(self, model):
        return self._spent().get(f"{model.name}, {self._suffix}", 0)

    def _add_seconds(self, model, seconds):
        spent = self._spent()
        spent[f"{model.name}, {self._suffix}"] = round(self.seconds_tuned(model) + seconds, 1)
        partial = self._spent_path.with_suffix(".partial")
        partial.write_text(json.dumps(spent, indent=1))
        partial.rename(self._spent_path)

    def tune(self, model, path, seconds):
        """Tunes until the database has `seconds` of this model. A call that is killed goes on where it was."""
        left = seconds - self.seconds_tuned(model)
        if left < 1:
            return
        with open(self._log(model), "a") as log:
            command = [*self._command("tune", model, path), "--seconds", f"{left:.0f}"]
            process = subprocess.Popen(command, env=self._environment, cwd=self._folder, stdout=log, stderr=log)
        try:
            code, last = None, time.monotonic()
            while code is None:
                try:
                    code = process.wait(HEARTBEAT_SECONDS)
                except subprocess.TimeoutExpired:
                    pass
                now = time.monotonic()
                self._add_seconds(model, now - last)
                last = now
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        if code not in (0, NO_VALID_CANDIDATE):
            said = self._log(model).read_text().strip().splitlines()[-1]
            raise RuntimeError(f"nestwright tune failed with {code}: {said} (see {self._log(model)})")
        # It ends earlier where little is left to be gained.
        self._add_seconds(model, max(0, seconds - self.seconds_tuned(model)))

    def export(self, model, path):
        """What was exported; its "directory" has the library."""
        return self._call("export", model, path, "--name", model.name, "--out", self._folder / "exported" / f"{model.name}-{self._threads}")

    def sum_of_kernels_ns(self, model, path):
        """The tuned times of all kernels together; None if some were not tuned."""
        if not self._database.exists():
            return None
        times = [(row["time_ns"], row["times"]) for row in self._call("query", model, path)]
        return None if any(time_ns is None for time_ns, _ in times) else sum(t * n for t, n in times)
