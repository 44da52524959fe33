"""Expressions, schedules and lowering, against numpy."""

import numpy as np
import pytest

import nestwright as nw


def product(m=24, n=40, k=16, dtype="float32"):
    a = nw.placeholder((m, k), dtype, name="A")
    b = nw.placeholder((k, n), dtype, name="B")
    r = nw.reduce_axis(k, "k")
    c = nw.compute((m, n), lambda i, j: nw.sum(a[i, r] * b[r, j], r), name="C")
    return a, b, c


def test_the_example_of_the_documentation():
    a, b, c = product(512, 512, 512)
    s = nw.create_schedule(c)
    yo, yi = s[c].split(s[c].axes[0], factor=32)
    s[c].vectorize(s[c].axes[1])
    text = str(nw.lower(s, [a, b, c]))
    assert "for i0.outer in 0..16" in text or ".outer in 0..16" in text
    assert "vectorized" in text
    g = nw.build(s, [a, b, c], target="host")
    rng = np.random.default_rng(0)
    x, y = rng.random((512, 512), np.float32), rng.random((512, 512), np.float32)
    np.testing.assert_allclose(g(x, y), x @ y, rtol=1e-4)


def test_primitives_have_tvms_names():
    a, b, c = product(64, 64, 64)
    s = nw.create_schedule(c)
    i, j = s[c].axes
    (k,) = s[c].reduce_axes
    io, jo, ii, ji = s[c].tile(i, j, 8, 16)
    ko, ki = s[c].split(k, nparts=4)
    s[c].reorder(io, jo, ko, ki, ii, ji).vectorize(ji).unroll(ii)
    s[c].parallel(s[c].fuse(io, jo))
    f = nw.build(s, [a, b, c])
    x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64) / 4096
    np.testing.assert_allclose(f(x, x), x @ x, rtol=1e-5)
    assert [str(loop) for loop in s[c].loops]
    replayed = nw.create_schedule(c)
    replayed.replay(s.trace)
    assert replayed.trace == s.trace


def test_tvms_spelling_of_axes_and_threads():
    a, b, c = product(64, 64, 16)
    s = nw.create_schedule(c.op.output(0))
    i, j = s[c].op.axis
    assert c.op.reduce_axis[0].same_as(s[c].reduce_axes[0]) and c.op.name == "C"
    s[c].bind(i, nw.thread_axis("blockIdx.x")).bind(j, nw.thread_axis("threadIdx.x"))
    assert "blockIdx.x" in str(nw.lower(s, [a, b, c], target="cuda,arch=sm_90"))
    with pytest.raises(nw.UsageError, match="there is no thread index"):
        nw.thread_axis("blockIdx.w")


def test_caches_and_stages():
    a, b, c = product(32, 32, 32)
    s = nw.create_schedule(c)
    local = s.cache_write(c, "local")
    io, ii = s[c].split(s[c].axes[0], factor=8)
    s[local].compute_at(s[c], io)
    copy = s.cache_read(b, "global", local)
    s[copy].compute_root()
    f = nw.build(s, [a, b, c])
    x = np.ones((32, 32), np.float32)
    np.testing.assert_array_equal(f(x, x), x @ x)


def test_functions_of_elements():
    x = nw.placeholder((100,), name="X")
    bodies = {
        "exp": (nw.exp, np.exp),
        "tanh": (nw.tanh, np.tanh),
        "sqrt": (lambda v: nw.sqrt(nw.abs(v)), lambda v: np.sqrt(np.abs(v))),
        "select": (lambda v: nw.select(v > 0, v, -v * 2.0), lambda v: np.where(v > 0, v, -v * 2)),
        "clamp": (lambda v: nw.clamp(v, -0.5, 0.5), lambda v: np.clip(v, -0.5, 0.5)),
        "arithmetic": (lambda v: (1 - v) / (v + 2.0) - v**2.0, lambda v: (1 - v) / (v + 2) - v**2),
        "max": (lambda v: nw.max(v, 0.25), lambda v: np.maximum(v, 0.25)),
    }
    data = np.linspace(-1, 1, 100, dtype=np.float32)
    for name, (ours, theirs) in bodies.items():
        y = nw.compute((100,), lambda i: ours(x[i]), name="Y")
        f = nw.build(nw.create_schedule(y), [x, y])
        np.testing.assert_allclose(f(data), theirs(data), rtol=1e-5, atol=1e-6, err_msg=name)


