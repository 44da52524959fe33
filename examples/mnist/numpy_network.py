#!/usr/bin/python3
"""The same network in numpy, to compare with: numpy_network.py [EPOCHS] [THREADS] [BATCH]."""
import gzip
import os
import sys
import time

epochs, threads, batch = (int(given) for given in sys.argv[1:] + ["10", "2", "1000"][len(sys.argv) - 1 :])
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(threads)
import numpy as np  # after the number of threads is set

FOLDER = "/usr/share/datasets/fashion-mnist"
RATE, MOMENTUM = 0.1, np.float32(0.9)


def read(name, header):
    with gzip.open(f"{FOLDER}/{name}-ubyte.gz") as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)


def images(part):
    return read(f"{part}-images-idx3", 16).reshape(-1, 784).astype(np.float32) / np.float32(255)


def forward(x):
    values = [x]
    for layer, (w, b) in enumerate(zip(weights, biases)):
        z = values[-1] @ w
        z += b
        values.append(np.maximum(z, 0, out=z) if layer < 2 else z)
    return values


def losses_and_softmax(z, labels):
    z -= z.max(axis=1, keepdims=True)
    e = np.exp(z)
    total = e.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = np.log(total[:, 0]) - z[rows, labels]
    e /= total
    return loss, e


def step(x, labels):
    values = forward(x)
    loss, d = losses_and_softmax(values[-1], labels)
    d[np.arange(len(labels)), labels] -= 1
    d *= np.float32(1 / len(labels))
    for layer in (2, 1, 0):
        gradients = values[layer].T @ d, d.sum(axis=0)
        if layer > 0:
            d = d @ weights[layer].T
            d *= values[layer] > 0
        for p, v, g in zip((weights[layer], biases[layer]), velocities[layer], gradients):
            v *= MOMENTUM
            v += g
            p -= np.float32(RATE) * v
    return loss.sum()


train, train_labels = images("train"), read("train-labels-idx1", 8).astype(np.int64)
test, test_labels = images("t10k"), read("t10k-labels-idx1", 8).astype(np.int64)
random = np.random.default_rng(1)
sizes = [784, 256, 100, 10]
weights = [random.normal(0, (2 / n) ** 0.5, (n, m)).astype(np.float32) for n, m in zip(sizes, sizes[1:])]
biases = [np.zeros(n, np.float32) for n in sizes[1:]]
velocities = [(np.zeros_like(w), np.zeros_like(b)) for w, b in zip(weights, biases)]

for epoch in range(1, epochs + 1):
    start = time.perf_counter()
    loss = sum(step(train[i : i + batch], train_labels[i : i + batch]) for i in range(0, len(train), batch))
    seconds = time.perf_counter() - start
    right = (forward(test)[-1].argmax(axis=1) == test_labels).mean()
    print(f"epoch {epoch:2}  loss {loss / len(train):.4f}  test accuracy {right:.2%}  {seconds:.3f} s", flush=True)
