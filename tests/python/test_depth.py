"""Expressions that nest deeply are refused before the library recurses into them."""

import subprocess
import sys

import numpy as np
import pytest

import nestwright as nw

LOOP = """
import nestwright as nw
x, indices = nw.placeholder((4,), name="X"), nw.placeholder((4,), "int64", name="I")
start, step = {start}, {step}
e, count = start, 0
try:
    for count in range(10**6):
        e = step(e)
except nw.UsageError as error:
    assert "inside each other" in str(error) and count <= 1000, (count, error)
    print(str(e)[:1], flush=True)
else:
    raise SystemExit("it was not refused")
"""


@pytest.mark.parametrize(
    ("start", "step"),
    [
        ("x[0]", "lambda e: e + 1.5"),
        ("x[0]", "lambda e: 1.5 - e"),
        ("x[0]", "nw.exp"),
        ("x[0]", "lambda e: nw.select(e > 0, x[1], -e)"),
        ("x[0]", "lambda e: nw.fma(x[1], x[2], nw.max(e, 0.5))"),
        ("indices[0]", "lambda e: indices[e]"),
        ("x[0]", "lambda e: e.astype('float64').astype('float32')"),
        ("x[0]", "lambda e: nw.call_extern('float32', 'sinf', e)"),
        ("x[0] > 0", "lambda e: ~e & (e | (x[1] > 2))"),
    ],
)
def test_a_loop_of_a_million_operations_is_refused(start, step):
    code = LOOP.format(start=start, step=step)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_what_is_nearly_as_deep_works():
    x = nw.placeholder((4,), name="X")

    def body(i):
        e = x[i]
        for _ in range(990):
            e = e + 1.0
        return e

    y = nw.compute((4,), body, name="Y")
    f = nw.build(nw.create_schedule(y), [x, y])
    np.testing.assert_array_equal(f(np.zeros(4, np.float32)), np.full(4, 990, np.float32))


def test_wide_and_shared_expressions_are_not_deep():
    x = nw.placeholder((4,), name="X")
    parts = [x[i % 4] * 2.0 for i in range(20000)]
    while len(parts) > 1:
        parts = [a + b for a, b in zip(parts[::2], parts[1::2])] + parts[len(parts) & ~1 :]
    assert parts[0].dtype == "float32"
    shared = x[0]
    for _ in range(200):
        shared = shared + shared
    assert repr(shared) == "<nestwright.Expr of more than 65536 operations>"
    with pytest.raises(nw.UsageError, match="written out"):
        nw.compute((4,), lambda i: shared, name="Y")
