"""Models: networks of tensor expressions, whose kernels are tuned together and become one function or one library."""

from __future__ import annotations

import dataclasses
import math
import operator
import os
import re
import threading
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from . import _nestwright
from ._arguments import DEFAULT_DATABASE, path_from
from ._nestwright import Network, UsageError, Workload
from ._progress import Listeners
from ._results import TasksResult
from ._tasks import ListedTask, TasksOptions, split, tune_listed


@dataclasses.dataclass(frozen=True)
class TensorInfo:
    """An input or an output of a model."""

    name: str
    dtype: str
    """as numpy calls it: float32, int64, bool, bfloat16"""
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclasses.dataclass(frozen=True)
class ModelTask:
    """A kernel of a model, which may occur several times."""

    workload: str
    """its expression with its sizes, as tune() and load() take it"""
    label: str
    """the name of its first node, and how often it occurs: "conv2, 3x\""""
    op: str
    """what its first node computes: "Conv+Relu\""""
    count: int
    """how often it occurs"""
    multiply_adds: float
    """of one occurrence"""


@dataclasses.dataclass(frozen=True)
class MissingOperator:
    """Nodes of a model that nestwright does not have."""

    op: str
    reason: str
    nodes: int

    def __str__(self) -> str:
        return f"{self.op} ({self.nodes}x: {self.reason})"


@dataclasses.dataclass(frozen=True)
class ModelExport:
    """An exported library of a model. Sizes are in bytes."""

    name: str
    directory: str
    files: list[str]
    """relative to the directory"""
    kernels: int
    """different ones"""
    tuned: int
    """of them, tuned for their shape; others have the configuration of the nearest shape, or the default"""
    steps: int
    """calls of kernels in a run"""
    arena_bytes: int
    """memory for the tensors between inputs and outputs"""
    least_arena_bytes: int
    """the largest sum of the sizes of tensors that are needed at one time"""
    weight_bytes: int
    library_bytes: int
    error_of_tolerance: float | None
    """the largest error of an output on random inputs, as a share of its tolerance; None: it was not run"""


