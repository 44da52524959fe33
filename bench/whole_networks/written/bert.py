"""BERT-base as PyTorch's exporter writes it with symbolic sizes: norms and Gelu in parts, shapes computed by nodes."""

import numpy

from written.builder import Builder

WORDS, POSITIONS, KINDS = 30522, 512, 2
WIDTH, HEADS, INNER, LAYERS = 768, 12, 3072, 12
LOWEST = float(numpy.finfo(numpy.float32).min)


class Bert(Builder):
    def integers(self, values):
        return self.constant(values, numpy.int64)

    def linear(self, at, x, inputs, outputs):
        weight = self.gaussian(f"{at}.weight", (inputs, outputs), inputs**-0.5)
        bias = self.gaussian(f"{at}.bias", (outputs,), 0.1)
        return self.node("Add", [bias, self.node("MatMul", [x, weight], at)], at)

    def norm(self, at, x):
        centred = self.node("Sub", [x, self.node("ReduceMean", [x], at, axes=[-1])], at)
        squares = self.node("Pow", [centred, self.constant(2.0)], at)
        variance = self.node("ReduceMean", [squares], at, axes=[-1])
        deviation = self.node("Sqrt", [self.node("Add", [variance, self.constant(1e-12)], at)], at)
        scale = self.weight(f"{at}.weight", self.random.uniform(0.7, 1.3, WIDTH))
        bias = self.gaussian(f"{at}.bias", (WIDTH,), 0.1)
        scaled = self.node("Mul", [self.node("Div", [centred, deviation], at), scale], at)
        return self.node("Add", [scaled, bias], at)

    def gelu(self, at, x):
        error = self.node("Erf", [self.node("Div", [x, self.constant(2.0**0.5)], at)], at)
        product = self.node("Mul", [x, self.node("Add", [error, self.constant(1.0)], at)], at)
        return self.node("Mul", [product, self.constant(0.5)], at)

    def size(self, at, x, axis):
        """The size of a dimension, of shape [1]."""
        size = self.node("Gather", [self.node("Shape", [x], at), self.integers(axis)], at, axis=0)
        return self.node("Unsqueeze", [size, self.integers([0])], at)

    def reshape(self, at, x, *tail):
        """The two first dimensions stay."""
        parts = [self.size(at, x, 0), self.size(at, x, 1), *(self.integers([size]) for size in tail)]
        return self.node("Reshape", [x, self.node("Concat", parts, at, axis=0)], at)

    def embedding(self, at, numbers, rows):
        return self.node("Gather", [self.gaussian(f"{at}.weight", (rows, WIDTH), 1.0), numbers], at)

    def attention(self, at, x, mask):
        def heads(name, order):
            y = self.reshape(f"{at}/self", self.linear(f"{at}/self/{name}", x, WIDTH, WIDTH), HEADS, WIDTH // HEADS)
            return self.node("Transpose", [y], f"{at}/self", perm=order)

        query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
        scores = self.node("MatMul", [query, key], f"{at}/self")
        scores = self.node("Div", [scores, self.constant((WIDTH / HEADS) ** 0.5)], f"{at}/self")
        scores = self.node("Add", [scores, mask], f"{at}/self")
        weights = self.node("Softmax", [scores], f"{at}/self", axis=-1)
        mixed = self.node("MatMul", [weights, value], f"{at}/self")
        mixed = self.node("Transpose", [mixed], f"{at}/self", perm=[0, 2, 1, 3])
        mixed = self.reshape(f"{at}/self", mixed, WIDTH)
        result = self.linear(f"{at}/output/dense", mixed, WIDTH, WIDTH)
        return self.norm(f"{at}/output/LayerNorm", self.node("Add", [result, x], f"{at}/output"))

    def layer(self, at, x, mask):
        x = self.attention(f"{at}/attention", x, mask)
        inner = self.linear(f"{at}/intermediate/dense", x, WIDTH, INNER)
        inner = self.gelu(f"{at}/intermediate", inner)
        result = self.linear(f"{at}/output/dense", inner, INNER, WIDTH)
        return self.norm(f"{at}/output/LayerNorm", self.node("Add", [result, x], f"{at}/output"))


def write_bert(path):
    g = Bert("bert_base", 14, 3)
    words, mask, kinds = (
        g.input(n, "int64", ["batch", "sequence"]) for n in ("input_ids", "attention_mask", "token_type_ids")
    )
    at = "/embeddings"
    places = g.weight("embeddings.position_ids", numpy.arange(POSITIONS)[None], numpy.int64)
    places = g.node("Slice", [places, g.integers([0]), g.size(at, words, 1), g.integers([1]), g.integers([1])], at)
    x = g.node("Add", [g.embedding(f"{at}/word", words, WORDS), g.embedding(f"{at}/token_type", kinds, KINDS)], at)
    x = g.node("Add", [x, g.embedding(f"{at}/position", places, POSITIONS)], at)
    x = g.norm(f"{at}/LayerNorm", x)
    # 0 where a token counts, else the lowest number.
    for axis in (1, 2):
        mask = g.node("Unsqueeze", [mask, g.integers([axis])])
    mask = g.node("Sub", [g.constant(1.0), g.node("Cast", [mask], to=1)])
    mask = g.node("Mul", [mask, g.constant(LOWEST)])
    for number in range(LAYERS):
        x = g.layer(f"/encoder/layer.{number}", x, mask)
    g.output(x, "last_hidden_state", ["batch", "sequence", WIDTH])
    first = g.node("Gather", [x, g.integers(0)], "/pooler", axis=1)
    weight = g.gaussian("pooler.weight", (WIDTH, WIDTH), WIDTH**-0.5)
    bias = g.gaussian("pooler.bias", (WIDTH,), 0.1)
    pooled = g.node("Gemm", [first, weight, bias], "/pooler", transB=1)
    g.output(g.node("Tanh", [pooled], "/pooler"), "pooler_output", ["batch", WIDTH])
    g.save(path)
