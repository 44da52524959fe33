"""Instructions of the user's for tensorize."""

import numpy as np
import pytest

import nestwright as nw

LANES, BYTES = 16, 4


def pattern():
    a, b = nw.placeholder((BYTES,), "uint8", name="a"), nw.placeholder((LANES, BYTES), "int8", name="b")
    k = nw.reduce_axis(BYTES, "k")
    dot = nw.compute((LANES,), lambda i: nw.sum(a[k].astype("int32") * b[i, k].astype("int32"), k), name="dot")
    return a, b, dot


def dot_products(ins, outs):
    a, b = ins
    (c,) = outs
    left = nw.join_bytes(a[0], a[1], a[2], a[3])

    def lane(i):
        return c.store(i, nw.dot_u8s8(c[i], left, nw.join_bytes(b[i, 0], b[i, 1], b[i, 2], b[i, 3])))

    return nw.for_range(0, LANES, lane, name="lane", kind="vectorized")


def clear(outs):
    return nw.for_range(0, LANES, lambda i: outs[0].store(i, 0), kind="vectorized")


def declare(fcompute=dot_products, init=clear, **options):
    a, b, dot = pattern()
    return nw.decl_tensor_intrin(dot, fcompute, name="my_dot", inputs=[a, b], init=init, **options)


def byte_product(m=8, n=32, k=3):
    a, b = nw.placeholder((m, BYTES * k), "uint8", name="A"), nw.placeholder((k, n, BYTES), "int8", name="B")
    ko, ki = nw.reduce_axis(k, "ko"), nw.reduce_axis(BYTES, "ki")
    c = nw.compute(
        (m, n),
        lambda i, j: nw.sum(a[i, ko * BYTES + ki].astype("int32") * b[ko, j, ki].astype("int32"), [ko, ki]),
        name="C",
    )
    s = nw.create_schedule(c)
    jo, ji = s[c].split(s[c].axes[1], factor=LANES)
    s[c].reorder(s[c].axes[0], jo, ko, ji, ki)
    return s, [a, b, c], ji


def check(f, m=8, n=32, k=3):
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 256, (m, BYTES * k), np.uint8), rng.integers(-128, 128, (k, n, BYTES), np.int8)
    expected = x.astype(np.int32) @ y.astype(np.int32).transpose(0, 2, 1).reshape(k * BYTES, n)
    np.testing.assert_array_equal(f(x, y), expected)


@pytest.mark.parametrize("init", [clear, None])
def test_an_intrinsic_takes_the_place_of_loops(init):
    s, args, ji = byte_product()
    s[args[-1]].tensorize(ji, declare(init=init))
    assert "dot_u8s8(" in str(nw.lower(s, args))
    check(nw.build(s, args))
    assert "tensorize" in s.trace and "my_dot" in s.trace
    again, args, _ = byte_product()
    again = nw.create_schedule(args[-1])
    with pytest.raises(nw.UsageError, match="my_dot"):
        again.replay(s.trace)
    again = nw.create_schedule(args[-1])
    again.replay(s.trace, intrinsics=[declare(init=init)])
    check(nw.build(again, args))


def test_plain_loops_do_as_well():
    def loops(ins, outs):
        a, b = ins
        (c,) = outs

        def with_sums(sums):
            return [
                nw.for_range(0, LANES, lambda i: sums.store(i, c[i])),
                nw.for_range(
                    0,
                    LANES,
                    lambda i: nw.for_range(
                        0,
                        BYTES,
                        lambda k: nw.if_then(
                            b[i, k] > 0,
                            sums.store(i, sums[i] + a[k].astype("int32") * b[i, k].astype("int32")),
                            [sums.store(i, sums[i] - a[k].astype("int32") * -b[i, k].astype("int32"))],
                        ),
                        kind="unrolled",
                    ),
                ),
                nw.for_range(0, LANES, lambda i: c.store([i], sums[i])),
            ]

        return nw.allocate((LANES,), "int32", with_sums, name="sums")

    s, args, ji = byte_product()
    s[args[-1]].tensorize(ji, declare(loops))
    check(nw.build(s, args))


def test_scalars_of_a_pattern():
    x, alpha = nw.placeholder((8,), name="x"), nw.var("alpha", "float32")
    scaled = nw.compute((8,), lambda i: alpha * x[i], name="scaled")
    axpy = nw.decl_tensor_intrin(
        scaled.op,
        lambda ins, outs: nw.for_range(0, 8, lambda i: outs[0].store(i, ins[0][i] * alpha), kind="vectorized"),
        name="scale8",
        inputs=[x],
        scalar_params=[alpha],
    )
    rows, weights = nw.placeholder((4, 24), name="X"), nw.placeholder((4,), name="w")
    y = nw.compute((4, 24), lambda i, j: (weights[i] + 2.0) * rows[i, j], name="Y")
    s = nw.create_schedule(y)
    _, inner = s[y].split(s[y].axes[1], factor=8)
    s[y].tensorize(inner, axpy)
    f = nw.build(s, [rows, weights, y])
    data, w = np.arange(96, dtype=np.float32).reshape(4, 24), np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(f(data, w), (w + 2)[:, None] * data)


