"""The database of trials and best configurations."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from . import _nestwright
from ._arguments import DEFAULT_DATABASE, path_from, workload_from
from ._nestwright import Workload
from ._results import Record, Trial, as_frame, record_of, trial_of


def _target(target: str) -> str:
    return _nestwright._target(target) if target else ""


def _text(workload: Workload | str | None) -> str:
    return "" if workload is None else str(workload_from(workload))


class Database:
    """A database of tuning, a file. It is opened for each query, so that several processes may write meanwhile.

    Iterating over it gives the best record of each task.
    """

    def __init__(self, path: str | os.PathLike[str] = DEFAULT_DATABASE) -> None:
        self.path = path_from(path)

    def best(self, workload: Workload | str, *, target: str = "") -> Record | None:
        """The best record of a workload; None where there is none."""
        found = self.top(workload, 1, target=target)
        return found[0] if found else None

    def top(self, workload: Workload | str, count: int = 10, *, target: str = "") -> list[Record]:
        """The best record of a workload and its runners-up."""
        found = _nestwright._top(self.path, _text(workload), "", _target(target), count)
        return [record_of(values) for values in found]

    def records(self, *, operator: str = "", target: str = "") -> Iterator[Record]:
        """The best record of each task, ordered by workload."""
        for values in _nestwright._list(self.path, operator, _target(target)):
            yield record_of(values)

    def __iter__(self) -> Iterator[Record]:
        return self.records()

    def trials(
        self, workload: Workload | str | None = None, *, operator: str = "", target: str = "", limit: int = 0
    ) -> Iterator[Trial]:
        """Trials of all outcomes in the order of recording; the latest `limit` of them, 0: all."""
        for values in _nestwright._trials(self.path, _text(workload), operator, _target(target), limit):
            yield trial_of(values)

    def to_frame(self, workload: Workload | str | None = None, **selection: Any) -> Any:
        """trials() as a pandas.DataFrame; a list where pandas is not installed."""
        return as_frame(list(self.trials(workload, **selection)), Trial)

    def __repr__(self) -> str:
        return f"Database({self.path!r})"
