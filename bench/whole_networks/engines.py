"""What runs a model in a process of its own. Inputs are copied to where they stay; a call has no arguments."""

import ctypes
import json
import pathlib
import tempfile
import time

import numpy

ALIGNMENT = 64
KERNEL_TIME = "_kernel_time"  # ends the names of events that are runs of an operator


def aligned_like(inputs):
    return {name: aligned(array.shape, array.dtype) for name, array in inputs.items()}


def aligned(shape, kind):
    size = int(numpy.prod(shape)) * numpy.dtype(kind).itemsize
    room = numpy.zeros(size + ALIGNMENT, numpy.uint8)
    begin = -room.ctypes.data % ALIGNMENT
    return room[begin : begin + size].view(kind).reshape(shape)


class Engine:
    def __init__(self, inputs):
        """`inputs`: arrays by name."""
        self.inputs = inputs

    def read(self, inputs):
        for name, array in self.inputs.items():
            array[...] = inputs[name]


class Ours(Engine):
    """An exported library."""

    def __init__(self, path, threads, inputs):
        folder = pathlib.Path(path)
        manifest = json.loads(next(folder.glob("*_manifest.json")).read_text())
        if manifest["threads"] > threads:
            raise RuntimeError(f"{folder} was exported for {manifest['threads']} threads, not {threads}")
        self._name = manifest["name"]
        self._library = ctypes.CDLL(str(folder / f"lib{self._name}.so"))
        self._network = ctypes.c_void_p()
        self._check(
            self._function("create")(str(folder / f"{self._name}_weights.bin").encode(), ctypes.byref(self._network))
        )
        self._tensors = [(t, aligned(t["shape"], t["type"])) for t in manifest["tensors"]]
        super().__init__({t["name"]: array for t, array in self._tensors if t["role"] == "input"})
        self._arguments = [self._network, *(ctypes.c_void_p(array.ctypes.data) for _, array in self._tensors)]
        self._run = self._function("run")

    def _function(self, name):
        return getattr(self._library, f"{self._name}_{name}")

    def _check(self, code):
        if code != 0:
            message = self._function("message")
            message.restype = ctypes.c_char_p
            raise RuntimeError(f"{self._name}: {message(code).decode()}")

    def call(self):
        code = self._run(*self._arguments)
        if code != 0:
            self._check(code)

    def outputs(self):
        """By position."""
        results = [array for tensor, array in self._tensors if tensor["role"] == "output"]
        for array in results:  # what is not written is seen
            array.view(numpy.uint8).fill(0xFF)
        self.call()
        return results

    def steps(self, runs):
        """Median times: of each kernel, of all together, and of runs that time none, which alternate with those."""
        name_of, set_times = self._function("step_name"), self._function("set_times")
        name_of.restype = ctypes.c_char_p
        names = [name_of(step).decode() for step in range(self._function("steps")())]
        times = numpy.zeros((runs, len(names)), numpy.uint64)
        wholes = []
        for row in times:
            set_times(self._network, None)
            begin = time.perf_counter()
            self.call()
            wholes.append(time.perf_counter() - begin)
            set_times(self._network, ctypes.c_void_p(row.ctypes.data))
            self.call()
        set_times(self._network, None)
        return {
            "whole_ns": float(numpy.median(wholes)) * 1e9,
            "sum_of_steps_ns": float(numpy.median(times.sum(axis=1))),
            "steps": list(zip(names, numpy.median(times, axis=0).tolist())),
        }


class OnnxRuntime(Engine):
    """ONNX Runtime with all optimizations and its own defaults, on inputs and outputs that are bound once."""

    def __init__(self, path, threads, inputs):
        import onnxruntime

        self._path = path
        self._options = onnxruntime.SessionOptions()
        self._options.intra_op_num_threads = threads
        self._options.inter_op_num_threads = 1
        self._options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        self._options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self._options.log_severity_level = 3
        super().__init__(aligned_like(inputs))
        self._bind()

    def _bind(self):
        import onnxruntime

        self._session = onnxruntime.InferenceSession(self._path, self._options, providers=["CPUExecutionProvider"])
        self._binding = self._session.io_binding()
        for value in self._session.get_inputs():
            self._binding.bind_cpu_input(value.name, self.inputs[value.name])
        for value in self._session.get_outputs():
            self._binding.bind_output(value.name, "cpu")

    def call(self):
        self._session.run_with_iobinding(self._binding)

    def outputs(self):
        self.call()
        return self._binding.copy_outputs_to_cpu()

    def profile(self, runs):
        """The operators of a run, [name, kind, nanoseconds]: the medians of many runs."""
        with tempfile.TemporaryDirectory() as folder:
            self._options.enable_profiling = True
            self._options.profile_file_prefix = f"{folder}/profile"
            self._bind()
            for _ in range(runs):
                self.call()
            events = json.loads(pathlib.Path(self._session.end_profiling()).read_text())
        times = {}
        for event in events:
            if event["cat"] == "Node" and event["name"].endswith(KERNEL_TIME):
                operator = event["name"].removesuffix(KERNEL_TIME), event["args"]["op_name"]
                times.setdefault(operator, []).append(event["dur"] * 1e3)
        return [[*operator, float(numpy.median(values))] for operator, values in times.items()]


class OpenVino(Engine):
    """OpenVINO in single precision, for latency, with all optimizations."""

    def __init__(self, path, threads, inputs):
        self._path = path
        self._settings = {
            "INFERENCE_PRECISION_HINT": "f32",
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
        }
        super().__init__(aligned_like(inputs))
        self._bind()

    def _bind(self):
        import openvino

        self._compiled = openvino.Core().compile_model(self._path, "CPU", self._settings)
        self._request = self._compiled.create_infer_request()
        for name, array in self.inputs.items():
            self._request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

    def call(self):
        self._request.infer(share_inputs=True, share_outputs=True)

    def outputs(self):
        self.call()
        return [numpy.array(self._request.get_output_tensor(i).data) for i in range(len(self._compiled.outputs))]

    def profile(self, runs):
        """As that of ONNX Runtime."""
        self._settings["PERF_COUNT"] = True
        self._bind()
        times = {}
        for _ in range(runs):
            self.call()
            for node in self._request.get_profiling_info():
                if node.status == node.Status.EXECUTED:
                    kind = f"{node.node_type} {node.exec_type}"
                    times.setdefault((node.node_name, kind), []).append(node.real_time.total_seconds() * 1e9)
        return [[*operator, float(numpy.median(values))] for operator, values in times.items()]


ENGINES = {"ours": Ours, "onnxruntime": OnnxRuntime, "openvino": OpenVino}
