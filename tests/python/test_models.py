"""Models: ONNX files and graphs written in Python, tuned, called and exported."""

import copy
import os
import pickle
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from onnx_writer import INT64, model, node, port

import nestwright as nw

ONE = "cpu,threads=1"
RNG = np.random.default_rng(7)
W1, B1, W2 = (RNG.standard_normal(shape, np.float32) for shape in ((16, 32), (32,), (32, 4)))


def perceptron(x):
    return np.maximum(x @ W1 + B1, 0) @ W2


def written_perceptron(folder, last=("Identity",)):
    """relu(x W1 + b1) W2, with a symbolic batch, and a last node."""
    nodes = [
        node("MatMul", ["x", "w1"], ["h"]),
        node("Add", ["h", "b1"], ["g"]),
        node("Relu", ["g"], ["r"]),
        node("MatMul", ["r", "w2"], ["z"]),
        node(*last, ["z"], ["y"]),
    ]
    path = folder / "perceptron.onnx"
    ports = [port("x", ("batch", 16))], [port("y", ("batch", 4))]
    path.write_bytes(model(nodes, *ports, {"w1": W1, "b1": B1, "w2": W2}))
    return path


@pytest.fixture
def net(tmp_path):
    return nw.import_onnx(written_perceptron(tmp_path), dims={"batch": 8})


@pytest.fixture
def x():
    return RNG.random((8, 16), np.float32)


def two_outputs():
    g = nw.Graph()
    total, twice = g.apply("S[] = sum(i, A[i]); P[i] = A[i] * 2", {"A": g.input("a", (6,))})
    g.output("total", total)
    g.output("twice", twice)
    return g


def test_what_is_known_of_a_model(net):
    assert net.inputs == [nw.TensorInfo("x", "float32", (8, 16))] and str(net.inputs[0]) == "x: float32[8, 16]"
    assert net.outputs == [nw.TensorInfo("y", "float32", (8, 4))]
    assert net.opset == 17 and net.nodes == 5 and net.missing == ()
    assert [task.multiply_adds for task in net.tasks] == [8 * 16 * 32, 8 * 32 * 4] and net.multiply_adds == 8 * 32 * 20
    assert net.tasks[0].label == "h_MatMul" and net.tasks[0].count == 1 and "Relu" in net.tasks[0].op
    assert nw.Workload(net.tasks[0].workload).flops > 0
    assert "million multiply-adds in 2 kernels, 2 tasks" in str(net) and "x: float32[8, 16]" in repr(net)
    assert pickle.loads(pickle.dumps([net.tasks, net.inputs])) == [net.tasks, net.inputs]


