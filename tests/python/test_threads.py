"""Several threads that tune at once."""

import threading

import pytest

import nestwright as nw

ONE = "cpu,threads=1"


def failing_template(name, error, both_run):
    """A template that raises `error` from its second run on, when another one does, too."""
    runs = []

    @nw.template(name, n=int)
    def defined(t, n):
        runs.append(n)
        if len(runs) > 1:
            if len(runs) == 2:
                both_run.wait(timeout=60)
            raise error
        x = nw.placeholder((n,), name="X")
        y = nw.compute((n,), lambda i: x[i] + 1.0, name="Y")
        return nw.create_schedule(y), [x, y]

    return defined


@pytest.mark.parametrize("turn", range(5))
def test_each_run_raises_what_its_own_template_raised(tmp_path, turn):
    both_run = threading.Barrier(2)
    errors = {f"fails_{turn}_{i}": error for i, error in enumerate([KeyError("of the first"), OSError("of the second")])}
    workloads = [failing_template(name, error, both_run)(n=8) for name, error in errors.items()]
    raised = {}

    def tune(workload):
        try:
            nw.tune(workload, trials=2, finalists=0, database=tmp_path / f"{workload.operator}.db", target=ONE)
        except Exception as error:
            raised[workload.operator] = error

    threads = [threading.Thread(target=tune, args=[workload]) for workload in workloads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert raised == errors
