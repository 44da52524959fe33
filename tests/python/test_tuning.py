"""Tuning, studies, templates in Python and the database, on few trials."""

import pickle
import signal
import threading
import time

import numpy as np
import pytest

import nestwright as nw

SMALL = "matmul m=32 n=32 k=32"
ONE = "cpu,threads=1"


def test_tuning_records_and_finds(database):
    seen = []
    result = nw.tune(SMALL, trials=4, finalists=0, database=database, target=ONE, callbacks=[seen.append])
    assert result.trial_count == 4 and result.outcomes.get("ok", 0) >= 1 and not result.interrupted
    assert result.best is not None and result.best.seconds > 0
    low, high = result.best.interval
    assert low <= result.best.seconds <= high
    assert result.best.config and str(result.best.config) == str(nw.Config(dict(result.best.config)))
    assert seen and isinstance(seen[-1], nw.Progress)
    assert str(result).startswith(f"{SMALL}: 4 trials in ") and f"{result.best.template} {result.best.config}" in str(result)
    assert len(result.trials()) == 4
    assert pickle.loads(pickle.dumps(result)) == result

    f = nw.load(SMALL, database=database, target=ONE)
    assert f.match == "exact" and f.config == dict(result.best.config)
    a = np.ones((32, 32), np.float32)
    np.testing.assert_array_equal(f(a, a), a @ a)
    assert nw.load("matmul m=48 n=32 k=32", database=database, target=ONE).match == "nearest"

    db = nw.Database(database)
    assert db.best(SMALL) == f.record or db.best(SMALL).config == f.record.config
    assert [record.workload for record in db] == [SMALL]
    trials = list(db.trials(SMALL))
    assert [trial.id for trial in trials] == sorted(trial.id for trial in trials) and len(trials) == 4
    assert db.best("matmul m=7 n=7 k=7") is None
    assert db.best(SMALL, target=ONE) is not None and db.best(SMALL, target="cpu,isa=x86-64") is None


def test_nothing_is_printed_unless_asked(database, capfd):
    nw.tune(SMALL, trials=2, finalists=0, database=database, target=ONE)
    out, err = capfd.readouterr()
    assert out == "" and err == ""
    nw.tune(SMALL, trials=2, finalists=0, database=database, target=ONE, progress=True)
    out, err = capfd.readouterr()
    assert "trials" in out and err == ""


def test_a_callback_may_stop_and_may_fail(database):
    result = nw.tune(SMALL, trials=1000, seconds=60, finalists=0, database=database, target=ONE, callbacks=[lambda p: p.trials > 2])
    assert result.interrupted and result.trial_count < 1000

    def fail(progress):
        raise ZeroDivisionError("of the callback")

    with pytest.raises(ZeroDivisionError, match="of the callback"):
        nw.tune(SMALL, trials=1000, seconds=60, database=database, target=ONE, callbacks=[fail])


def test_an_interrupt_returns_what_was_found(database):
    timers = []

    def interrupt_soon(progress):
        if progress.best_seconds is not None and not timers:
            timers.append(threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]))
            timers[0].start()

    start = time.monotonic()
    result = nw.tune(SMALL, seconds=60, database=database, target=ONE, callbacks=[interrupt_soon])
    assert time.monotonic() - start < 20
    assert result.interrupted and result.best is not None


def test_the_search_stays_within_restrictions(database):
    result = nw.tune(SMALL, trials=6, finalists=0, database=database, target=ONE, template="matmul.cpu",
                     restrictions="unroll_k <= 2", fixed={"pack_b": False})
    assert result.best.config["pack_b"] == "no" and result.best.config["unroll_k"] <= 2
    assert all(trial.config["pack_b"] == "no" for trial in nw.Database(database).trials())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"workload": "matmul m=32 n=32"}, "k"),
        ({"strategy": "guess"}, "guess"),
        ({"effort": "heroic"}, "heroic"),
        ({"target": "cpu,isa=mmx"}, "mmx"),
        ({"restrictions": "unroll_k <="}, "expected"),
        ({"fixed": {"no_such_knob": 1}}, "no_such_knob"),
        ({"template": "no.template"}, "no.template"),
        ({"caches": "tepid"}, "tepid"),
        ({"seconds": 0}, "above 0"),
        ({"batch_size": 1000}, "from 1 to 256"),
    ],
)
def test_bad_input_is_one_sentence(database, arguments, sentence):
    with pytest.raises(nw.UsageError, match=sentence) as raised:
        nw.tune(**{"workload": SMALL, "trials": 2, "database": database, "target": ONE, **arguments})
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("arguments", [{"seconds": "10"}, {"trials": 2.0}, {"trials": 2**70}, {"strategy": 3}, {"restrictions": [1]}])
def test_arguments_of_wrong_types_are_named(database, arguments):
    with pytest.raises(TypeError, match=f"^{next(iter(arguments))}: expected"):
        nw.tune(**{"workload": SMALL, "trials": 2, "database": database, "target": ONE, **arguments})


