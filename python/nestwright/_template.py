"""Templates that are functions in Python."""

from __future__ import annotations

import functools
import hashlib
import inspect
import types
from collections.abc import Callable
from typing import Any

from . import _nestwright
from ._nestwright import UsageError, Workload, _version

_KINDS: dict[Any, str] = {int: "int", bool: "bool", float: "float", str: "dtype"}


def _parameter(name: str, given: Any) -> tuple[str, str, str]:
    """Name, kind and default of a parameter: m=int must be given, m=64 has a default."""
    if isinstance(given, type) and given in _KINDS:
        return name, _KINDS[given], ""
    kind = _KINDS.get(type(given))
    if kind is None:
        raise UsageError(f"parameter {name}: give int, float, bool or str (an element type), or a default of that type")
    return name, kind, str(int(given)) if isinstance(given, bool) else str(given)


def _content(code: types.CodeType) -> str:
    """The instructions of a function and of those inside it, with their constants and names."""
    constants = [_content(each) if isinstance(each, types.CodeType) else repr(each) for each in code.co_consts]
    return " ".join([code.co_code.hex(), *constants, *code.co_names, *code.co_varnames])


def _digest(function: Callable[..., Any]) -> str:
    """Changes with what the function does: its code, its defaults, and the plain values that it captures."""
    plain = inspect.unwrap(function.func if isinstance(function, functools.partial) else function)
    content = repr(function) if not hasattr(plain, "__code__") else _content(plain.__code__)
    for cell in getattr(plain, "__closure__", None) or ():
        value = cell.cell_contents
        if isinstance(value, (bool, int, float, str, tuple)):
            content += repr(value)
    content += repr(getattr(plain, "__defaults__", None)) + repr(getattr(plain, "__kwdefaults__", None))
    return hashlib.sha256(content.encode()).hexdigest()[:16]


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

    if not isinstance(name, str):
        raise UsageError('template: give a name and the parameters, as in @nw.template("my_matmul", m=int)')
    if "t" in parameters:
        raise UsageError("parameter t: choose another name, because t is the first argument of the function")

    def decorate(function: Callable[..., Any]) -> Callable[..., Workload]:
        digest = _digest(function)
        summary = (inspect.getdoc(function) or "a template in Python").split("\n")[0]
        listed = [_parameter(key, value) for key, value in parameters.items()]
        _nestwright._add_template(name, summary, listed, function, version, f"{name} {_version} {digest}")

        def workload(**sizes: Any) -> Workload:
            values = " ".join(f"{key}={int(value) if isinstance(value, bool) else value}" for key, value in sizes.items())
            return Workload(f"{name} {values}".strip())

        workload.__name__ = getattr(function, "__name__", name)
        workload.__doc__ = inspect.getdoc(function)
        setattr(workload, "function", function)
        return workload

    return decorate
