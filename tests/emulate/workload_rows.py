"""The workloads that must run unmodified, and what their records must show. One row each."""

from model_rows import LANGUAGE, VISION
from workload import CONVOLUTION, GEMM, Workload, finite

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
