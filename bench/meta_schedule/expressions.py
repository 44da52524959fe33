"""The expressions that are compared: as TVM's own test workloads and as texts for nestwright (docs/expressions.md).

The texts take the inputs, and compute the outputs, in the layouts of TVM's workloads (channels last), so that both functions work on
the same buffers. Shapes are those of Ansor's list, ResNet-18 and BERT.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Expression:
    name: str
    workload: str  # a function of tvm.s_tir.meta_schedule.testing.te_workload
    sizes: tuple  # its arguments
    text: str  # the same for nestwright
    extents: str = ""  # sizes that the text does not say


PRODUCT = "C[i, j] = sum(k, A[i, k] * B[k, j])"

CONV2D = (
    "Y[n, y, x, o] = sum(r, s, c, X[n, y + r - 1, x + s - 1, c]?0 * W[r, s, c, o]); "
    "X: float32[1, {h}, {h}, {c}]; W: float32[3, 3, {c}, {c}]"
)

EXPRESSIONS = (
    Expression("matmul_512", "matmul", (512, 512, 512), PRODUCT, "i=512 j=512 k=512"),
    Expression("matmul_127", "matmul", (127, 127, 127), PRODUCT, "i=127 j=127 k=127"),
    Expression(
        "batched_product",
        "batch_matmul_nkkm",
        (12, 128, 128, 64),
        "Z[b, i, j] = sum(k, X[b, i, k] * Y[b, k, j])",
        "b=12 i=128 j=128 k=64",
    ),
    Expression(
        "conv2d_c2", "conv2d_nhwc", (1, 56, 56, 64, 64, 3, 1, 1), CONV2D.format(h=56, c=64), "y=56 x=56"
    ),
    Expression(
        "conv2d_c6", "conv2d_nhwc", (1, 28, 28, 128, 128, 3, 1, 1), CONV2D.format(h=28, c=128), "y=28 x=28"
    ),
    Expression(
        "depthwise",
        "depthwise_conv2d_nhwc",
        (1, 112, 112, 32, 3, 1, 1),
        "Y[n, y, x, c] = sum(r, s, X[n, y + r - 1, x + s - 1, c]?0 * W[0, r, s, c]); "
        "X: float32[1, 112, 112, 32]; W: float32[1, 3, 3, 32]",
        "y=112 x=112",
    ),
    Expression(
        "conv3d",
        "conv3d_ndhwc",
        (1, 16, 14, 14, 256, 256, 3, 1, 1),
        "Y[n, z, y, x, o] = sum(q, r, s, c, X[n, z + q - 1, y + r - 1, x + s - 1, c]?0 * W[q, r, s, c, o]); "
        "X: float32[1, 16, 14, 14, 256]; W: float32[3, 3, 3, 256, 256]",
        "z=16 y=14 x=14",
    ),
    Expression(
        "group_conv2d",
        "conv2d_nhwc",
        (1, 56, 56, 64, 128, 3, 2, 1, 1, 4),
        "Y[n, y, x, o] = sum(r, s, c, X[n, 2*y + r - 1, 2*x + s - 1, o/32*16 + c]?0 * W[r, s, c, o]); "
        "X: float32[1, 56, 56, 64]; W: float32[3, 3, 16, 128]",
        "y=28 x=28",
    ),
    Expression(
        "softmax",
        "softmax_mn",
        (1536, 128),
        "M[i] = max(j, A[i, j]); E[i, j] = exp(A[i, j] - M[i]); S[i] = sum(j, E[i, j]); B[i, j] = E[i, j] / S[i]",
        "i=1536 j=128",
    ),
    Expression(
        "norm",
        "norm_bmn",
        (1, 1024, 1024),
        "C[b] = sum(i, j, A[b, i, j] * A[b, i, j]); D[b] = sqrt(C[b])",
        "b=1 i=1024 j=1024",
    ),
    Expression(
        "transposed_conv2d",
        "conv2d_transpose_nhwc",
        (1, 8, 8, 256, 128, 4, 2, 1),
        "Y[n, y, x, o] = sum(r, s, c, select((y + r) % 2 == 0 && (x + s) % 2 == 0, "
        "X[n, (y + r)/2 - 1, (x + s)/2 - 1, c]?0, 0.0) * W[3 - r, 3 - s, c, o]); "
        "X: float32[1, 8, 8, 256]; W: float32[4, 4, 256, 128]",
        "n=1 y=16 x=16 r=4 s=4",
    ),
    Expression(
        "capsule",
        "conv2d_capsule_nhwijc",
        (1, 16, 16, 32, 32, 3, 2, 1),
        "Y[n, y, x, i, j, o] = sum(r, s, k, c, X[n, 2*y + r - 1, 2*x + s - 1, i, k, c]?0 * W[r, s, k, j, c, o]); "
        "X: float32[1, 16, 16, 4, 4, 32]; W: float32[3, 3, 4, 4, 32, 32]",
        "y=8 x=8",
    ),
)


def named(name):
    """The expression of that name."""
    return next(e for e in EXPRESSIONS if e.name == name)