def test_reductions_and_tuples():
    x = nw.placeholder((7, 9), name="X")
    k = nw.reduce_axis((0, 9), "k")
    largest = nw.compute((7,), lambda i: nw.max(x[i, k], axis=k), name="M")
    f = nw.build(nw.create_schedule(largest), [x, largest])
    data = np.random.default_rng(1).random((7, 9), np.float32)
    np.testing.assert_array_equal(f(data), data.max(axis=1))

    argmax = nw.comm_reducer(
        lambda a, b: (nw.select(a[1] >= b[1], a[0], b[0]), nw.max(a[1], b[1])),
        (-1, nw.min_value("float32")),
        name="argmax",
    )
    j = nw.reduce_axis(9, "j")
    best = nw.compute((7,), lambda i: argmax((j, x[i, j]), axis=j), name="best")
    assert len(best) == 2
    g = nw.build(nw.create_schedule(best), [x, *best])
    index, value = g(data)
    np.testing.assert_array_equal(index, data.argmax(axis=1))
    np.testing.assert_array_equal(value, data.max(axis=1))


def test_scan():
    x = nw.placeholder((12, 5), name="X")
    state = nw.placeholder((12, 5), name="state")
    init = nw.compute((1, 5), lambda _, i: x[0, i], name="init")
    update = nw.compute((12, 5), lambda t, i: state[t - 1, i] + x[t, i], name="update")
    total = nw.scan(init, update, state, [x], name="total")
    f = nw.build(nw.create_schedule(total), [x, total])
    data = np.arange(60, dtype=np.float32).reshape(12, 5)
    np.testing.assert_array_equal(f(data), data.cumsum(axis=0))


def test_symbolic_shapes():
    n = nw.var("n")
    x = nw.placeholder((n,), name="X")
    y = nw.compute((n,), lambda i: x[i] * 2.0, name="Y")
    f = nw.build(nw.create_schedule(y), [x, y])
    for size in (1, 17, 1000):
        np.testing.assert_array_equal(f(np.ones(size, np.float32)), np.full(size, 2, np.float32))


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16", "int8", "int64", "uint16"])
def test_element_types(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    numpy_type = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    x = nw.placeholder((16,), numpy_type, name="X")
    y = nw.compute((16,), lambda i: x[i] + nw.const(1, dtype), name="Y")
    f = nw.build(nw.create_schedule(y), [x, y])
    data = np.arange(16).astype(numpy_type)
    result = f(data)
    assert result.dtype == numpy_type
    np.testing.assert_array_equal(result, data + numpy_type.type(1))


def test_refusals_are_sentences():
    a, b, c = product()
    s = nw.create_schedule(c)
    with pytest.raises(nw.ScheduleError, match="vectorize of"):
        s[c].vectorize(s[c].reduce_axes[0]).vectorize(s[c].reduce_axes[0])
    with pytest.raises(nw.UsageError, match="either a factor or nparts"):
        s[c].split(s[c].axes[0])
    with pytest.raises(nw.UsageError):
        nw.placeholder((0, 4), name="Z")
    with pytest.raises(ValueError):
        nw.placeholder((4,), "float31", name="Z")
    with pytest.raises(nw.Error):
        a[1]
    with pytest.raises(TypeError, match="no truth value"):
        bool(a[0, 0] > 1)
    with pytest.raises(TypeError, match="expected an expression"):
        a["i", 0]


def test_axes_are_keys_and_tensors_are_no_sequences():
    a, b, c = product(8, 8, 8)
    s = nw.create_schedule(c)
    loops = s[c].loops
    assert loops.index(s[c].axes[1]) == 1 and s[c].reduce_axes[0] in loops
    assert {loops[0]: "rows"}[s[c].axes[0]] == "rows"
    with pytest.raises(TypeError, match="no sequence"):
        list(a)
    assert (a == None) is False  # noqa: E711
    with pytest.raises(TypeError, match="an integer"):
        s[c].split(loops[0], factor=2.5)
    with pytest.raises(TypeError, match="64 bits"):
        nw.placeholder((2**70,), name="Z")
    x = a[0, 0] * np.float32(2) + np.int64(1)
    assert x.dtype == "float32"
    assert str(nw.floordiv(nw.const(7.0), 2.0)) == str(nw.floor(nw.const(7.0) / 2.0))


def test_an_error_of_the_body_is_the_users():
    with pytest.raises(ZeroDivisionError):
        nw.compute((4,), lambda i: i * (1 // 0), name="Y")
