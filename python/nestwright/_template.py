"""Templates that are functions in Python."""

from __future__ import annotations

import hashlib
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from . import _nestwright
from ._nestwright import UsageError, Workload, _version

_KINDS: dict[Any, str] = {int: "int", bool: "bool", float: "float", str: "dtype"}


def _parameter(name: str, given: Any) -> tuple[str, str, str]:
    """Name, kind and default of a parameter: m=int must be given, m=64 has a default."""
    if given in _KINDS:
        return name, _KINDS[given], ""
    kind = _KINDS.get(type(given))
    if kind is None:
        raise UsageError(f"parameter {name}: give int, float, bool or str (an element type), or a default of that type")
    return name, kind, str(int(given)) if isinstance(given, bool) else str(given)


def _source(function: Callable[..., Any]) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return function.__code__.co_code.hex()


def template(name: str, *, version: int = 1, **parameters: Any) -> Callable[[Callable[..., Any]], Callable[..., Workload]]:
    """Makes an operator and its template of a function: template("my_matmul", m=int, n=int, k=int).

    The function is called as function(t, m=..., n=..., k=...). It defines knobs by t.split, t.choice, t.number,
    t.permutation and t.require, and returns a schedule and the list of its tensors, inputs first. It runs in this
    process only, many times and on several threads, one after the other.

    version: to be raised when configurations change their meaning. A record that was made while the function had
        another source is a hint: it is raced again before it counts.

    The decorated function makes workloads: nw.tune(my_matmul(m=512, n=512, k=512)), which is the same as
    nw.tune("my_matmul m=512 n=512 k=512").
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Workload]:
        digest = hashlib.sha256(_source(function).encode()).hexdigest()[:16]
        summary = (inspect.getdoc(function) or "a template in Python").split("\n")[0]
        listed = [_parameter(key, value) for key, value in parameters.items()]
        _nestwright._add_template(name, summary, listed, function, version, f"python.{name} {_version} {digest}")

        def workload(**sizes: Any) -> Workload:
            values = " ".join(f"{key}={int(value) if isinstance(value, bool) else value}" for key, value in sizes.items())
            return Workload(f"{name} {values}".strip())

        workload.__name__ = function.__name__
        workload.__doc__ = function.__doc__
        workload.__wrapped__ = function  # type: ignore[attr-defined]
        return workload

    return decorate
