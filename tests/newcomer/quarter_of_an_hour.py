"""A newcomer's first quarter of an hour, in a folder of its own: tunes, looks, and calls an expression, a template and a
model of its own from numpy. Exits with an error where something is not as documented."""
import numpy as np
import onnx.parser

import nestwright as nw

WORKLOAD = "matmul m=128 n=128 k=128"
a, b = np.random.default_rng(0).random((2, 128, 128), np.float32)

result = nw.tune(WORKLOAD, seconds=5, database="nw.db", progress=True)
print(result.best.seconds, result.best.interval, result.best.config, result.outcomes)
matmul = nw.load(WORKLOAD, database="nw.db")
assert matmul.match == "exact"
np.testing.assert_allclose(matmul(a, b), a @ b, rtol=1e-4)

@nw.autotune(seconds=5, database="nw.db")
def squared_distances(X: nw.Tensor["i,d"], Y: nw.Tensor["j,d"]):
    return "D[i,j] = sum(d, (X[i,d] - Y[j,d]) * (X[i,d] - Y[j,d]))"

np.testing.assert_allclose(squared_distances(a, b), ((a[:, None] - b[None]) ** 2).sum(-1), rtol=1e-4)

@nw.template("scaled", n=int)
def scaled(t, n):
    x = nw.placeholder((n,), name="X")
    y = nw.compute((n,), lambda i: x[i] * 3.0, name="Y")
    s = nw.create_schedule(y)
    s[y].vectorize(s[y].split(s[y].axes[0], factor=t.number("width", [8, 16, 64, 256]))[1])
    return s, [x, y]

nw.tune(scaled(n=16384), trials=4, database="nw.db")
np.testing.assert_array_equal(nw.load(scaled(n=16384), database="nw.db")(a.ravel()), a.ravel() * 3)
print(matmul.export("out", name="matmul_128").files)

MODEL = '<ir_version: 8, opset_import: ["": 17]> net (float[n,128] x) => (float[n,128] y) { h = MatMul(x, x) y = Relu(h) }'
onnx.save(onnx.parser.parse_model(MODEL), "net.onnx")
net = nw.import_onnx("net.onnx", dims={"n": 128})
nw.tune(net, seconds=5, database="nw.db")
np.testing.assert_allclose(net(a), np.maximum(a @ a, 0), rtol=1e-4)
print(net.export("net", name="net_128").files)
