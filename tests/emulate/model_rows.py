"""Workloads that train models of libraries: vision and language. One row each."""

from workload import CONVOLUTION, GEMM, Workload, finite

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