def test_a_model_is_called(net, x):
    y = net(x)
    np.testing.assert_allclose(y, perceptron(x), rtol=1e-4, atol=1e-5)
    out = np.empty_like(y)
    assert net(x=x, out=out) is out
    np.testing.assert_array_equal(out, y)
    aligned = nw.import_onnx(net.path, dims={"batch": 8}).compile(database="", target=ONE)
    np.testing.assert_allclose(aligned(x), y, rtol=1e-5, atol=1e-6)
    assert aligned.steps == 2 and aligned.weight_bytes >= W1.nbytes + W2.nbytes and aligned.arena_bytes >= 8 * 32 * 4


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda x: ((x.astype(np.float64),), {}), "x is float64.8, 16.: give a compact array of the type float32.8, 16."),
        (lambda x: ((x[:4],), {}), "x is float32.4, 16."),
        (lambda x: ((np.asfortranarray(x),), {}), "with strides"),
        (lambda x: ((), {}), "the input x is missing: the model takes x: float32"),
        (lambda x: ((x, x), {}), "too many"),
        (lambda x: ((), {"z": x}), "no input 'z'"),
        (lambda x: ((x,), {"x": x}), "by its place and by its name"),
        (lambda x: (([1.0],), {}), "x: expected an array"),
        (lambda x: ((x,), {"out": np.empty((8, 5), np.float32)}), "y is float32.8, 5."),
        (lambda x: ((x,), {"out": [np.empty((8, 4), np.float32)] * 2}), "more arrays"),
        (lambda x: ((x,), {"out": x[:, :4]}), "overlap"),
        (lambda x: ((x,), {"out": np.empty((8, 16), np.float32)[:, :4]}), "with strides"),
        (lambda x: ((x,), {"out": np.broadcast_to(np.float32(0), (8, 4))}), "may be written"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(net, x, change, sentence):
    arrays, named = change(x)
    with pytest.raises(nw.UsageError, match=sentence):
        net(*arrays, **named)


def test_arrays_at_any_address(net, x):
    expected = net(x)
    memory = np.empty(x.nbytes + 1, np.uint8)
    odd = memory[1:].view(np.float32).reshape(x.shape)
    odd[:] = x
    np.testing.assert_array_equal(net(odd), expected)
    for offset in (0, 4, 1):
        out = np.empty(expected.nbytes + 8, np.uint8)[offset : offset + expected.nbytes].view(np.float32).reshape(expected.shape)
        net(x, out=out)
        np.testing.assert_array_equal(out, expected)


def test_several_outputs_are_a_tuple():
    g = two_outputs()
    a = np.arange(6, dtype=np.float32)
    total, twice = g(a)
    assert total.shape == () and total == 15
    np.testing.assert_array_equal(twice, 2 * a)
    given = (np.empty((), np.float32), np.empty(6, np.float32))
    assert g(a=a, out=given)[1] is given[1]
    both = np.empty(6, np.float32)
    with pytest.raises(nw.UsageError, match="overlap"):
        g(a, out=(both[:1].reshape(()), both))


def test_tuning_a_model(net, x, database, capfd):
    seen = []
    before = net(x)
    result = nw.tune(net, trials=24, batch_size=4, finalists=0, database=database, target=ONE, callbacks=seen.append)
    assert capfd.readouterr() == ("", "")
    assert len(result) == 2 and {task.label for task in result} == {task.label for task in net.tasks}
    assert result[0].weight >= result[1].weight and result.trial_count <= 24 and not result.interrupted
    assert all(task.best is not None and task.best.seconds > 0 and not task.failure for task in result)
    assert {progress.label for progress in seen} <= {task.label for task in net.tasks} and seen[-1].trials > 0
    assert str(result).startswith("2 tasks: ") and pickle.loads(pickle.dumps(result)) == result
    assert nw.Database(database).best(net.tasks[0].workload, target=ONE) is not None
    np.testing.assert_allclose(net(x), before, rtol=1e-4, atol=1e-5)
    assert nw.load(net.tasks[0].workload, database=database, target=ONE).match == "exact"
    with pytest.raises(nw.UsageError, match="restrictions: .* one workload"):
        nw.tune(net, trials=1, restrictions="unroll_k <= 2")
    with pytest.raises(TypeError, match="template: there is no such option"):
        net.tune(template="matmul.cpu")
    with pytest.raises(nw.UsageError, match="guess"):
        net.tune(strategy="guess", database=database)
    with pytest.raises(nw.UsageError, match="CPUs only"):
        net.tune(target="cuda,arch=sm_90", database=database)


def test_an_interrupt_returns_what_was_found(net, database):
    timers = []

    def interrupt_soon(progress):
        if not timers:
            timers.append(threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]))
            timers[0].start()

    start = time.monotonic()
    result = net.tune(seconds=60, database=database, target=ONE, callbacks=interrupt_soon)
    assert time.monotonic() - start < 30
    assert result.interrupted and len(result) == 2 and "interrupted" in str(result)


def test_progress_names_the_kernels(net, database, capfd):
    net.tune(trials=1, finalists=0, database=database, target=ONE, progress=True)
    out, err = capfd.readouterr()
    assert "trials" in out and "_MatMul" in out and err == ""


def test_threads_may_share_a_model(net):
    xs = [RNG.random((8, 16), np.float32) for _ in range(4)]
    wrong = []

    def call(x):
        for _ in range(100):
            if not np.allclose(net(x), perceptron(x), rtol=1e-4, atol=1e-5):
                wrong.append(x)

    threads = [threading.Thread(target=call, args=[x]) for x in xs]  # the first call of which compiles
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_operators_that_are_missing(tmp_path, x):
    net = nw.import_onnx(written_perceptron(tmp_path, ["Mystery"]), dims={"batch": 8})
    assert net.missing == (nw.MissingOperator("Mystery", "Nestwright does not have it", 1),)
    assert net.outputs == [] and net.unreached == 0
    for refused in (lambda: net(x), net.compile, lambda: net.export(tmp_path / "out")):
        with pytest.raises(nw.UsageError, match="operators of the model are missing: Mystery .1x: "):
            refused()


def test_inputs_that_are_constant(tmp_path):
    nodes = [node("Reshape", ["x", "shape"], ["r"]), node("Mul", ["r", "scale"], ["y"])]
    inputs = [port("x", (4, 6)), port("shape", (2,), INT64), port("scale", (3,))]
    path = tmp_path / "reshape.onnx"
    path.write_bytes(model(nodes, inputs, [port("y", ("rows", 3))], {}))
    assert nw.import_onnx(path).missing
    x = RNG.random((4, 6), np.float32)
    net = nw.import_onnx(path, constants={"shape": np.array([8, 3]), "scale": 2})
    assert [tensor.name for tensor in net.inputs] == ["x"]
    np.testing.assert_array_equal(net(x), 2 * x.reshape(8, 3))
    for constants, sentence in [
        ({"shapes": 1}, "no input 'shapes'"),
        ({"shape": [8.5, 3]}, "no number of the type int64"),
        ({"shape": [1, 2, 3]}, "neither a number nor an array for the input shape: int64.2."),
        ({"scale": "two"}, "neither a number"),
    ]:
        with pytest.raises(nw.UsageError, match=sentence):
            nw.import_onnx(path, constants=constants)