def doubled(e, times):
    for _ in range(times):
        e = e + e
    return e


def statements_doubled(statement, condition):
    for _ in range(50):
        statement = nw.if_then(condition, statement, statement)
    return statement


@pytest.mark.parametrize(
    ("fcompute", "error", "sentence"),
    [
        (lambda ins, outs: None, TypeError, "expected a statement"),
        (lambda ins, outs: [], nw.UsageError, "empty"),
        (lambda ins, outs: outs[0].store(0, 1 / 0), ZeroDivisionError, "division"),
        (lambda ins, outs: outs[0].store(0, nw.const(1.5)), nw.UsageError, "expected int32, got float32"),
        (lambda ins, outs: outs[0].store([0, 0, 0], 1), nw.UsageError, "3 offsets"),
        (lambda ins, outs: outs[0].store(99, 1), nw.LowerError, "my_dot"),
        (lambda ins, outs: nw.for_range(0, 4, lambda i: outs[0].store(i, 1), kind="sideways"), nw.UsageError, "sideways"),
        (lambda ins, outs: nw.for_range(0, 4.5, lambda i: outs[0].store(i, 1)), nw.UsageError, "int64"),
        (lambda ins, outs: nw.if_then(1, outs[0].store(0, 1)), nw.UsageError, "comparison"),
        (lambda ins, outs: nw.allocate((0,), "int32", lambda a: a.store(0, 1)), nw.UsageError, "from 1"),
        (lambda ins, outs: outs[0].store(0, doubled(outs[0][0], 100)), nw.UsageError, "written out, more than 65536"),
        (lambda ins, outs: statements_doubled(outs[0].store(0, 1), outs[0][0] > 0), nw.UsageError, "more than 65536 statements"),
        (lambda ins, outs: nw.join_bytes(ins[0][0]), nw.UsageError, "four bytes"),
    ],
)
def test_what_is_no_intrinsic_is_refused(fcompute, error, sentence):
    s, args, ji = byte_product()
    s[args[-1]].tensorize(ji, declare(fcompute))
    with pytest.raises(error, match=sentence):
        nw.build(s, args)


def test_declarations_are_checked():
    a, b, dot = pattern()
    with pytest.raises(nw.UsageError, match="is not a placeholder"):
        nw.decl_tensor_intrin(dot, dot_products, inputs=[a, dot])
    with pytest.raises(nw.UsageError, match="makes its pattern"):
        nw.decl_tensor_intrin(a, dot_products, inputs=[a, b])
    with pytest.raises(TypeError, match="placeholders"):
        nw.decl_tensor_intrin(dot, dot_products, inputs=[1])
    s, args, ji = byte_product()
    with pytest.raises(nw.ScheduleError, match="does not compute what my_dot does"):
        s[args[-1]].tensorize(s[args[-1]].axes[0], declare())
    with pytest.raises(TypeError, match="decl_tensor_intrin"):
        s[args[-1]].tensorize(ji, dot_products)
    with pytest.raises(nw.UsageError, match="dot_u8s8_16x4"):
        s[args[-1]].tensorize(ji, "dot_u8")
    s[args[-1]].tensorize(ji, "dot_u8s8_16x4")
    check(nw.build(s, args))


def test_nested_statements_are_bounded():
    statement, nested = None, []
    for _ in range(2):
        s, args, ji = byte_product()

        def deep(ins, outs):
            nonlocal statement, nested
            statement = outs[0].store(0, 1)
            with pytest.raises(nw.UsageError, match="inside each other"):
                for _ in range(10**6):
                    statement = nw.if_then(outs[0][0] > 0, statement)
            nested = outs[0].store(0, 1)
            for _ in range(10**5):
                nested = [nested]
            return nested

        s[args[-1]].tensorize(ji, declare(deep))
        with pytest.raises(nw.UsageError, match="inside each other"):
            nw.lower(s, args)


def template_with(name, fcompute):
    @nw.template(name, m=int)
    def defined(t, m):
        s, args, ji = byte_product(m=m)
        s[args[-1]].tensorize(ji, declare(fcompute))
        if t.choice("parallel", ["no", "yes"]) == "yes":
            s[args[-1]].parallel(s[args[-1]].axes[0])
        return s, args

    return defined


def test_templates_may_use_intrinsics(database):
    workload = template_with("byte_product", dot_products)(m=8)
    result = nw.tune(workload, trials=2, finalists=0, database=database, target="cpu,threads=1")
    assert result.outcomes == {"ok": 2}
    check(nw.load(workload, database=database, target="cpu,threads=1"))


def test_an_exception_of_an_intrinsic_costs_its_trial(database):
    def fail(ins, outs):
        raise KeyError("of the intrinsic")

    workload = template_with("failing_product", fail)(m=8)
    result = nw.tune(workload, trials=2, finalists=0, database=database, target="cpu,threads=1")
    assert result.best is None and "my_dot: KeyError: 'of the intrinsic'" in result.first_failure
    with pytest.raises(KeyError, match="of the intrinsic"):
        nw.load(workload, target="cpu,threads=1")
