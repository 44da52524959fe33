"""Imports nestwright and packages that contain the same libraries in several orders, each order in a process of its own,
and uses all of them."""

import itertools
import subprocess
import sys

from onnx_writer import model, node, port

NEGATION = model([node("Neg", ["x"], ["y"])], [port("x", (4,))], [port("y", (4,))], {})

USES = {
    "numpy": "import numpy; assert (numpy.ones((64, 64)) @ numpy.ones((64, 64)))[0, 0] == 64",
    "xgboost": "import numpy, xgboost; xgboost.train({'nthread': 2}, xgboost.DMatrix(numpy.eye(20), label=numpy.arange(20)), 3)",
    "pyarrow": "import pyarrow, pyarrow.compute; assert pyarrow.compute.sum(pyarrow.array([1, 2, 3])).as_py() == 6",
    "onnx": (
        "import onnx.helper as h, onnx; x = [h.make_tensor_value_info(n, 1, [4]) for n in 'XY'];"
        "g = h.make_graph([h.make_node('Neg', ['X'], ['Y'])], 'g', x[:1], x[1:]);"
        "m = h.make_model(g, opset_imports=[h.make_opsetid('', 17)], ir_version=8); onnx.checker.check_model(m)"
    ),
    "onnxruntime": (
        "import numpy, onnx.helper as h, onnxruntime; x = [h.make_tensor_value_info(n, 1, [4]) for n in 'XY'];"
        "g = h.make_graph([h.make_node('Neg', ['X'], ['Y'])], 'g', x[:1], x[1:]);"
        "m = h.make_model(g, opset_imports=[h.make_opsetid('', 17)], ir_version=8);"
        "s = onnxruntime.InferenceSession(m.SerializeToString(), providers=['CPUExecutionProvider']);"
        "assert s.run(None, {'X': numpy.ones(4, 'float32')})[0][0] == -1"
    ),
    "nestwright": (
        "import numpy, tempfile, nestwright as nw; d = tempfile.mkdtemp() + '/nw.db'; w = 'matmul m=32 n=32 k=32';"
        "nw.tune(w, trials=18, database=d, finalists=0);"  # enough for the cost model to be trained
        "f = nw.load(w, database=d); a = numpy.ones((32, 32), 'float32'); assert f(a, a)[0, 0] == 32;"
        f"p = tempfile.mkdtemp() + '/m.onnx'; open(p, 'wb').write({NEGATION!r});"
        "assert nw.import_onnx(p)(numpy.ones(4, 'float32'))[0] == -1"
    ),
}


def main() -> None:
    others = [name for name in USES if name != "nestwright"]
    orders = [("nestwright", *others), (*others, "nestwright"), ("nestwright", *reversed(others)), (*reversed(others), "nestwright")]
    orders += [pair for other in others for pair in itertools.permutations(("nestwright", other))]
    for order in orders:
        code = "\n".join([f"import {name}" for name in order] + [USES[name] for name in order])
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            sys.exit(f"imported as {', '.join(order)}: exit code {done.returncode}\n{done.stderr}")
    print(f"{len(orders)} orders of {len(USES)} packages")


main()
