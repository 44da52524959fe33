"""What runs a model in a process of its own. Inputs are copied to where they stay before a call, which has no arguments."""

import ctypes
import json
import pathlib

import numpy

ALIGNMENT = 64


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
        self._check(self._function("create")(str(folder / f"{self._name}_weights.bin").encode(), ctypes.byref(self._network)))
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

    def step_names(self):
        name = self._function("step_name")
        name.restype = ctypes.c_char_p
        return [name(step).decode() for step in range(self._function("steps")())]

    def set_times(self, times):
        """From now on each run adds the time of each step to `times`; None: no longer."""
        self._function("set_times")(self._network, None if times is None else ctypes.c_void_p(times.ctypes.data))


class OnnxRuntime(Engine):
    """ONNX Runtime with all optimizations and its own defaults, on inputs and outputs that are bound once."""

    def __init__(self, path, threads, inputs):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self._binding = self._session.io_binding()
        super().__init__(aligned_like(inputs))
        for value in self._session.get_inputs():
            self._binding.bind_cpu_input(value.name, self.inputs[value.name])
        for value in self._session.get_outputs():
            self._binding.bind_output(value.name, "cpu")

    def call(self):
        self._session.run_with_iobinding(self._binding)

    def outputs(self):
        self.call()
        return self._binding.copy_outputs_to_cpu()


class OpenVino(Engine):
    """OpenVINO in single precision, for latency, with all optimizations."""

    def __init__(self, path, threads, inputs):
        import openvino

        core = openvino.Core()
        settings = {
            "INFERENCE_PRECISION_HINT": "f32",
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
        }
        self._compiled = core.compile_model(path, "CPU", settings)
        self._request = self._compiled.create_infer_request()
        super().__init__(aligned_like(inputs))
        for name, array in self.inputs.items():
            self._request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

    def call(self):
        self._request.infer(share_inputs=True, share_outputs=True)

    def outputs(self):
        self.call()
        return [numpy.array(self._request.get_output_tensor(i).data) for i in range(len(self._compiled.outputs))]


ENGINES = {"ours": Ours, "onnxruntime": OnnxRuntime, "openvino": OpenVino}