def test_files_that_are_no_models(tmp_path):
    path = written_perceptron(tmp_path)
    for dims, sentence in [(None, 'as in dims={"batch": 1}'), ({"batch": 8, "time": 2}, "'time'"), ({"batch": 0}, "from 1")]:
        with pytest.raises(nw.UsageError, match=sentence) as raised:
            nw.import_onnx(path, dims=dims)
        assert "--" not in str(raised.value)
    with pytest.raises(TypeError, match="dims: expected an integer for 'batch'"):
        nw.import_onnx(path, dims={"batch": "1"})
    with pytest.raises(nw.UsageError, match="missing.onnx"):
        nw.import_onnx(tmp_path / "missing.onnx")
    (tmp_path / "text.onnx").write_text("no model")
    with pytest.raises(nw.UsageError, match="text.onnx"):
        nw.import_onnx(tmp_path / "text.onnx")


def test_a_graph_written_in_python(x):
    g = nw.Graph()
    h = g.apply("Y[i, j] = sum(k, X[i, k] * W[k, j])", {"X": g.input("x", (8, 16)), "W": g.constant(W1, "w1")}, op="MatMul")
    r = g.apply("Y[i, j] = max(X[i, j] + B[j], 0)", {"X": h, "B": B1}, op="Relu", label="hidden")
    assert (r.shape, r.dtype) == ((8, 32), "float32") and "float32[8, 32]" in repr(r)
    with pytest.raises(nw.UsageError, match="no outputs"):
        g(x)
    g.output("y", g.reshape(r, (16, 16)))
    assert g.outputs == [nw.TensorInfo("y", "float32", (16, 16))] and len(g.tasks) == 1
    expected = np.maximum(x @ W1 + B1, 0)
    np.testing.assert_allclose(g(x), expected.reshape(16, 16), rtol=1e-4, atol=1e-5)
    g.output("z", g.apply("Z[i] = sum(j, X[i, j])", {"X": r}))  # a graph that was called goes on
    np.testing.assert_allclose(g(x)[1], expected.sum(1), rtol=1e-4)
    assert isinstance(g, nw.Model)


def test_graphs_refuse_what_is_wrong():
    g, other = nw.Graph(), nw.Graph()
    a = g.input("a", 6)
    for wrong, sentence in [
        (lambda: g.input("a", (6,)), "another input"),
        (lambda: g.input("b", (6, 0)), "extents"),
        (lambda: g.input("b", (2**20, 2**20)), "at most"),
        (lambda: g.input("b", (6,), "float31"), "float31"),
        (lambda: g.apply("Y[i] = A[i] + B[i]", {"A": a}), "B"),
        (lambda: g.apply("Y[i = A[i]", {"A": a}), "column 5"),
        (lambda: other.apply("Y[i] = A[i]", {"A": a}), "another graph"),
        (lambda: g.reshape(a, (2, 4)), "elements"),
    ]:
        with pytest.raises(nw.UsageError, match=sentence):
            wrong()
    with pytest.raises(TypeError, match="nestwright.Value"):
        g.output("y", 1)
    with pytest.raises((TypeError, nw.Error)):
        copy.deepcopy(g)


def test_a_forked_process_is_refused_with_a_sentence(net, x):
    net(x)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            net(x)
            text = "called"
        except nw.UsageError as error:
            text = str(error)
        os.write(writer, text.encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert "forked" in os.read(reader, 1000).decode()


@pytest.mark.slow
def test_export(net, tmp_path):
    exported = net.export(tmp_path / "out", name="small")
    assert exported.name == "small" and exported.kernels == 2 and exported.tuned == 0 and exported.error_of_tolerance <= 1
    assert all((tmp_path / "out" / file).exists() for file in exported.files) and pickle.loads(pickle.dumps(exported)) == exported
    built = ["cc", "small_selftest.c", "libsmall.a", "-lpthread", "-lm", "-o", "selftest"]
    subprocess.run(built, cwd=tmp_path / "out", check=True)
    subprocess.run(["./selftest"], cwd=tmp_path / "out", check=True, stdout=subprocess.DEVNULL)
    embedded = net.export(tmp_path / "embedded", embed=True, check=False)
    assert embedded.name == "perceptron" and embedded.error_of_tolerance is None and embedded.library_bytes > exported.library_bytes
    with pytest.raises(nw.UsageError, match="1x"):
        net.export(tmp_path / "out", name="1x")


@pytest.mark.slow
def test_a_model_written_by_onnx(tmp_path):
    onnx = pytest.importorskip("onnx")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    info = [helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", ["n", 3, 8, 8]), ("y", ["n", 4, 8, 8]))]
    w = RNG.standard_normal((4, 3, 3, 3), np.float32)
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("Relu", ["c"], ["y"])]
    graph = helper.make_graph(nodes, "g", info[:1], info[1:], [numpy_helper.from_array(w, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "conv.onnx")
    net = nw.import_onnx(tmp_path / "conv.onnx", dims={"n": 1})
    x = RNG.random((1, 3, 8, 8), np.float32)
    padded = np.pad(x[0], ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    np.testing.assert_allclose(net(x)[0], np.maximum(np.einsum("chwij,ocij->ohw", windows, w), 0), rtol=1e-4, atol=1e-5)
