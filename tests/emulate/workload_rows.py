"""The workloads that must run unmodified, and what their records must show. One row each."""

from dataclasses import dataclass

GEMM = r"cublas(GemmEx|LtMatmul|Sgemm|GemmStridedBatchedEx)"
CONVOLUTION = r"(?i)cudnn.*conv"


@dataclass(frozen=True, slots=True)
class Workload:
    """One script and its expectations; names are regular expressions, all of them to be found."""

    id: str
    command: str
    # how it is run
    steps: int = 3  # 0: never stopped
    gpu: str = "h100"
    ranks: int = 1
    max_seconds: int = 90
    routing: str = "balanced"
    environment: tuple[tuple[str, str], ...] = ()
    # how it ends
    ended_by: str = "steps"
    status: int = 0
    exit_code: int = 0
    captures: int = 1
    incomplete: int = 0
    stdout: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()
    # what is on record
    kernels: tuple[str, ...] = ()
    library: tuple[str, ...] = ()
    collectives: tuple[str, ...] = ()
    allocations: tuple[str, ...] = ("device",)
    value_reads: tuple[str, ...] = ()
    value_policies: tuple[str, ...] = ()
    norms: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()
    graph_launches: bool = False
    once_per_step: str = ""  # a kernel that a right step holds exactly once,
    times_per_step: int = 1  # or so many times
    unsupported: tuple[str, ...] = ()  # tolerated; every entry with its reason
    # where it is run
    smoke: bool = False
    cu13: bool = False


def finite(name: str, command: str, **expected: object) -> Workload:
    """A script that ends by itself and is let run to its end."""
    return Workload(name, command, steps=0, ended_by="script", **expected)  # type: ignore[arg-type]


PLAIN = (
    Workload(
        "mlp-amp",
        "mlp_amp.py",
        kernels=("multi_tensor_apply_kernel", "amp_update_scale", "fused_dropout|distribution"),
        library=(GEMM,),
        value_reads=("",),
        stdout=("step 0\n", "step 1\n"),
        smoke=True,
        cu13=True,
    ),
    Workload(
        "gpt-flash",
        "gpt.py --attention flash",
        kernels=("flash_fwd", "flash_bwd", "layer_norm", "nll_loss|cross_entropy", "FusedAdam"),
        library=(GEMM,),
        once_per_step="FusedAdam",
        smoke=True,
        cu13=True,
    ),
    finite(
        "gpt-every-attention",
        "gpt.py --attention flash efficient cudnn math --steps 2",
        kernels=("flash_fwd", "flash_bwd", "fmha_cutlassF", "fmha_cutlassB", "(?i)softmax"),
        library=(GEMM, r"(?i)cudnn"),
        stdout=("flash: loss", "efficient: loss", "cudnn: loss", "math: loss"),
        cu13=True,
    ),
    Workload(
        "gpt-expandable-segments",
        "gpt.py",
        environment=(("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"),),
        kernels=("flash_fwd",),
        allocations=("vmm",),
        once_per_step="FusedAdam",
    ),
    Workload("gpt-on-t4", "gpt.py --attention math", gpu="t4", library=(GEMM,)),
    Workload(
        "accumulation",
        "accumulation.py",
        library=(GEMM,),
        allocations=("device", "pinned"),
        value_reads=("accumulation.py",),
        once_per_step="FusedAdam",
        stdout=("step 0 validation loss", "step 0 loss"),
        smoke=True,
    ),
    Workload("gan", "gan.py", kernels=("elementwise",), library=(CONVOLUTION,), cu13=True),
    Workload(
        "unet", "unet.py", kernels=("max_pool", "CatArrayBatchedCopy"), library=(CONVOLUTION,)
    ),
    Workload("rnn-ctc", "rnn_ctc.py", library=("(?i)cudnn.*RNN", "(?i)cudnn.*CTC")),
    Workload(
        "embedding-bag",
        "embedding_bag.py",
        kernels=("EmbeddingBag",),
        library=(GEMM,),
        once_per_step="EmbeddingBag_updateOutputKernel_max",
    ),
    *(
        Workload(
            f"plain-{optimizer}",
            f"plain_optimizers.py {optimizer}",
            once_per_step="nll_loss_forward",
            times_per_step=6,
            stdout=("validated\n",),
        )
        for optimizer in ("sgd", "adamw", "own")
    ),
    Workload(
        "adam8bit",
        "adam8bit.py",
        kernels=("Optimizer.*8bit", "Optimizer32bit"),
        library=(GEMM,),
        stdout=("step 0 loss",),
    ),
    Workload("checkpointing", "checkpointing.py", kernels=("layer_norm", "(?i)dropout|philox")),
    finite(
        "optimizers",
        "optimizers.py",
        kernels=("FusedAdam", "FusedSgd", "multi_tensor_apply_kernel", "addcdiv", "addcmul"),
        ranges=("adamw fused", "sgd"),
        stdout=("adamw plain\n", "rprop\n"),
    ),
    finite(
        "fft-linalg",
        "fft_linalg.py",
        library=(
            r"cufft.*Exec",
            r"cusolver.*potrf",
            r"cusolver.*(gesvd|syevd)",
            r"cusolver.*geqrf",
            r"cusolver.*(syevd|syevj)|cusolver.*Xsyev",
            r"(cusolver|cublas).*getrf",
            r"(cusolver|cublas).*(getrs|trsm)",
        ),
        stdout=("done\n",),
    ),
    finite("sparse", "sparse.py", library=("cusparseSpMM", GEMM), stdout=("done\n",)),
    finite("jiterator", "jiterator.py", kernels=("bessel_j0|jitted",), stdout=("done\n",)),
    Workload(
        "dataloader",
        "dataloader.py",
        kernels=("nll_loss",),
        library=(CONVOLUTION,),
        allocations=("device", "pinned"),
    ),
    finite(
        "values",
        "values.py",
        allocations=("device", "pinned"),
        value_reads=(r"values.py",),
        stdout=("kernel-made 1.0 0.0\n", "done\n"),
        smoke=True,
        cu13=True,
    ),
    finite(
        "memory-snapshot", "memory_snapshot.py", library=(GEMM,), stdout=("done\n",), smoke=True
    ),
    finite(
        "side-stream",
        "side_stream.py",
        kernels=("elementwise",),
        stdout=(
            "reserved 32 MiB without record_stream\n",
            "reserved 112 MiB with record_stream\n",
            "pending\ndone after 2 polls\ndone\n",
        ),
    ),
    finite(
        "profiled",
        "profiled.py",
        kernels=("elementwise",),
        stdout=("Self CUDA", "done\n"),
        smoke=True,
        cu13=True,
    ),
    finite(
        "driver-api",
        "driver_api.py",
        kernels=("^axpy$", "^scale$"),
        stdout=("NVIDIA H100", "sm_90", "done\n"),
        smoke=True,
    ),
)

