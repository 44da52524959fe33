"""Functions that are tuned at their first call with a shape."""

from __future__ import annotations

import functools
import inspect
import os
import threading
from collections.abc import Callable
from typing import Any

from ._arguments import DEFAULT_DATABASE
from ._kernel import load
from ._nestwright import Kernel, Tensor, UsageError
from ._tune import tune


class TensorIndices:
    """An annotation, Tensor["i,k"]: the indices along the dimensions of an argument."""

    def __init__(self, text: str) -> None:
        self.names = [name.strip() for name in text.split(",")] if text.strip() else []


def _of_tensor(indices: str | tuple[str, ...]) -> TensorIndices:
    return TensorIndices(",".join(indices) if isinstance(indices, tuple) else indices)


setattr(Tensor, "__class_getitem__", staticmethod(_of_tensor))


class AutotunedFunction:
    """A function that is tuned at the first call with a shape, and looked up from then on."""

    __name__: str

    def __init__(self, function: Callable[..., str], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._options = options
        inspect.signature(tune).bind("", **options)  # refuses unknown options now
        self._signature = inspect.signature(function)
        self._arguments = self._indices_of(function)
        self._expression = function(*self._arguments)
        if not isinstance(self._expression, str):
            raise UsageError(f"{function.__name__}: an autotuned function returns the text of an expression")
        self._kernels: dict[tuple[Any, ...], Kernel] = {}
        self._lock = threading.Lock()

    @staticmethod
    def _indices_of(function: Callable[..., str]) -> dict[str, list[str]]:
        indices: dict[str, list[str]] = {}
        annotations = inspect.get_annotations(function, eval_str=True)
        for name in inspect.signature(function).parameters:
            annotation = annotations.get(name)
            if not isinstance(annotation, TensorIndices):
                raise UsageError(f"argument {name} of {function.__name__}: annotate it, as in {name}: nw.Tensor[\"i,k\"]")
            indices[name] = annotation.names
        return indices

    def workload(self, *arrays: Any) -> str:
        """The workload of a call with these arrays: the expression with its types and sizes."""
        if len(arrays) != len(self._arguments):
            names = ", ".join(self._arguments)
            raise UsageError(f"{self.__name__}: expected {len(self._arguments)} arrays ({names}), got {len(arrays)}")
        sizes: dict[str, int] = {}
        declarations = ""
        for (name, indices), array in zip(self._arguments.items(), arrays):
            if not hasattr(array, "shape") or not hasattr(array, "dtype"):
                raise UsageError(f"{self.__name__}: argument {name}: expected an array, got {type(array).__name__}")
            shape = tuple(array.shape)
            if len(shape) != len(indices):
                raise UsageError(f"{self.__name__}: argument {name}: expected rank {len(indices)}, got {len(shape)}")
            for index, extent in zip(indices, shape):
                if sizes.setdefault(index, extent) != extent:
                    raise UsageError(
                        f"{self.__name__}: argument {name}: expected an extent of {sizes[index]} along {index}, got {extent}"
                    )
            dtype = str(getattr(array.dtype, "name", array.dtype)).removeprefix("torch.")
            if not getattr(array.dtype, "isnative", True):
                raise UsageError(f"{self.__name__}: argument {name}: expected this machine's byte order: copy it")
            if dtype != "float32":
                declarations += f"; {name}: {dtype}"
        return f"{self._expression}{declarations} " + " ".join(f"{index}={extent}" for index, extent in sizes.items())

    def kernel(self, *arrays: Any) -> Kernel:
        """The kernel for arrays of these shapes and types, which is tuned now if it never was."""
        key = tuple((tuple(getattr(array, "shape", ())), str(getattr(array, "dtype", None))) for array in arrays)
        found = self._kernels.get(key)
        if found is not None:
            return found
        with self._lock:
            if key not in self._kernels:
                self._kernels[key] = self._make(self.workload(*arrays))
            return self._kernels[key]

    def _make(self, workload: str) -> Kernel:
        options = dict(self._options)
        database = options.pop("database")
        chosen = {"target": options["target"], "caches": options.get("caches", ""), "template": options.get("template") or ""}
        if os.path.exists(database):
            known = load(workload, database=database, **chosen)
            if known.match == "exact" and not known.hint:
                return known
        result = tune(workload, database=database, **options)
        if result.interrupted:
            raise KeyboardInterrupt(f"{self.__name__}: interrupted; the next call takes what was found")
        if result.best is None:
            raise UsageError(f"no valid candidate was found for {workload}: {result.stop_reason}")
        return load(workload, database=database, **chosen)

    def __call__(self, *arrays: Any, out: Any = None, **named: Any) -> Any:
        if named:
            arrays = self._signature.bind(*arrays, **named).args
        return self.kernel(*arrays)(*arrays, out=out)


def autotune(
    function: Callable[..., str] | None = None,
    *,
    seconds: float | None = None,
    trials: int | None = None,
    database: str | os.PathLike[str] = DEFAULT_DATABASE,
    target: str = "host",
    effort: str = "normal",
    progress: bool = False,
    **options: Any,
) -> Any:
    """Makes a kernel of a function that returns an expression: it is tuned at the first call with a shape, and looked up
    in the database from then on, also by later processes.

        @nw.autotune(seconds=10, database="nw.db")
        def mm(A: nw.Tensor["i,k"], B: nw.Tensor["k,j"]):
            return "C[i,j] = sum(k, A[i,k] * B[k,j])"

        c = mm(a, b)

    Each argument is annotated with its indices, whose extents are those of the array. The options are those of tune().
    """
    given = {
        "seconds": seconds,
        "trials": trials,
        "database": os.fspath(database),
        "target": target,
        "effort": effort,
        "progress": progress,
        **options,
    }
    if function is not None:
        return AutotunedFunction(function, given)
    return lambda decorated: AutotunedFunction(decorated, given)