class Model:
    """A network of tensor expressions: what import_onnx() reads, or a Graph that Python writes.

        net = nw.import_onnx("model.onnx", dims={"batch": 1})
        nw.tune(net, seconds=600, database="nw.db")
        y = net(x)
        net.export("out/", name="model")

    It is called with arrays for its inputs, by position or by name, of their types and shapes and without gaps. A call
    returns a new array where there is one output, else a tuple in the order of `outputs`; out= gives the arrays to write
    to. The first call compiles the kernels with the configurations of the database: that of the last tune() or compile(),
    else nestwright.db where there is one; kernels that were not tuned have the nearest or the default configuration.
    Threads may share a model: its calls take turns. For CPUs only.
    """

    def __init__(
        self,
        graph: _nestwright._Graph,
        *,
        path: str = "",
        producer: str = "",
        opset: int = 0,
        nodes: int = 0,
        missing: tuple[MissingOperator, ...] = (),
        unreached: int = 0,
    ) -> None:
        self._graph = graph
        self.path = path
        """of the file; "" for a Graph"""
        self.producer = producer
        """the program that wrote the file; may be """""
        self.opset = opset
        """of ONNX's own operators; 0 for a Graph"""
        self.nodes = nodes
        """of the file"""
        self.missing = missing
        """operators that nestwright does not have; () where the model is complete"""
        self.unreached = unreached
        """nodes that depend on missing ones"""
        self._lock = threading.RLock()
        self._known_kernels: _nestwright._Graph | None = None
        self._known_tasks: list[ModelTask] | None = None
        self._network: Network | None = None
        self._database: str | None = None  # "": none; None: nothing was said
        self._target = "host"
        self._caches = ""

    @property
    def inputs(self) -> list[TensorInfo]:
        """The inputs in the order of a call."""
        return [TensorInfo(*each) for each in self._graph.inputs()]

    @property
    def outputs(self) -> list[TensorInfo]:
        """The outputs in the order of a result. Those that depend on missing operators are not among them."""
        return [TensorInfo(*each) for each in self._graph.outputs()]

    @property
    def tasks(self) -> list[ModelTask]:
        """The kernels, which are what is tuned, in the order of their first nodes. Equal layers are one task."""
        with self._lock:
            if self._known_tasks is None:
                self._known_tasks = [ModelTask(**values) for values in self._kernels().tasks()]
            return list(self._known_tasks)

    @property
    def multiply_adds(self) -> float:
        """Of a run of all kernels."""
        return sum(task.count * task.multiply_adds for task in self.tasks)

    def tune(self, **options: Unpack[TasksOptions]) -> TasksResult:
        """Searches for the fastest configurations of all kernels on one budget, as nw.tune(model) does.

        options: those of nw.tune() but restrictions, fixed and template. seconds, trials and until_gain are for all
            kernels together, early_stop for each.
        The time of the whole network counts: kernels that take most of it come first. Later calls of the model use what
        was found. Ctrl-C ends the search; what was found is returned.
        """
        return self._tune(*split(options))

    def compile(
        self,
        *,
        database: str | os.PathLike[str] | None = None,
        target: str | None = None,
        caches: str | None = None,
    ) -> Network:
        """Compiles the model for this process, and returns what later calls of it use.

        database: of the kernels' configurations; "": the untuned defaults; None: that of the last tune() or compile(), else
            nestwright.db where there is one.
        target, caches: as tune() takes them; None: those of the last tune() or compile(), else "host" and "".
        Each result has its own memory and threads, and is called as the model is. Raises UsageError where operators are
        missing, CompileError, LogError.
        """
        with self._lock:
            self._choose(database, target, caches)
            self._network = None
            return self._compiled()

    def export(
        self,
        directory: str | os.PathLike[str],
        name: str = "",
        *,
        embed: bool = False,
        check: bool = True,
        database: str | os.PathLike[str] | None = None,
        target: str | None = None,
        caches: str | None = None,
    ) -> ModelExport:
        """Writes the model as a C library that does not depend on nestwright: header, libraries, weights, manifest, CMake
        package and self-test. Needs a C compiler.

        directory: created if it is missing.
        name: of the functions and files, a C identifier; "": derived from the model's file.
        embed: puts the weights into the library, not into a file of their own.
        check: runs the network on random inputs and compares the results with a computation in double precision before
            anything is written; without it, there is no self-test.
        database, target, caches: as compile() takes them.
        Raises UsageError where operators are missing, Error where a result is wrong.
        """
        with self._lock:
            self._require_complete()
            self._choose(database, target, caches)
            folder = path_from(directory, "directory")
            values = _nestwright._export_network(
                self._kernels(),
                self._existing_database(),
                self._target,
                self._caches,
                folder,
                name or self._identifier(),
                os.path.basename(self.path),
                embed,
                check,
            )
        return ModelExport(directory=folder, **values)

    def __call__(self, /, *arrays: Any, out: Any = None, **named: Any) -> Any:
        network = self._network
        if network is None:
            with self._lock:
                network = self._compiled()
        return network(*arrays, out=out, **named)

    def __repr__(self) -> str:
        inputs, outputs = (", ".join(map(str, ports)) for ports in (self.inputs, self.outputs))
        return f"<nestwright.{type(self).__name__} {self.path}{': ' if self.path else ''}({inputs}) -> ({outputs})>"

    def __str__(self) -> str:
        """Inputs, outputs and kernels with their shares of the work, as `nestwright model` prints them."""
        total = self.multiply_adds
        lines = [
            f"model     {self.path or 'of Python'}",
            f"inputs    {', '.join(map(str, self.inputs))}",
            f"outputs   {', '.join(map(str, self.outputs))}",
            f"work      {total * 1e-6:.2f} million multiply-adds in {sum(t.count for t in self.tasks)} kernels, {len(self.tasks)} tasks",
        ]
        for task in self.tasks:
            share = 100 * task.count * task.multiply_adds / total if total > 0 else 0.0
            lines.append(f"{share:>8.1f}%  {task.label} ({task.op})")
        if self.missing:
            lines.append(self._missing_text())
        return "\n".join(lines)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """IPython's hook: a cell that ends in a model shows it as str() does."""
        printer.text(str(self))

    def _kernels(self) -> _nestwright._Graph:
        with self._lock:
            if self._known_kernels is None:
                self._known_kernels = self._graph.kernels()
            return self._known_kernels

    def _changed(self) -> None:
        self._known_kernels, self._known_tasks, self._network = None, None, None

    def _tune(
        self, options: dict[str, Any], database: str, target: str, caches: str, listeners: Listeners
    ) -> TasksResult:
        if not _nestwright._target(target).startswith("cpu"):
            raise UsageError("models are tuned for CPUs only: give a CPU as target")
        tasks = [self._listed(task) for task in self.tasks]
        result = tune_listed(tasks, options, database, target, caches, listeners, total_time=True)
        with self._lock:
            self._database, self._target, self._caches, self._network = database, target, caches, None
        return result

    @staticmethod
    def _listed(task: ModelTask) -> ListedTask:
        """With the number of its occurrences as its weight."""
        return ListedTask(task.label, Workload(task.workload), task.count)

    def _choose(self, database: str | os.PathLike[str] | None, target: str | None, caches: str | None) -> None:
        """Keeps what is given for later calls."""
        if database is not None:
            self._database = path_from(database)
        self._target = self._target if target is None else target
        self._caches = self._caches if caches is None else caches

    def _existing_database(self) -> str | None:
        if self._database is not None:
            return self._database or None
        return DEFAULT_DATABASE if os.path.exists(DEFAULT_DATABASE) else None

    def _compiled(self) -> Network:
        """Requires the lock."""
        if self._network is None:
            self._require_complete()
            self._network = _nestwright._compile_network(
                self._kernels(), self._existing_database(), self._target, self._caches
            )
        return self._network

    def _missing_text(self) -> str:
        missing = ", ".join(map(str, self.missing))
        return f"operators of the model are missing: {missing}; {self.unreached} nodes depend on them"

    def _require_complete(self) -> None:
        if self.missing:
            raise UsageError(self._missing_text())
        if not self._graph.outputs():
            raise UsageError("the graph has no outputs: name one with output()")

    def _identifier(self) -> str:
        stem = os.path.splitext(os.path.basename(self.path))[0] or "network"
        name = re.sub(r"[^A-Za-z0-9]", "_", stem)
        return f"model_{name}" if name[0].isdigit() else name