def test_a_database_that_cannot_be_opened(tmp_path):
    with pytest.raises(nw.LogError):
        nw.tune(SMALL, trials=1, database=tmp_path / "no" / "folder.db", target=ONE)
    (tmp_path / "text.db").write_text("this is no database, but a text that is long enough to be read as one" * 20)
    with pytest.raises(nw.LogError):
        nw.load(SMALL, database=tmp_path / "text.db", target=ONE)


@pytest.mark.parametrize(
    ("sentence", "in_python"),
    [
        ("give another file with --db", "give another file as database="),
        ("run again with --db /a/nw.db-rescued", 'run again with database="/a/nw.db-rescued"'),
        ("its best is avx2: tune with --target cpu,isa=avx2 or on", 'its best is avx2: tune with target="cpu,isa=avx2" or on'),
        ("within --fix a=4 --fix b=[4,2] --only \"a <= 2\": see nestwright space", 'within fixed="a=4 b=[4,2]" restrictions="a <= 2": see nw.space()'),
        ("with --only \"a\" --only \"b\" together: nestwright space --json lists", 'with restrictions=["a", "b"] together: nw.space() lists'),
        ("does not exist: run 'nestwright tune' first", "does not exist: run nw.tune() first"),
        ("nvcc --ptxas-options=-v", "nvcc --ptxas-options=-v"),
    ],
)
def test_sentences_say_what_to_write_in_python(sentence, in_python):
    from nestwright._sentences import in_python as rewritten

    assert rewritten(sentence) == in_python


def test_errors_name_arguments_of_python(tmp_path):
    with pytest.raises(nw.LogError, match="run nw.tune.. first, or give another file as database=$"):
        nw.load(SMALL, database=tmp_path / "no.db", target=ONE)
    with pytest.raises(nw.UsageError, match="within .*restrictions=.*nw.space"):
        nw.tune(SMALL, trials=1, database=tmp_path / "nw.db", target=ONE, template="matmul.cpu",
                restrictions=["unroll_k <= 2", "unroll_k >= 4"])
    with pytest.raises(nw.Error, match="file '.*missing.json' cannot be read: give a JSON file of workloads as file$"):
        nw.tune_file(tmp_path / "missing.json", database=tmp_path / "nw.db", target=ONE)


def test_studies():
    study = nw.study(SMALL, target=ONE, strategy="random", batch_size=4)
    seen = set()
    for _ in range(6):
        proposal = study.ask()
        assert str(proposal.config) not in seen
        seen.add(str(proposal.config))
        result = proposal.measure()
        assert result.outcome != "ok" or result.seconds > 0
        study.tell(proposal, result)
    study.tell(study.ask(), 1e-3)
    study.tell(study.ask(), None)
    with pytest.raises(nw.UsageError, match="above 0"):
        study.tell(study.ask(), -1.0)


def test_a_space_and_its_knobs():
    spaces = {space.template: space for space in nw.space(SMALL, target=ONE)}
    assert spaces["matmul.cpu"].points > 100
    assert 1 in spaces["matmul.cpu"].knobs["unroll_k"] and "no" in spaces["matmul.cpu"].knobs["pack_b"]


