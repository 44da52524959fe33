"""The models: where each comes from, its sizes, and what it reads."""

from dataclasses import dataclass, field

import numpy


@dataclass(frozen=True)
class Model:
    name: str
    source: tuple  # ("written", function), ("wheel", requirement, file in it) or ("light", file of the package onnx)
    shapes: dict  # of each input
    ranges: dict  # of each input: a function of a generator and a shape
    dims: tuple = ()  # what nestwright is told with --dim
    bound: dict = field(default_factory=dict)  # scalar inputs that become constants of the model
    fixes_sizes: bool = True  # for ONNX Runtime
    file_for_openvino: str = ""  # of the same wheel, where OpenVINO cannot read the other

    def inputs(self, seed):
        """Seeded inputs, numbers in the range that the model was made for."""
        random = numpy.random.default_rng([seed, *self.name.encode()])
        return {name: self.ranges[name](random, shape) for name, shape in self.shapes.items()}


def normal(deviation):
    return lambda random, shape: (random.standard_normal(shape, numpy.float32) * numpy.float32(deviation)).clip(-4, 4)


def uniform(low, high):
    return lambda random, shape: random.uniform(low, high, shape).astype(numpy.float32)


def writing(random, shape, scale=3):
    """Pages of random signs in rows, between -1 and 1: a detector of text finds them."""
    page = numpy.ones(shape, numpy.float32)
    height, width = 7 * scale, 5 * scale
    for top in range(height, shape[-2] - height, 3 * height):
        for left in range(width, shape[-1] - width, width + scale):
            sign = random.choice([-1, 1], (7, 5)).repeat(scale, 0).repeat(scale, 1)
            page[..., top : top + height, left : left + width] = sign
    return page


def integers(high, kind=numpy.int64):
    return lambda random, shape: random.integers(0, high, shape).astype(kind)


def leading_ones(random, shape):
    """A mask: some tokens count, those after them do not."""
    return (numpy.arange(shape[-1]) < random.integers(shape[-1] // 2, shape[-1] + 1)).astype(numpy.int64)[None]


RAPIDOCR, RAPIDOCR_MODELS = "rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models"
IMAGE = (1, 3, 224, 224)
TOKENS = (1, 128)

MODELS = (
    Model("resnet50", ("written", "resnet50"), {"image": IMAGE}, {"image": normal(1)}),
    Model("mobilenet_v2", ("written", "mobilenet_v2"), {"image": IMAGE}, {"image": normal(1)}),
    Model(
        "bert_base",
        ("written", "bert_base"),
        {"input_ids": TOKENS, "attention_mask": TOKENS, "token_type_ids": TOKENS},
        {"input_ids": integers(30522), "attention_mask": leading_ones, "token_type_ids": integers(2)},
        ("batch=1", "sequence=128"),
    ),
    Model(
        "ocr_detection",
        ("wheel", RAPIDOCR, f"{RAPIDOCR_MODELS}/ch_PP-OCRv4_det_infer.onnx"),
        {"x": (1, 3, 640, 640)},
        {"x": writing},
        ("p2o.DynamicDimension.0=1", "p2o.DynamicDimension.1=640", "p2o.DynamicDimension.2=640"),
    ),
    Model(
        "ocr_recognition",
        ("wheel", RAPIDOCR, f"{RAPIDOCR_MODELS}/ch_PP-OCRv4_rec_infer.onnx"),
        {"x": (1, 3, 48, 320)},
        {"x": uniform(-1, 1)},
        ("p2o.DynamicDimension.0=1", "x.2=48", "p2o.DynamicDimension.1=320"),
    ),
    Model(
        "ocr_orientation",
        ("wheel", RAPIDOCR, f"{RAPIDOCR_MODELS}/ch_ppocr_mobile_v2.0_cls_infer.onnx"),
        {"x": (1, 3, 48, 192)},
        {"x": uniform(-1, 1)},
        ("x.0=1", "x.2=48", "x.3=192"),
    ),
    Model(
        "magika",
        ("wheel", "magika==1.0.3", "magika/models/standard_v3_3/model.onnx"),
        {"bytes": (1, 2048)},
        {"bytes": integers(257, numpy.int32)},  # 256: no byte
        ("unk__214=1",),
    ),
    Model(
        "silero_vad",
        ("wheel", "silero-vad==6.2.3", "silero_vad/data/silero_vad.onnx"),
        {"input": (1, 576), "state": (2, 1, 128)},
        {"input": normal(0.1), "state": normal(0.1)},
        ("input.0=1", "input.1=576", "state.1=1"),
        {"sr": numpy.array(16000, numpy.int64)},
        fixes_sizes=False,  # ONNX Runtime 1.32 crashes when it folds the branches of this model
        file_for_openvino="silero_vad/data/silero_vad_op18_ifless.onnx",
    ),
    Model(
        "nudenet",
        ("wheel", "nudenet==3.4.2", "nudenet/320n.onnx"),
        {"images": (1, 3, 320, 320)},
        {"images": uniform(0, 1)},
        ("batch=1", "height=320", "width=320"),
    ),
    Model(
        "basic_pitch",
        ("wheel", "basic-pitch==0.4.0", "basic_pitch/saved_models/icassp_2022/nmp.onnx"),
        {"serving_default_input_2:0": (1, 43844, 1)},
        {"serving_default_input_2:0": normal(0.1)},
        ("unk__749=1",),
    ),
    Model("shufflenet", ("light", "light_shufflenet.onnx"), {"gpu_0/data_0": IMAGE}, {"gpu_0/data_0": normal(1)}),
    Model("inception_v1", ("light", "light_inception_v1.onnx"), {"data_0": IMAGE}, {"data_0": normal(1)}),
    Model("alexnet", ("light", "light_bvlc_alexnet.onnx"), {"data_0": IMAGE}, {"data_0": normal(1)}),
)

ATTENTION = tuple(
    Model(
        f"attention_{tokens}",
        ("written", f"attention_{tokens}"),
        {name: (1, tokens, 768) for name in ("query", "key", "value")},
        {name: normal(1) for name in ("query", "key", "value")},
    )
    for tokens in (128, 512, 2048)
)


def named(name):
    """The model of that name."""
    return next(model for model in MODELS + ATTENTION if model.name == name)
