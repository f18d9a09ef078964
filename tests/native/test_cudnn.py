"""cuDNN: legacy functions and operation graphs, wrong use, and what is recorded of them."""

import subprocess
import sys
from pathlib import Path

import pytest
from fakes import build, environment

from maya.emulator.native import native_dir
from maya.trace.capture import read_capture

LIBRARIES = ["libcudnn.so.9", "libcudart.so.12"]
FP32, FP16, BF16 = 0, 2, 14  # cudaDataType_t


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    out = tmp_path_factory.mktemp("cudnn")
    return {
        name: build(f"cudnn/{name}.cpp", out / name, LIBRARIES) for name in ("graphs", "legacy")
    }


def run(program: Path, what: str, run_dir: Path) -> None:
    done = subprocess.run(
        [program, what], env=environment(run_dir), timeout=60, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def recorded(run_dir: Path, op: str) -> list[dict]:
    """Fields of each call of this operation, in order."""
    capture = read_capture(next(run_dir.glob("*.maya")))
    calls = [capture.definition(int(event["def"])) for event in capture.events]
    return [dict(call.fields) for call in calls if call.op == op]


def part(fields: dict, *names: str) -> list:
    return [fields[name] for name in names]


@pytest.mark.parametrize(
    "what",
    [
        "versions",
        "streams",
        "convolution",
        "weights",
        "rnn",
        "ctc",
        "small",
        "unknown",
        "wrong_use",
    ],
)
def test_legacy_functions(programs, tmp_path, what):
    run(programs["legacy"], what, tmp_path)


@pytest.mark.parametrize(
    "what",
    [
        "convolution",
        "tf32",
        "attention",
        "sliding_window",
        "matmul",
        "saved_plan",
        "cuda_graph",
        "overrides",
        "wrong_use",
    ],
)
def test_operation_graphs(programs, tmp_path, what):
    run(programs["graphs"], what, tmp_path)


def test_a_legacy_convolution_is_recorded_with_its_problem(programs, tmp_path):
    run(programs["legacy"], "convolution", tmp_path)
    (conv,) = recorded(tmp_path, "cudnn_conv_fprop")
    assert conv["graph"] == "cudnnConvolutionForward"
    assert part(conv, "n", "c", "in_d", "in_h", "in_w") == [4, 16, 1, 32, 32]
    assert part(conv, "k", "filter_c", "filter_h", "filter_w", "groups") == [32, 8, 3, 3, 2]
    assert part(conv, "out_h", "pad_h", "stride_h", "dilation_h") == [16, 1, 2, 1]
    assert part(conv, "x_type", "compute", "notes") == [FP16, FP32, 1]


def test_a_convolution_graph_is_recorded_once_per_engine(programs, tmp_path):
    run(programs["graphs"], "convolution", tmp_path)
    first, *others = recorded(tmp_path, "cudnn_conv_fprop")
    assert part(first, "n", "c", "in_h", "k", "filter_h", "out_h") == [8, 3, 224, 64, 7, 112]
    assert part(first, "pad_w", "post_pad_w", "stride_w", "dilation_w") == [3, 3, 2, 1]
    assert part(first, "x_type", "compute", "groups", "fused_ops") == [FP16, FP32, 1, 0]
    assert first["workspace"] > 0
    assert len({call["engine"] for call in [first, *others]}) == len(others) + 1
    text = first["graph"]
    assert text.startswith("conv_fprop(")
    assert "f16[8,3,224,224]/[150528,50176,224,1]" in text
    assert "filter_strides=[2,2]" in text


def test_overridden_shapes_are_the_ones_recorded(programs, tmp_path):
    run(programs["graphs"], "overrides", tmp_path)
    (conv,) = recorded(tmp_path, "cudnn_conv_fprop")
    assert part(conv, "n", "k", "in_h") == [2, 64, 224]
    assert "f16[2,64,112,112]/[802816,12544,112,1]" in conv["graph"]


def test_attention_is_recorded_with_grouped_heads(programs, tmp_path):
    run(programs["graphs"], "attention", tmp_path)
    (call,) = recorded(tmp_path, "cudnn_sdpa_fwd")
    assert part(call, "b", "h_q", "h_k", "h_v") == [2, 8, 2, 2]
    assert part(call, "s_q", "s_kv", "d_qk", "d_v") == [128, 256, 64, 32]
    assert part(call, "q_type", "causal", "dropout", "ragged", "stats") == [BF16, 0, 0, 0, 1]


def test_a_sliding_window_is_recorded_with_its_width(programs, tmp_path):
    run(programs["graphs"], "sliding_window", tmp_path)
    (call,) = recorded(tmp_path, "cudnn_sdpa_fwd")
    assert part(call, "s_q", "s_kv", "window") == [1024, 1024, 128]


def test_a_fused_matmul_is_recorded_with_what_follows_it(programs, tmp_path):
    run(programs["graphs"], "matmul", tmp_path)
    (call,) = recorded(tmp_path, "cudnn_matmul")
    assert part(call, "batch", "m", "n", "k", "fused_ops") == [4, 128, 32, 64, 1]
    assert "pointwise.relu_fwd(" in call["graph"]


def test_recurrent_networks_are_recorded_with_all_sizes(programs, tmp_path):
    run(programs["legacy"], "rnn", tmp_path)
    (call,) = recorded(tmp_path, "cudnn_rnn_fwd")
    assert part(call, "cell", "layers", "directions", "input", "hidden") == [2, 1, 1, 24, 16]
    assert part(call, "max_length", "batch", "total_length", "type") == [7, 3, 14, FP16]
    assert len(recorded(tmp_path, "cudnn_rnn_bwd_weights")) == 1


def test_ctc_is_recorded_with_label_sizes(programs, tmp_path):
    run(programs["legacy"], "ctc", tmp_path)
    (call,) = recorded(tmp_path, "cudnn_ctc_loss")
    assert part(call, "time", "batch", "classes", "max_label", "labels") == [50, 4, 20, 12, 40]


def test_small_operations_are_recorded(programs, tmp_path):
    run(programs["legacy"], "small", tmp_path)
    (pooling,) = recorded(tmp_path, "cudnnPoolingForward")
    assert part(pooling, "n", "c", "in_h", "out_h", "window_h", "stride_h") == [8, 4, 6, 3, 2, 2]
    (norm,) = recorded(tmp_path, "cudnn_norm_fwd")
    assert part(norm, "n", "c", "h", "w", "training", "mode") == [8, 4, 6, 6, 1, 2]
    for op in ("cudnnSoftmaxForward", "cudnnActivationForward", "cudnnAddTensor"):
        assert len(recorded(tmp_path, op)) == 1


def test_a_library_linked_with_parts_of_cudnn_finds_them(tmp_path):
    """Transformer Engine's is: the loader looks for each by its name."""
    parts = ["adv", "cnn", "engines_precompiled", "engines_runtime_compiled"]
    parts += ["graph", "heuristic", "ops"]
    links = [f"-l:libcudnn_{name}.so.9" for name in parts]
    source, library = tmp_path / "uses.c", tmp_path / "libuses.so"
    source.write_text(
        "unsigned long cudnnGetVersion(); unsigned long f() { return cudnnGetVersion(); }"
    )
    build_it = ["gcc", "-shared", "-fPIC", "-Wl,--no-as-needed", source, "-o", library]
    subprocess.run([*build_it, f"-L{native_dir()}", *links], check=True, timeout=60)
    needed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True)
    assert all(f"[libcudnn_{name}.so.9]" in needed.stdout for name in parts)
    program = f"import ctypes; assert ctypes.CDLL({str(library)!r}).f() >= 90000"
    preload = {"LD_PRELOAD": str(native_dir() / "libcudnn.so.9")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(tmp_path, **preload),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