GRAPHS_AND_COMPILERS = (
    Workload(
        "cuda-graph",
        "cuda_graph.py",
        library=(GEMM,),
        graph_launches=True,
        stdout=("callables\n", "captured\n", "step 0 loss"),
        smoke=True,
    ),
    Workload(
        "compile-default",
        "compiled.py default",
        kernels=("triton_",),
        library=(GEMM,),
        stdout=("step 0\n",),
        max_seconds=240,
        cu13=True,
    ),
    Workload(
        "compile-reduce-overhead",
        "compiled.py reduce-overhead",
        kernels=("triton_",),
        graph_launches=True,
        stdout=("step 0\n",),
        max_seconds=240,
    ),
    Workload(
        "compile-max-autotune",
        "compiled.py max-autotune",
        kernels=("triton_",),
        stdout=("step 0\n",),
        max_seconds=240,
    ),
    Workload(
        "flex-attention",
        "flex.py",
        kernels=("triton_tem_fused",),
        stdout=("step 0\n",),
        max_seconds=240,
    ),
)

VISION = (
    Workload(
        "resnet50",
        "resnet50.py",
        kernels=("max_pool",),
        library=(CONVOLUTION, "(?i)batch_?norm", GEMM),
        stdout=("step 0 loss",),
        cu13=True,
    ),
    Workload("resnet50-benchmark", "resnet50.py --benchmark", library=(CONVOLUTION,)),
    Workload(
        "resnet50-amp-channels-last",
        "resnet50.py --amp --channels-last --benchmark",
        library=(CONVOLUTION,),
    ),
    Workload("timm-vit", "timm_models.py vit_tiny_patch16_224", kernels=("flash_fwd",)),
    finite(
        "timm-vit-convnext",
        "timm_models.py vit_tiny_patch16_224 convnext_atto --steps 2",
        kernels=("flash_fwd", "conv_depthwise2d|elementwise"),
        library=(CONVOLUTION, GEMM),
        stdout=("vit_tiny_patch16_224: loss", "convnext_atto: loss"),
    ),
)

