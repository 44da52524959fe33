"""Kernels of this process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _nestwright
from ._arguments import path_from, workload_from
from ._nestwright import Kernel, Workload


def load(
    workload: Workload | str,
    *,
    database: str | os.PathLike[str] | None = None,
    target: str = "host",
    caches: str = "",
    template: str = "",
    config: Mapping[str, Any] | str | None = None,
) -> Kernel:
    """Compiles the best known configuration of a workload for this process.

    database: None: the template's untuned default. Kernel.match says how well the record fits: exact, other_machine,
        nearest, or default.
    config: all knobs of a configuration to use instead, as a mapping or as text.
    The kernel is called with arrays: c = kernel(a, b), or kernel(a, b, out=c).
    """
    path = None if database is None else path_from(database)
    return _nestwright._load(workload_from(workload), path, target, caches, template, config)
