"""Who is told of the state of a run: standard output, and callbacks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from ._results import Progress, format_seconds

Callback = Callable[[Progress], Any]


def _is_rewritable(stream: Any) -> bool:
    """Whether a carriage return begins the line anew: in a terminal, and in the output of a notebook's cell."""
    return stream is not None and (type(stream).__module__.startswith("ipykernel") or stream.isatty())


class ProgressLine:
    """Prints a run's state to Python's standard output: one line that is rewritten in a terminal or a notebook, a line
    every few seconds elsewhere."""

    SECONDS_BETWEEN_LINES = 5.0
    SECONDS_BETWEEN_REWRITES = 0.5  # a notebook stores each of them

    def __init__(self) -> None:
        self._rewrites = _is_rewritable(sys.stdout)
        self._printed_at = 0.0
        self._width = 0
        self._unprinted = ""

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        self._unprinted = self._text(progress)
        if now - self._printed_at < (self.SECONDS_BETWEEN_REWRITES if self._rewrites else self.SECONDS_BETWEEN_LINES):
            return
        self._printed_at = now
        self._print()

    def _print(self) -> None:
        text, self._unprinted = self._unprinted, ""
        if self._rewrites:
            print("\r" + text.ljust(self._width), end="", flush=True)
            self._width = len(text)
        else:
            print(text, flush=True)

    def finish(self) -> None:
        """Prints the last state, unless it was printed."""
        if self._unprinted:
            self._print()
        if self._rewrites and self._width:
            print(flush=True)

    @staticmethod
    def _text(progress: Progress) -> str:
        text = f"{progress.trials} trials, {progress.seconds:.0f} s"
        if progress.seconds_left > 0:
            text += f", {progress.seconds_left:.0f} s left"
        if progress.whole_seconds is not None:
            text += f", whole {format_seconds(progress.whole_seconds)}, {progress.tuned_share:.0%} tuned"
        text += f", {progress.label}" if progress.label else ""
        if progress.best_seconds is not None:
            text += f", best {format_seconds(progress.best_seconds)}"
        if progress.phase:
            text += f"; {progress.phase}" + (f": {progress.detail}" if progress.detail else "")
        if progress.waiting_for:
            text += f"; waiting: {progress.waiting_for}"
        return text


class Listeners:
    """The callbacks of a run, and a progress line where one is asked for, which ends with the run."""

    def __init__(self, progress: bool, callbacks: Callback | Iterable[Callback]) -> None:
        self._line = ProgressLine() if progress else None
        self._callbacks = [callbacks] if callable(callbacks) else list(callbacks)

    @property
    def tell(self) -> Callable[[dict[str, Any]], bool] | None:
        """What the extension module calls with the state, every few trials; None: there is nobody to be told."""
        return self._tell if self._line is not None or self._callbacks else None

    def _tell(self, values: dict[str, Any]) -> bool:
        state = Progress(**values)
        if self._line is not None:
            self._line.show(state)
        return any([bool(callback(state)) for callback in self._callbacks])

    def __enter__(self) -> Listeners:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._line is not None:
            self._line.finish()
