"""Arguments that several calls take."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ._nestwright import UsageError, Workload

DEFAULT_DATABASE = "nestwright.db"


def workload_from(workload: Workload | str) -> Workload:
    return workload if isinstance(workload, Workload) else Workload(workload)


def path_from(path: str | os.PathLike[str], what: str = "database") -> str:
    text = os.fspath(path)
    if not isinstance(text, str) or "\0" in text:
        raise UsageError(f"{what}: expected a path, got {text!r}")
    return text


def listed(given: str | Iterable[str] | None) -> list[str]:
    """One condition, or several."""
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)