def numpy_dtype(name: str) -> np.dtype[Any]:
    """Raises ImportError for bfloat16 where ml_dtypes is missing."""
    if name != "bfloat16":
        return np.dtype(name)
    import ml_dtypes

    dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return dtype


def _elements(name: str, value: Any, tensor: TensorInfo) -> bytes:
    """The elements of an input that is constant: those of an array, or all of them a number."""
    given = np.asarray(value)
    dtype = numpy_dtype(tensor.dtype)
    if given.dtype.kind not in "biufV" or (given.ndim > 0 and given.shape != tensor.shape and given.size != 1):
        raise UsageError(f"constants: {value!r} is neither a number nor an array for the input {tensor}")
    converted = given.astype(dtype)
    if dtype.kind in "biu" and not np.array_equal(converted, given):
        raise UsageError(f"constants: {name}={value!r} is no number of the type {tensor.dtype}")
    whole = converted if converted.shape == tensor.shape else np.full(tensor.shape, converted.reshape(-1)[0], dtype)
    return whole.tobytes()


def _extents(dims: Mapping[str, int] | None) -> dict[str, int]:
    extents = {}
    for name, extent in (dims or {}).items():
        try:
            extents[name] = operator.index(extent)
        except TypeError:
            raise TypeError(f"dims: expected an integer for {name!r}, got {extent!r}") from None
        if not 1 <= extents[name] < 2**31:
            raise UsageError(f"dims: the size of {name!r} is {extent}: give one from 1 to {2**31 - 1}")
    return extents


def import_onnx(
    path: str | os.PathLike[str],
    *,
    dims: Mapping[str, int] | None = None,
    constants: Mapping[str, Any] | None = None,
) -> Model:
    """Reads an ONNX model, of opset 7 or later.

    dims: the sizes that the model names by symbols, {"batch": 1}; one without a name is called by its input and dimension,
        {"x.2": 640}. Shapes are constant.
    constants: inputs that are the same in every run, as those that decide shapes or branches: {"sr": 16000}, numbers for all
        elements of an input, or arrays of its shape. They are then no inputs of the model.

    Operators that nestwright does not have are listed in Model.missing; such a model can be looked at and tuned, and is
    neither called nor exported. Raises UsageError where there is no such file, it is no model, or a size is missing.
    """
    file = path_from(path, "path")
    extents = _extents(dims)
    found = _nestwright._import_onnx(file, extents, {})
    if constants:
        known = {tensor.name: tensor for tensor in (TensorInfo(*each) for each in found["graph"].inputs())}
        elements = {}
        for name, value in constants.items():
            if name not in known:
                raise UsageError(f"the model has no input {name!r} to be constant")
            elements[name] = _elements(name, value, known[name])
        found = _nestwright._import_onnx(file, extents, elements)
    missing = tuple(MissingOperator(op=op, reason=reason, nodes=nodes) for op, reason, nodes in found.pop("missing"))
    return Model(found.pop("graph"), path=file, missing=missing, **found)


