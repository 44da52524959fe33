"""Several tasks that are tuned on one budget: those of a file, and the kernels of a model."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import time
from collections.abc import Iterable
from typing import Any, TypedDict, Unpack

from . import _nestwright
from ._arguments import DEFAULT_DATABASE, path_from
from ._nestwright import Error, UsageError, Workload
from ._progress import Callback, Listeners
from ._results import TaskResult, TasksResult, tune_result_of
from ._sentences import in_python

_MAX_FILE_BYTES = 10_000_000


class TasksOptions(TypedDict, total=False):
    """The options of tune() for several tasks: seconds, trials and until_gain are for all of them together, early_stop
    for each."""

    seconds: float | None
    trials: int | None
    database: str | os.PathLike[str]
    target: str
    caches: str
    effort: str
    strategy: str | None
    cost_model: str | None
    seed: int
    batch_size: int | None
    finalists: int | None
    early_stop: int | None
    until_gain: float | None
    builders: int | None
    progress: bool
    callbacks: Callback | Iterable[Callback]


@dataclasses.dataclass
class ListedTask:
    """A task before it is tuned."""

    label: str
    workload: Workload
    weight: float = 1.0
    place: str = ""
    """in a file: begins the sentence that refuses the task; "": a task that cannot be tuned is left out with a note"""


def tune_listed(
    tasks: list[ListedTask],
    options: dict[str, Any],
    database: str,
    target: str,
    caches: str,
    listeners: Listeners,
    notes: Iterable[str] = (),
    *,
    total_time: bool = False,
) -> TasksResult:
    """Tunes tasks on one budget. Ctrl-C ends the search; what was found is returned.

    total_time: weights are numbers of calls, and the time of all calls counts; otherwise weights are those of relative
        gains.
    """
    start = time.monotonic()
    given = [(task.label, task.workload, task.weight, task.place) for task in tasks]
    with listeners:
        found = _nestwright._tune_all(given, database, target, caches, options, listeners.tell, total_time)
    results = []
    for index, values in found["tasks"]:
        task = tasks[index]
        started, failure = values.pop("started"), values.pop("failure")
        result = tune_result_of(values, str(task.workload), database)
        results.append(TaskResult(label=task.label, weight=task.weight, started=started, failure=failure, result=result))
    _raise_common_failure(results)
    return TasksResult(
        tasks=tuple(results),
        seconds=time.monotonic() - start,
        interrupted=found["interrupted"],
        notes=(*notes, *found["notes"]),
        target=found["target"],
        database=os.path.abspath(database),
    )


def _raise_common_failure(results: list[TaskResult]) -> None:
    """Raises what kept all tasks from their first trial, which is a wrong option."""
    failures = {task.failure for task in results}
    if len(failures) == 1 and "" not in failures and not any(task.result.trial_count for task in results):
        raise UsageError(in_python(failures.pop()))


def _read_json(file: str) -> Any:
    try:
        with open(file, encoding="utf-8") as stream:
            text = stream.read(_MAX_FILE_BYTES + 1)
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"file '{file}' cannot be read: give a JSON file of workloads as file") from None
    if len(text) > _MAX_FILE_BYTES:
        megabytes = _MAX_FILE_BYTES // 1_000_000
        raise UsageError(f"file '{file}' has more than {megabytes} MB, which no list of workloads needs: give another file")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{file}: is no JSON at line {error.lineno}, column {error.colno}; look there for a missing comma, quote or bracket"
        ) from None
    except RecursionError:
        raise UsageError(f"{file}: must be a list of workloads, and has too many lists inside each other") from None


def _require_known(values: dict[str, Any], known: tuple[str, ...], place: str) -> None:
    for key in values:
        if key not in known:
            raise UsageError(f'{place}: "{key}" is unknown here; there are {", ".join(known)}')


def _text_of(values: dict[str, Any], key: str, default: str, place: str) -> str:
    text = values.get(key, default)
    if not isinstance(text, str) or (key in values and not text):
        raise UsageError(f'{place}: "{key}" must be a text that is not empty')
    return text


def _entry_of(entry: Any, place: str) -> ListedTask:
    values = {"workload": entry} if isinstance(entry, str) else entry
    if not isinstance(values, dict):
        raise UsageError(f'{place}: an entry is a workload in quotes, or an object with "workload", "label" and "weight"')
    name = values.get("label", values.get("workload"))
    place += f" ({name})" if isinstance(name, str) and name else ""
    _require_known(values, ("label", "workload", "weight"), place)
    text = _text_of(values, "workload", "", place)
    if not text:
        raise UsageError(f'{place}: "workload" is missing')
    label = _text_of(values, "label", text, place)
    weight = values.get("weight", 1)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < math.inf:
        raise UsageError(f'{place}: "weight" must be a number above 0')
    try:
        return ListedTask(label, Workload(text), float(weight), place)
    except Error as error:
        raise UsageError(f"{place}: {error}") from None
    except OverflowError:
        raise UsageError(f"{place}: has a number that is larger than any double; give weights below 1e308") from None


def _read_tasks(file: str) -> tuple[list[ListedTask], list[str]]:
    """The tasks of a file, and notes about entries that are merged."""
    document = _read_json(file)
    if isinstance(document, dict):
        _require_known(document, ("summary", "entries"), file)
        _text_of(document, "summary", "", file)
        document = document.get("entries")
    if not isinstance(document, list) or not document:
        raise UsageError(f'{file}: must be a list of workloads, or an object with "summary" and "entries", and have at least one')
    tasks: dict[Workload, ListedTask] = {}
    first: dict[Workload, int] = {}
    notes = []
    for number, entry in enumerate(document, 1):
        task = _entry_of(entry, f"{file}, entry {number}")
        known = tasks.setdefault(task.workload, task)
        if known is task:
            first[task.workload] = number
            continue
        known.weight += task.weight
        notes.append(
            f"{task.place} is the workload of entry {first[task.workload]}: it is tuned once, with the weight of both"
        )
    return list(tasks.values()), notes


def tune_file(file: str | os.PathLike[str], **options: Unpack[TasksOptions]) -> TasksResult:
    """Tunes all workloads of a JSON file on one budget, as `nestwright tune --file` does.

    file: a list of workloads, or of objects with "workload", "label" and "weight", of any operators that this process
        knows: built-in ones, those of plugins and templates in Python, expressions. Entries with the same workload are one
        task, with the weight of both.
    options: those of tune() but restrictions, fixed and template. seconds, trials and until_gain are for all tasks
        together, early_stop for each.

    Returns one TaskResult for each task. A task that fails does not stop the others. Ctrl-C ends the search; what was
    found is returned. Raises UsageError, which names the entry, LogError, and what a callback raises.
    """
    tasks, notes = _read_tasks(path_from(file, "file"))
    return tune_listed(tasks, *split(options), notes)


def split(options: TasksOptions) -> tuple[dict[str, Any], str, str, str, Listeners]:
    """The arguments of tune_listed() after its tasks. Raises TypeError for an unknown option."""
    of_session: dict[str, Any] = dict(options)
    for name in of_session:
        if name not in TasksOptions.__annotations__:
            raise TypeError(f"{name}: there is no such option; there are {', '.join(TasksOptions.__annotations__)}")
    database = path_from(of_session.pop("database", DEFAULT_DATABASE))
    target = of_session.pop("target", "host")
    caches = of_session.pop("caches", "")
    listeners = Listeners(of_session.pop("progress", False), of_session.pop("callbacks", ()))
    return of_session, database, target, caches, listeners