@nw.template("rows_product", m=int, n=int, k=32)
def rows_product(t, m, n, k):
    """A matrix product whose rows are blocked."""
    a = nw.placeholder((m, k), name="A")
    b = nw.placeholder((k, n), name="B")
    r = nw.reduce_axis(k, "k")
    c = nw.compute((m, n), lambda i, j: nw.sum(a[i, r] * b[r, j], r), name="C")
    s = nw.create_schedule(c)
    rows = t.number("rows", [1, 2, 4, 8, 64])
    width = t.split("width", n, parts=2, max_factor=64)
    order = t.choice("order", ["reduction_outside", "reduction_inside"])
    t.require(rows * width[-1] <= 128, "the tile does not fit into the registers")
    io, jo, ii, ji = s[c].tile(s[c].axes[0], s[c].axes[1], rows, width[-1])
    if order == "reduction_outside":
        s[c].reorder(io, jo, r, ii, ji)
        s[c].vectorize(ji)
    return s, [a, b, c]


def test_a_template_in_python(database):
    workload = rows_product(m=48, n=32)
    assert str(workload) == "rows_product m=48 n=32"
    result = nw.tune(workload, trials=6, finalists=0, database=database, target=ONE)
    assert result.best is not None and result.best.template == "rows_product.python"
    assert result.best.config["rows"] * result.best.config["width"][-1] <= 128
    f = nw.load(workload, database=database, target=ONE)
    a, b = np.random.default_rng(3).random((48, 32), np.float32), np.random.default_rng(4).random((32, 32), np.float32)
    np.testing.assert_allclose(f(a, b), a @ b, rtol=1e-5)
    assert f.match == "exact" and not f.hint


def test_an_exception_in_a_template_costs_its_trial(database):
    @nw.template("fails_for_some", n=int)
    def fails_for_some(t, n):
        x = nw.placeholder((n,), name="X")
        y = nw.compute((n,), lambda i: x[i] + 1.0, name="Y")
        s = nw.create_schedule(y)
        factor = t.number("factor", [4, 8, 16])
        if factor == 8:
            raise RuntimeError("eight is a bad number")
        s[y].split(s[y].axes[0], factor=factor)
        return s, [x, y]

    result = nw.tune("fails_for_some n=100", trials=3, finalists=0, database=database, target=ONE)
    failed = [trial for trial in nw.Database(database).trials() if trial.outcome != "ok"]
    assert result.best is not None and len(failed) == 1 and "eight is a bad number" in failed[0].message


def small_template(name, change):
    @nw.template(name, n=int)
    def defined(t, n):
        x = nw.placeholder((n,), name="X")
        y = nw.compute((n,), lambda i: x[i] + 1.0, name="Y")
        return change(t, nw.create_schedule(y), x, y)

    return defined


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t, s, x, y: (s, []), "no output"),
        (lambda t, s, x, y: (s, [x]), "no output"),
        (lambda t, s, x, y: (s, [y]), "lacks the input X"),
        (lambda t, s, x, y: (s, [y, x]), "comes after an output"),
        (lambda t, s, x, y: (s, [x, x, y]), "twice"),
        (lambda t, s, x, y: s, "returns its schedule"),
        (lambda t, s, x, y: (t.split("s", 8, parts=0), [x, y]), "1 to 8 parts"),
        (lambda t, s, x, y: (t.number("a", []), [x, y]), "no candidates"),
        (lambda t, s, x, y: (t.permutation("p", [[0, 5]]), [x, y]), "permutation of"),
        (lambda t, s, x, y: (s, [y] if t.choice("c", ["a", "b"]) == "aa" else [x, y]), "'aa': its options are a, b"),
        (lambda t, s, x, y: (s, [y] if t.annotation("c", ["a", "b"]) != "B" else [x, y]), "knob c: there is no option 'B'"),
        (lambda t, s, x, y: (s, [x, y][: int(8 % t.number("f", [0, 4]))]), "divides a knob by 0"),
    ],
)
def test_a_wrong_template_is_refused(change, sentence):
    small_template("wrong", change)
    with pytest.raises((nw.Error, TypeError), match=sentence):
        nw.Workload("wrong n=8")


