"""ResNet-50 and MobileNet-v2 as torchvision has them, with batch normalization as nodes of their own.

Weights are scaled after He, so that activations stay in range. The statistics of a normalization are seeded, too: a
network that leaves one of them out is wrong.
"""

from written.builder import Builder

IMAGE = (1, 3, 224, 224)
CLASSES = 1000


class Convolutions(Builder):
    def convolution(self, at, x, channels, filters, size, stride=1, groups=1, gain=2.0):
        """`gain`: 2 for an input of which a ReLU zeroed half, else 1."""
        fan_in = channels // groups * size * size
        shape = (filters, channels // groups, size, size)
        weight = self.gaussian(f"{at}.weight", shape, (gain / fan_in) ** 0.5)
        return self.node(
            "Conv",
            [x, weight],
            at,
            group=groups,
            kernel_shape=[size, size],
            strides=[stride, stride],
            pads=[size // 2] * 4,
            dilations=[1, 1],
        )

    def norm(self, at, x, channels, scale=1.0):
        draw = self.random
        parts = {
            "weight": scale * draw.uniform(0.7, 1.3, channels),
            "bias": draw.normal(0, 0.1, channels),
            "running_mean": draw.normal(0, 0.2, channels),
            "running_var": draw.uniform(0.6, 1.6, channels),
        }
        operands = [self.weight(f"{at}.{name}", values) for name, values in parts.items()]
        return self.node("BatchNormalization", [x, *operands], at, epsilon=1e-5)

    def classifier(self, at, x, channels):
        x = self.node("GlobalAveragePool", [x], "/avgpool")
        x = self.node("Flatten", [x], axis=1)
        weight = self.gaussian(f"{at}.weight", (CLASSES, channels), channels**-0.5)
        bias = self.gaussian(f"{at}.bias", (CLASSES,), 0.1)
        x = self.node("Gemm", [x, weight, bias], at, alpha=1.0, beta=1.0, transB=1)
        self.output(x, "logits", (1, CLASSES))


def write_resnet50(path):
    g = Convolutions("resnet50", 17, 1)
    x = g.input("image", "float32", IMAGE)
    x = g.convolution("/conv1", x, 3, 64, 7, 2, gain=1.0)
    x = g.node("Relu", [g.norm("/bn1", x, 64)], "/relu")
    x = g.node("MaxPool", [x], "/maxpool", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, ceil_mode=0)
    channels = 64
    for stage, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3)), 1):
        for block in range(blocks):
            at = f"/layer{stage}.{block}"
            stride = 2 if stage > 1 and block == 0 else 1
            y = g.convolution(f"{at}/conv1", x, channels, width, 1)
            y = g.node("Relu", [g.norm(f"{at}/bn1", y, width)], at)
            y = g.convolution(f"{at}/conv2", y, width, width, 3, stride)
            y = g.node("Relu", [g.norm(f"{at}/bn2", y, width)], at)
            y = g.convolution(f"{at}/conv3", y, width, 4 * width, 1)
            y = g.norm(f"{at}/bn3", y, 4 * width, scale=0.3)
            if block == 0:
                x = g.convolution(f"{at}/downsample.0", x, channels, 4 * width, 1, stride)
                x = g.norm(f"{at}/downsample.1", x, 4 * width)
                channels = 4 * width
            x = g.node("Relu", [g.node("Add", [y, x], at)], at)
    g.classifier("/fc", x, channels)
    g.save(path)


# Expansion, channels, blocks, stride of the first.
INVERTED = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


def write_mobilenet_v2(path):
    g = Convolutions("mobilenet_v2", 17, 2)

    def clipped(at, x, *sizes, **options):
        """A convolution with its normalization and ReLU6."""
        x = g.norm(f"{at}.1", g.convolution(f"{at}.0", x, *sizes, **options), sizes[1])
        return g.node("Clip", [x, g.constant(0.0), g.constant(6.0)], f"{at}.2")

    x = clipped("/features.0", g.input("image", "float32", IMAGE), 3, 32, 3, 2, gain=1.0)
    channels, number = 32, 1
    for expansion, filters, blocks, first_stride in INVERTED:
        for block in range(blocks):
            at, stride, wide = f"/features.{number}", first_stride if block == 0 else 1, expansion * channels
            y = x if expansion == 1 else clipped(f"{at}/conv.0", x, channels, wide, 1, gain=1.0)
            y = clipped(f"{at}/conv.1", y, wide, wide, 3, stride, groups=wide)
            y = g.norm(f"{at}/conv.3", g.convolution(f"{at}/conv.2", y, wide, filters, 1), filters)
            x = g.node("Add", [x, y], at) if stride == 1 and channels == filters else y
            channels, number = filters, number + 1
    x = clipped(f"/features.{number}", x, channels, 1280, 1, gain=1.0)
    g.classifier("/classifier.1", x, 1280)
    g.save(path)