class Value:
    """A tensor of a Graph."""

    def __init__(self, graph: Graph, number: int, dtype: str, shape: tuple[int, ...]) -> None:
        self._of = graph
        self._number = number
        self.dtype = dtype
        self.shape = shape

    def __repr__(self) -> str:
        return f"<nestwright.Value {self.dtype}[{', '.join(map(str, self.shape))}]>"


class Graph(Model):
    """A model that is written in Python: its nodes are expressions as text.

        g = nw.Graph()
        x = g.input("x", (8, 64))
        h = g.apply("Y[i, j] = sum(k, X[i, k] * W[k, j])", {"X": x, "W": weights}, op="MatMul")
        g.output("y", g.apply("Y[i, j] = max(X[i, j], 0)", {"X": h}, op="Relu"))
        y = g(array)
    """

    def __init__(self) -> None:
        super().__init__(_nestwright._Graph())

    def input(self, name: str, shape: int | tuple[int, ...] | list[int], dtype: Any = "float32") -> Value:
        """Adds an input. dtype: a name, or a type of numpy or ml_dtypes."""
        if not name or any(tensor.name == name for tensor in self.inputs):
            raise UsageError(f"the name {name!r} of an input is empty, or that of another input")
        return self._added(self._graph.add_input(name, dtype, self._shape(shape)))

    def constant(self, array: Any, name: str = "") -> Value:
        """Adds a constant, whose elements are copied."""
        return self._added(self._graph.add_constant(np.ascontiguousarray(array).reshape(np.shape(array)), name))

    def apply(self, expression: str, operands: Mapping[str, Any], *, op: str = "", label: str = "") -> Any:
        """Adds a node that computes an expression (docs/expressions.md).

        expression: without sizes, which are those of the operands: "Y[i, j] = max(X[i, j], 0)".
        operands: a Value, or an array that is a constant, for each tensor that the expression reads.
        op, label: for people: what the node computes, "MatMul", and its name in the model.
        Returns a Value, or a tuple of them where the expression has several results. Raises UsageError that says where
        and why the expression is wrong.
        """
        numbers = {}
        for name, operand in operands.items():
            value = operand if isinstance(operand, Value) else self.constant(operand)
            numbers[name] = self._own(value)._number
        op = op or re.split(r"\W", expression.strip(), maxsplit=1)[0]
        results = tuple(self._added(number) for number in self._graph.apply(op, expression, numbers, label))
        return results[0] if len(results) == 1 else results

    def reshape(self, value: Value, shape: int | tuple[int, ...] | list[int], *, label: str = "") -> Value:
        """The same elements in another shape, which costs nothing."""
        return self._added(self._graph.reshape(self._own(value)._number, self._shape(shape), label))

    def output(self, name: str, value: Value) -> None:
        """Names a value that calls return; outputs are in the order in which they are named."""
        self._graph.add_output(name, self._own(value)._number)
        self._changed()

    def _own(self, value: Value) -> Value:
        if not isinstance(value, Value):
            raise TypeError(f"expected a nestwright.Value, got {value!r}")
        if value._of is not self:
            raise UsageError("the value is one of another graph")
        return value

    def _added(self, number: int) -> Value:
        self._changed()
        return Value(self, number, *self._graph.type_of(number))

    @staticmethod
    def _shape(shape: int | tuple[int, ...] | list[int]) -> list[int]:
        extents = [operator.index(extent) for extent in ([shape] if isinstance(shape, int) else shape)]
        if any(extent < 1 for extent in extents) or math.prod(extents) >= 2**31:
            raise UsageError(f"the shape {tuple(extents)}: extents are 1 or more, and tensors have at most {2**31 - 1} elements")
        return extents