def test_options_are_compared_with_their_names():
    seen = []

    def compare(t, s, x, y):
        choice = t.choice("c", ["a", "b"])
        seen.extend([bool(choice == "a"), bool(choice != "a"), choice in ("a", "b"), {"a": 1, "b": 2}[choice], choice == None])  # noqa: E711
        return s, [x, y]

    small_template("compares", compare)
    nw.Workload("compares n=8")
    assert seen == [True, False, True, 1, False]


def test_what_a_template_keeps_is_refused_afterwards():
    kept = []

    def keep(t, s, x, y):
        kept.extend([t, s, s[y]])
        return s, [x, y]

    small_template("keeps", keep)
    nw.Workload("keeps n=8")
    run, schedule, stage = kept[:3]
    with pytest.raises(nw.UsageError, match="while it runs"):
        run.number("late", [1])
    with pytest.raises(nw.UsageError, match="moved from"):
        stage.loops
    with pytest.raises(nw.UsageError, match="moved from"):
        str(schedule)


def test_a_changed_template_makes_its_records_hints(database):
    for value in (1.0, 5.0):

        @nw.template("changes", n=int)
        def changes(t, n):
            x = nw.placeholder((n,), name="X")
            y = nw.compute((n,), lambda i: x[i] + value, name="Y")
            return nw.create_schedule(y), [x, y]

        if value == 1.0:
            nw.tune("changes n=64", trials=1, finalists=0, database=database, target=ONE)
            assert not nw.load("changes n=64", database=database, target=ONE).hint
    assert "changes" in nw.load("changes n=64", database=database, target=ONE).hint


def test_an_exception_in_the_first_run_is_the_users(database):
    @nw.template("always_fails", n=int)
    def always_fails(t, n):
        raise KeyError("of the template")

    with pytest.raises(KeyError, match="of the template"):
        nw.tune("always_fails n=100", trials=3, database=database, target=ONE)


def test_autotune(database):
    @nw.autotune(trials=3, finalists=0, database=database, target=ONE)
    def mm(A: nw.Tensor["i,k"], B: nw.Tensor["k,j"]):
        return "C[i,j] = sum(k, A[i,k] * B[k,j])"

    a, b = np.random.default_rng(5).random((20, 30), np.float32), np.random.default_rng(6).random((30, 10), np.float32)
    np.testing.assert_allclose(mm(a, b), a @ b, rtol=1e-5)
    trials = len(list(nw.Database(database).trials()))
    out = np.empty((20, 10), np.float32)
    mm(a, b, out=out)
    np.testing.assert_allclose(out, a @ b, rtol=1e-5)
    assert len(list(nw.Database(database).trials())) == trials, "it was tuned again"
    with pytest.raises(nw.UsageError, match="extent"):
        mm(a, a)
    with pytest.raises(nw.UsageError, match="expected 2 arrays"):
        mm(a)


def test_autotune_looks_up_what_it_tuned(database):
    @nw.autotune(trials=2, finalists=0, database=database, target=ONE, caches="cold")
    def double(X: nw.Tensor["i"]):
        return "Y[i] = X[i] * 2.0"

    x = np.ones(40, np.float32)
    np.testing.assert_array_equal(double(X=x), 2 * x)
    assert double.kernel(x).match == "exact"
    with pytest.raises(TypeError, match="unknown"):
        nw.autotune(unknown=1)(double.__wrapped__)
    with pytest.raises(nw.UsageError, match="expected an array"):
        double([1.0])


@pytest.mark.slow
def test_what_the_command_line_answers():
    assert nw.doctor()["version"] == nw.__version__


@pytest.mark.slow
def test_measure_beside_each_other():
    study = nw.study(SMALL, target=ONE)
    configs = [study.ask().config for _ in range(2)]
    first, second = nw.measure(SMALL, configs, target=ONE)
    assert first.outcome == second.outcome == "ok" and first.verified
    with pytest.raises(nw.UsageError, match="no template has the configuration"):
        nw.measure(SMALL, {"unroll_k": 5}, target=ONE)


def written(folder, text):
    (folder / "tasks.json").write_text(text)
    return folder / "tasks.json"