LANGUAGE = (
    finite(
        "hf-models",
        "hf_models.py gpt2 llama bert t5 --steps 2",
        kernels=("layer_norm", "fmha|flash_fwd"),
        library=(GEMM,),
        stdout=("gpt2: loss", "llama: loss", "bert: loss", "t5: loss"),
    ),
    Workload(
        "hf-mixtral",
        "hf_models.py mixtral",
        kernels=("(?i)topk|sort", "silu"),  # silu: an expert's own
        library=(GEMM,),
        value_policies=("modeling_mixtral.*balanced",),
    ),
    finite(
        "routing",
        "routing.py",
        value_policies=("routing.py.*tokens per expert, balanced", "elements of a mask"),
        stdout=(
            "map [256, 256, 256, 256, 256, 256, 256, 256]",
            "groups [1024, 1024]",
            "turned [256, 256, 256, 256, 256, 256, 256, 256]",
            "rows (2048, 2)",
            "histogram [256.0, 256.0, 256.0, 256.0, 256.0, 256.0, 256.0, 256.0]",
            "half [128.0, 128.0, 128.0, 128.0, 128.0, 128.0, 128.0, 128.0]",
            "bincount [256, 256, 256, 256, 256, 256, 256, 256]",
            "hit [0, 1, 2, 3, 4, 5, 6, 7]",
            "each [256, 256, 256, 256, 256, 256, 256, 256]",
            "other (50, 1)",
            "large (1500000, 1)",
            "given (3, 1)",
            "large given (50000, 1)",
            "labels 70 99 20",
        ),
        cu13=True,
    ),
    finite(
        "norms",
        "norms.py",
        norms=("norms.py.*norm 2",),
        stdout=(
            "norm torch.float32 2.0",
            "norm torch.float64 2.0",
            "norm torch.bfloat16 2.0",
            "infinity norm 2.0",
            "list [2.0, 2.0, 2.0]",
            "total 2.828",
            "overflow False",
            "kept True",
            "clips True by 0.354",
            "clamped 3.0",
            "cubed [8.0, 27.0]",
            "third root [2.0]",
            "larger 0.5946",
            "chosen 8.0",
            "host [7.99",
            "sum of squares 8.0",
            "norm of norms 2.828",
            "clip_grad_norm_ 2.828",
            "loss 1.0",
            "rows [0.0, 0.0]",
            "found 0.0",
            "finite True",
        ),
    ),
    Workload("hf-trainer", "hf_trainer.py", kernels=("flash_fwd|fmha",), library=(GEMM,)),
    Workload("accelerate", "accelerate_loop.py", library=(GEMM,), stdout=("device cuda",)),
    Workload("lightning", "lightning_fit.py", library=(GEMM,), kernels=("multi_tensor_apply",)),
)

ENDINGS = (
    finite(
        "out-of-memory",
        "oom.py",
        gpu="t4",
        status=2,
        exit_code=1,
        library=(GEMM,),
        stdout=("Tesla T4\n",),
        stderr=("OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has",),
        smoke=True,
    ),
    Workload(
        "out-of-memory-retry",
        "oom_retry.py",
        gpu="a100-40gb",
        library=(GEMM,),
        stdout=("batch 4194304 does not fit: CUDA out of memory", "fits\n"),
    ),
    finite(
        "crash",
        "crash.py",
        status=2,
        exit_code=1,
        library=(GEMM,),
        stderr=("Traceback (most recent call last)", "the third step is one too many"),
        smoke=True,
    ),
    finite(
        "zero-loss",
        "zero_loss.py",
        status=2,
        exit_code=1,
        library=(GEMM,),
        value_reads=("zero_loss.py:6",),
        stderr=("AssertionError: the loss vanished", "because of one of the values above"),
    ),
    finite("abort", "abort.py", status=2, exit_code=-6, incomplete=1, library=(GEMM,), smoke=True),
    finite("exit-code", "exit_code.py", status=2, exit_code=7, stdout=("torch.Size([8, 8])\n",)),
    finite("forks", "forks.py", stdout=("done\n",), stderr=("1 other process",)),
    finite("noisy", "noisy.py", stdout=("no newline at the end",)),
)

RANKS = (
    Workload(
        "ddp",
        "ddp.py",
        ranks=2,
        captures=2,
        collectives=("ncclAllReduce", "ncclBroadcast", "ncclAllGather"),
        stdout=("step 0 loss",),
        cu13=True,
    ),
    Workload(
        "fsdp2",
        "fsdp2.py",
        ranks=2,
        captures=2,
        collectives=("ncclAllGather", "ncclReduceScatter", "ncclAllReduce"),
        stdout=("step 0 loss",),
    ),
    Workload(
        "fsdp1",
        "fsdp1.py",
        ranks=2,
        captures=2,
        collectives=("AllGather", "ReduceScatter"),
        stdout=("step 0 loss",),
    ),
    finite(
        "collectives",
        "collectives.py",
        ranks=2,
        captures=2,
        collectives=(
            "ncclAllReduce",
            "ncclBroadcast",
            "ncclReduce( |$)",
            "ncclAllGather",
            "ncclReduceScatter",
            "ncclSend",
            "ncclRecv",
        ),
        stdout=("batch_isend_irecv\n", "coalesced\n", "rank 0 done", "rank 1 done"),
    ),
)

ROWS = PLAIN + GRAPHS_AND_COMPILERS + VISION + LANGUAGE + ENDINGS + RANKS
