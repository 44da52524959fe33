"""Calling kernels: arrays of all kinds, refusals, threads, forks."""

import os
import pickle
import threading

import numpy as np
import pytest

import nestwright as nw


@pytest.fixture(scope="module")
def matmul():
    return nw.load("matmul m=33 n=20 k=17", target="cpu,threads=1")


def operands(m=33, n=20, k=17):
    rng = np.random.default_rng(0)
    return rng.random((m, k), np.float32), rng.random((k, n), np.float32)


def test_results_are_returned_or_written(matmul):
    a, b = operands()
    c = matmul(a, b)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)
    out = np.empty_like(c)
    assert matmul(a, b, out=out) is out
    np.testing.assert_array_equal(out, c)
    other = np.empty_like(c)
    assert matmul(a, b, other) is other
    np.testing.assert_array_equal(other, c)
    np.testing.assert_array_equal(matmul(B=b, A=a), c)


def test_what_is_known_of_a_kernel(matmul):
    assert matmul.match == "default" and "no database" in matmul.why_default
    assert matmul.inputs == ["A", "B"] and matmul.outputs == ["C"]
    assert "A: float32[33, 17]" in matmul.signature and repr(matmul).startswith("<nestwright")
    assert matmul.record is None and matmul.template and matmul.config


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda a, b: (a.astype(np.float64), b), "expected float32, got float64"),
        (lambda a, b: (a[:10], b), "expected 33, got 10"),
        (lambda a, b: (a[0], b), "rank"),
        (lambda a, b: (a, b, a, b), "too many arguments"),
        (lambda a, b: (a,), "B is missing"),
        (lambda a, b: (a, [1.0, 2.0]), "expected an array"),
        (lambda a, b: (a, b.astype(complex)), "format"),
        (lambda a, b: (a[::-1], b), "stride"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(matmul, change, sentence):
    with pytest.raises(nw.UsageError, match=sentence):
        matmul(*change(*operands()))


def test_outputs_are_not_written_where_they_may_not_be(matmul):
    a, b = operands()
    out = np.zeros((33, 20), np.float32)
    out.flags.writeable = False
    with pytest.raises(nw.UsageError, match="may be written"):
        matmul(a, b, out=out)
    assert not out.any()
    a.flags.writeable = False
    matmul(a, b)


def test_any_alignment_will_do(matmul):
    a, b = operands()
    memory = np.empty(33 * 17 * 4 + 4, np.uint8)
    shifted = memory[4:].view(np.float32).reshape(33, 17)
    shifted[:] = a
    np.testing.assert_array_equal(matmul(shifted, b), matmul(a, b))


class Lender:
    """An array that lends its memory by DLPack alone, as those of other libraries do."""

    def __init__(self, array):
        self._array = array
        self.shape = array.shape

    def __dlpack__(self, **options):
        return self._array.__dlpack__()

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_dlpack(matmul):
    a, b = operands()
    np.testing.assert_array_equal(matmul(Lender(a), b), matmul(a, b))
    out = np.empty((33, 20), np.float32)
    matmul(a, Lender(b), out=Lender(out))
    np.testing.assert_array_equal(out, matmul(a, b))


def test_prepared_operands(matmul):
    a, b = operands()
    layer = matmul.prepare(b=b)
    assert layer.inputs == ["A"]
    np.testing.assert_array_equal(layer(a), matmul(a, b))
    with pytest.raises(nw.UsageError, match="no input 'weights'"):
        matmul.prepare(weights=b)


def test_what_was_packed_cannot_be_given_again():
    f = nw.load("matmul m=32 n=32 k=32 prepared=b", target="cpu,threads=1")
    a, b = np.ones((32, 32), np.float32), np.ones((32, 32), np.float32)
    layer = f.prepare(b=b)
    np.testing.assert_array_equal(layer(a), a @ b)
    with pytest.raises(nw.UsageError, match="was prepared"):
        layer(a, b=2 * b)
    with pytest.raises(nw.UsageError, match="expected an array"):
        f.prepare(b="weights")


def test_arguments_are_given_once(matmul):
    a, b = operands()
    with pytest.raises(nw.UsageError, match="by its place and by its name"):
        matmul(b, A=a)
    with pytest.raises(nw.UsageError, match="given twice"):
        matmul(a=a, A=a, B=b)


def test_a_refused_array_is_released(matmul):
    import sys

    a, _ = operands()
    odd = np.zeros((17, 20), [("x", "f4"), ("y", "i1")])["x"]
    before = sys.getrefcount(odd)
    for _ in range(10):
        with pytest.raises(nw.UsageError, match="strides"):
            matmul(a, odd)
    assert sys.getrefcount(odd) == before


def test_threads_may_share_a_kernel():
    f = nw.load("matmul m=64 n=64 k=64")
    rng = np.random.default_rng(2)
    pairs = [(rng.random((64, 64), np.float32), rng.random((64, 64), np.float32)) for _ in range(4)]
    wrong = []

    def call(a, b):
        for _ in range(200):
            if not np.allclose(f(a, b), a @ b, rtol=1e-4):
                wrong.append(a)

    threads = [threading.Thread(target=call, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_forked_process_is_refused_with_a_sentence(matmul):
    a, b = operands()
    matmul(a, b)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            matmul(a, b)
            text = "called"
        except nw.UsageError as error:
            text = str(error)
        os.write(writer, text.encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert "forked" in os.read(reader, 1000).decode()


def test_workloads_are_values():
    workload = nw.Workload("matmul  k=17 m=33 n=20")
    assert str(workload) == "matmul m=33 n=20 k=17"
    assert pickle.loads(pickle.dumps(workload)) == workload
    assert workload.flops == 2 * 33 * 20 * 17
    with pytest.raises(nw.UsageError, match="matmull"):
        nw.Workload("matmull m=1 n=1 k=1")
    with pytest.raises(nw.UsageError, match="m"):
        nw.Workload("matmul m=0 n=1 k=1")


def test_expressions_as_text():
    f = nw.load("Y[i] = sum(j, X[i, j] * v[j]) i=5 j=70")
    x, v = np.ones((5, 70), np.float32), np.arange(70, dtype=np.float32)
    np.testing.assert_allclose(f(x, v), x @ v)


@pytest.mark.slow
def test_export(matmul, tmp_path):
    exported = matmul.export(tmp_path, name="small_matmul")
    assert exported.name == "small_matmul" and exported.check.verified and not exported.why_not_checked
    assert matmul.export(tmp_path, name="unchecked", check=False).check is None
    assert all((tmp_path / file).exists() for file in exported.files)
    with pytest.raises(nw.UsageError, match="cannot be the name of a C function"):
        matmul.export(tmp_path, name="1x")