def test_a_file_of_workloads(tmp_path, database):
    rows_product(m=1, n=1)  # an operator of Python's
    file = written(tmp_path, f"""["{SMALL}", {{"workload": "rows_product m=16 n=16", "label": "mine", "weight": 2}},
                                  {{"workload": "matmul k=32 m=32 n=32", "label": "the same"}}]""")
    seen = []
    tasks = nw.tune_file(file, trials=24, batch_size=4, finalists=0, database=database, target=ONE, callbacks=seen.append)
    assert [(task.label, task.weight, task.result.workload) for task in tasks] == [
        (SMALL, 2, SMALL), ("mine", 2, "rows_product m=16 n=16")
    ]
    assert all(task.started and not task.failure and task.best.seconds > 0 for task in tasks)
    assert tasks.notes == (f"{file}, entry 3 (the same) is the workload of entry 1: it is tuned once, with the weight of both",)
    assert {progress.label for progress in seen} <= {SMALL, "mine"}
    assert pickle.loads(pickle.dumps(tasks)) == tasks


@pytest.mark.slow
def test_a_file_of_workloads_with_all_options(tmp_path, database):
    file = written(tmp_path, f'["{SMALL}", "softmax rows=8 columns=32"]')
    tasks = nw.tune_file(file, trials=2, database=database, target=ONE, finalists=0, strategy="random", cost_model="random", seed=3,
                         batch_size=2, early_stop=2, until_gain=0.5, caches="cold", effort="quick", builders=1, progress=False)
    assert len(tasks) == 2 and tasks.target.startswith("cpu") and tasks.database == database


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ('["matmul m=16 n=16 k=16"]', {"strategy": "guess"}, "guess"),
        ('["matmul m=16 n=16 k=16"]', {"caches": "tepid"}, "tepid"),
        ('["matmul m=16 n=16"]', {}, "tasks.json, entry 1 .matmul m=16 n=16.: .*k"),
        ('[{"workload": "matmul m=16 n=16 k=16", "weight": 0}]', {}, "entry 1 .*above 0"),
        ('[{"workload": "matmul m=16 n=16 k=16", "weight": NaN}]', {}, "entry 1 .*above 0"),
        ('[{"label": "a"}]', {}, "entry 1 .a.: .workload. is missing"),
        ('[{"workload": "matmul m=16 n=16 k=16", "times": 3}]', {}, '"times" is unknown here; there are label, workload, weight'),
        ("[3]", {}, "entry 1: an entry is a workload in quotes"),
        ("[]", {}, "at least one"),
        ('{"entries": ["a"], "comment": ""}', {}, '"comment" is unknown'),
        ("[\n  nothing]", {}, "no JSON at line 2, column 3"),
        ("[" * 100_000, {}, "JSON|inside each other"),
    ],
)
def test_files_of_workloads_that_are_refused(tmp_path, database, text, options, sentence):
    with pytest.raises(nw.UsageError, match=sentence) as raised:
        nw.tune_file(written(tmp_path, text), trials=2, database=database, target=ONE, **options)
    assert "--" not in str(raised.value) and "\n" not in str(raised.value)


def test_options_of_a_file_of_workloads(tmp_path, database):
    file = written(tmp_path, f'["{SMALL}"]')
    with pytest.raises(TypeError, match="trials: expected an integer"):
        nw.tune_file(file, trials="2", database=database)
    with pytest.raises(TypeError, match="fixed: there is no such option"):
        nw.tune_file(file, fixed={}, database=database)
    with pytest.raises(nw.LogError, match="is a folder"):
        nw.tune_file(file, trials=2, database=tmp_path)


def test_a_template_that_fails_costs_its_task(tmp_path, database):
    runs = []

    @nw.template("fails_later", n=int)
    def fails_later(t, n):
        runs.append(n)
        if len(runs) > 2:
            raise RuntimeError("not again")
        x = nw.placeholder((n,), name="X")
        y = nw.compute((n,), lambda i: x[i] + 1.0, name="Y")
        s = nw.create_schedule(y)
        s[y].split(s[y].axes[0], factor=t.number("factor", [4, 8]))
        return s, [x, y]

    failed, other = nw.tune_file(written(tmp_path, f'["fails_later n=64", "{SMALL}"]'), trials=4, finalists=0, database=database, target=ONE)
    assert failed.best is None and (failed.failure or "not again" in failed.result.first_failure)
    assert other.best is not None
