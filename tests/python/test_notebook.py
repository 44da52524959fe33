"""A notebook, executed in a kernel of its own, where a person interrupts cells."""

import asyncio

import pytest

IMPORTS = """
import numpy as np, nestwright as nw
W, ONE, db = "matmul m=64 n=64 k=64", "cpu,threads=1", "nw.db"
a = np.ones((64, 64), np.float32)
"""
TUNE = """
r = nw.tune(W, seconds=3, database=db, target=ONE, progress=True)
r
"""
INTERRUPTED = """
r = nw.tune("matmul m=128 n=128 k=128", seconds=100, database=db, target=ONE, progress=True)
print("interrupted", r.interrupted, r.best is not None)
r.trials().shape[0] == r.trial_count
"""
CALL = """
f = nw.load(W, database=db, target=ONE)
print(f.match, (f(a, a) == 64).all())
"""
AUTOTUNE = """
@nw.autotune(trials=3, finalists=0, database=db, target=ONE)
def mm(A: nw.Tensor["i,k"], B: nw.Tensor["k,j"]):
    return "C[i,j] = sum(k, A[i,k] * B[k,j])"
print(np.allclose(mm(a, a), 64))
"""
AUTOTUNE_INTERRUPTED = """
@nw.autotune(seconds=100, database=db, target=ONE, progress=True)
def twice(A: nw.Tensor["i,k"], B: nw.Tensor["k,j"]):
    return "C[i,j] = sum(k, A[i,k] * (B[k,j] + B[k,j]))"
twice(a, a)
"""
AUTOTUNE_AGAIN = "print(np.allclose(twice(a, a), 128))"
STUDY_INTERRUPTED = """
study, told = nw.study(W, target=ONE), 0
for proposal in study:
    study.tell(proposal, proposal.measure())
    told += 1
"""
STUDY_AGAIN = """
proposal = study.ask()
study.tell(proposal, proposal.measure())
print(told > 0)
"""
TEMPLATE = """
@nw.template("of_a_cell", n=int)
def of_a_cell(t, n):
    x = nw.placeholder((n,), name="X")
    y = nw.compute((n,), lambda i: x[i] + 1.0, name="Y")
    s = nw.create_schedule(y)
    s[y].split(s[y].axes[0], factor=t.number("factor", [4, 8, 16]))
    print("seen")
    return s, [x, y]
nw.tune(of_a_cell(n=64), trials=2, finalists=0, database=db, target=ONE).best.config
"""
MISTAKE = "nw.tune('matmul m=8', database=db)"
CELLS = [IMPORTS, TUNE, INTERRUPTED, CALL, AUTOTUNE, AUTOTUNE_INTERRUPTED, AUTOTUNE_AGAIN, STUDY_INTERRUPTED, STUDY_AGAIN, TEMPLATE, MISTAKE]
SECONDS_UNTIL_INTERRUPTION = 3


def execute(folder):
    """The outputs of the cells: a text of what was printed, results and errors, for each."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("pandas")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in CELLS])
    client = nbclient.NotebookClient(notebook, timeout=200, allow_errors=True, resources={"metadata": {"path": str(folder)}})

    async def interrupt_later():
        await asyncio.sleep(SECONDS_UNTIL_INTERRUPTION)
        await client.km.interrupt_kernel()

    def begin(cell, cell_index):
        if CELLS[cell_index] in (INTERRUPTED, AUTOTUNE_INTERRUPTED, STUDY_INTERRUPTED):
            client.interruption = asyncio.ensure_future(interrupt_later())

    client.on_cell_start = begin
    asyncio.run(client.async_execute())
    texts = {}
    for source, cell in zip(CELLS, notebook.cells):
        texts[source] = ""
        for output in cell.outputs:
            kind = output["output_type"]
            if kind == "stream":
                assert output["name"] == "stdout", output
                texts[source] += output["text"]
            else:
                texts[source] += f"{output['ename']}: {output['evalue']}" if kind == "error" else output["data"]["text/plain"]
    return texts


@pytest.mark.slow
def test_a_notebook(tmp_path):
    outputs = execute(tmp_path)
    assert outputs[IMPORTS] == ""
    progress, result = outputs[TUNE].split("\n", 1)
    assert progress.startswith("\r") and progress.count("\r") <= 12 and " left" in progress
    assert result.startswith("matmul m=64 n=64 k=64: ") and "\nbest " in result
    assert outputs[INTERRUPTED].endswith("interrupted True True\nTrue")
    assert outputs[CALL] == "exact True\n"
    assert outputs[AUTOTUNE] == "True\n"
    assert outputs[AUTOTUNE_INTERRUPTED].endswith("KeyboardInterrupt: twice: interrupted; the next call takes what was found")
    assert outputs[AUTOTUNE_AGAIN] == "True\n"
    assert outputs[STUDY_INTERRUPTED].startswith("KeyboardInterrupt")
    assert outputs[STUDY_AGAIN] == "True\n"
    assert "seen\nseen\n" in outputs[TEMPLATE] and "Config({'factor': " in outputs[TEMPLATE]
    assert outputs[MISTAKE].startswith("UsageError: parameter 'n' of matmul is missing")
