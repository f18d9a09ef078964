"""Train a GPT with megatron-core: every parallelism and memory knob is a flag.

Started by torchrun, as any Megatron job. Only megatron-core's public interface is used, with its
local layers: neither Transformer Engine nor Apex is needed.

    torchrun --nproc-per-node 8 train_megatron.py --tp 2 --pp 2 --global-batch 64
"""

import argparse
import os

import torch
import torch.distributed as dist
from megatron.core import parallel_state, tensor_parallel
from megatron.core.distributed import (
    DistributedDataParallel,
    DistributedDataParallelConfig,
    finalize_model_grads,
)
from megatron.core.models.gpt.gpt_model import GPTModel
from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
from megatron.core.pipeline_parallel import get_forward_backward_func
from megatron.core.transformer.transformer_config import TransformerConfig
from megatron_layers import layer_specs


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    model = parser.add_argument_group("model")
    model.add_argument("--layers", type=int, default=4)
    model.add_argument("--hidden", type=int, default=256)
    model.add_argument("--heads", type=int, default=8)
    model.add_argument("--vocabulary", type=int, default=1024)
    model.add_argument("--sequence", type=int, default=128)
    model.add_argument("--dropout", type=float, default=0.1)
    model.add_argument("--attention", choices=("flash", "unfused"), default="flash")
    model.add_argument("--fusion", action="store_true", help="compile bias-gelu, bias-dropout-add")
    model.add_argument("--experts", type=int, default=0, help="0: a dense model")
    model.add_argument("--topk", type=int, default=2, help="experts a token goes to")
    model.add_argument("--dispatcher", choices=("alltoall", "allgather"), default="alltoall")
    parallel = parser.add_argument_group("parallelism")
    parallel.add_argument("--tp", type=int, default=1, help="tensor")
    parallel.add_argument("--pp", type=int, default=1, help="pipeline")
    parallel.add_argument("--vpp", type=int, default=1, help="virtual stages of a pipeline rank")
    parallel.add_argument("--cp", type=int, default=1, help="context")
    parallel.add_argument("--ep", type=int, default=1, help="expert")
    parallel.add_argument("--sequence-parallel", action="store_true")
    batch = parser.add_argument_group("batch")
    batch.add_argument("--micro-batch", type=int, default=1)
    batch.add_argument("--global-batch", type=int, default=0, help="0: one micro-batch a replica")
    batch.add_argument("--steps", type=int, default=600_000)
    memory = parser.add_argument_group("memory and overlap")
    memory.add_argument("--distributed-optimizer", action="store_true")
    memory.add_argument("--overlap-grad-reduce", action="store_true")
    memory.add_argument("--overlap-param-gather", action="store_true")
    memory.add_argument("--recompute", choices=("none", "selective", "full"), default="none")
    memory.add_argument(
        "--recompute-num-layers", type=int, default=0, help="of a stage; 0: each layer by itself"
    )
    return parser.parse_args()


def start(args: argparse.Namespace) -> None:
    """Join the job and make the process groups."""
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl", device_id=torch.device("cuda", local))
    parallel_state.initialize_model_parallel(
        tensor_model_parallel_size=args.tp,
        pipeline_model_parallel_size=args.pp,
        virtual_pipeline_model_parallel_size=args.vpp if args.vpp > 1 else None,
        context_parallel_size=args.cp,
        expert_model_parallel_size=args.ep,
        create_gloo_process_groups=False,  # these only serve checkpoints
    )
    tensor_parallel.model_parallel_cuda_manual_seed(1234)


def recomputation(args: argparse.Namespace) -> dict[str, object]:
    if args.recompute != "full":
        return {"recompute_granularity": None if args.recompute == "none" else "selective"}
    some = args.recompute_num_layers > 0
    return {
        "recompute_granularity": "full",
        "recompute_method": "block" if some else "uniform",
        "recompute_num_layers": args.recompute_num_layers if some else 1,
    }


def experts(args: argparse.Namespace) -> dict[str, object]:
    if not args.experts:
        return {}
    return {
        "num_moe_experts": args.experts,
        "moe_router_topk": args.topk,
        "moe_token_dispatcher_type": args.dispatcher,
        "moe_aux_loss_coeff": 0.01,
    }


def transformer_config(args: argparse.Namespace) -> TransformerConfig:
    return TransformerConfig(
        num_layers=args.layers,
        hidden_size=args.hidden,
        num_attention_heads=args.heads,
        hidden_dropout=args.dropout,
        attention_dropout=args.dropout,
        add_bias_linear=not args.experts,
        bf16=True,
        params_dtype=torch.bfloat16,
        pipeline_dtype=torch.bfloat16,
        tensor_model_parallel_size=args.tp,
        pipeline_model_parallel_size=args.pp,
        virtual_pipeline_model_parallel_size=args.vpp if args.vpp > 1 else None,
        context_parallel_size=args.cp,
        expert_model_parallel_size=args.ep,
        sequence_parallel=args.sequence_parallel,
        overlap_p2p_comm=args.vpp > 1,
        batch_p2p_comm=args.vpp == 1,
        deallocate_pipeline_outputs=args.pp > 1,
        bias_activation_fusion=args.fusion and not args.experts,
        bias_dropout_fusion=args.fusion,
        gradient_accumulation_fusion=False,  # a kernel of Apex
        masked_softmax_fusion=False,  # another one
        **recomputation(args),
        **experts(args),
    )


def model_chunks(args: argparse.Namespace, config: TransformerConfig) -> list[torch.nn.Module]:
    """This rank's share of the model, one part for every virtual stage."""
    virtual = args.vpp if args.vpp > 1 else None
    stages = range(args.vpp) if virtual else [None]
    first, last = (
        [ask(ignore_virtual=False, vp_stage=stage) for stage in stages]
        for ask in (
            parallel_state.is_pipeline_first_stage,
            parallel_state.is_pipeline_last_stage,
        )
    )
    parts = [
        GPTModel(
            config=config,
            transformer_layer_spec=layer_specs(config, args.attention, stage),
            vocab_size=args.vocabulary,
            max_sequence_length=args.sequence,
            pre_process=first[index],
            post_process=last[index],
            share_embeddings_and_output_weights=True,
            position_embedding_type="learned_absolute",
            vp_stage=stage,
        )
        .cuda()
        .bfloat16()
        for index, stage in enumerate(stages)
    ]
    reduction = DistributedDataParallelConfig(
        grad_reduce_in_fp32=True,
        use_distributed_optimizer=args.distributed_optimizer,
        overlap_grad_reduce=args.overlap_grad_reduce,
        overlap_param_gather=args.overlap_param_gather,
    )
    # Only the first part's gradients are reduced in buckets: those of the others hide behind it.
    wrapped = [
        DistributedDataParallel(config, reduction, part, disable_bucketing=index > 0)
        for index, part in enumerate(parts)
    ]
    wire_overlap(args, config, wrapped)
    return wrapped


def wire_overlap(args: argparse.Namespace, config: TransformerConfig, wrapped: list) -> None:
    """Tell the schedule how gradients and parameters are kept in step, as Megatron-LM does."""

    def one_or_all(functions: list) -> object:
        return functions[0] if len(functions) == 1 else functions

    config.finalize_model_grads_func = finalize_model_grads
    if args.overlap_grad_reduce:
        config.no_sync_func = one_or_all([part.no_sync for part in wrapped])
        if args.vpp > 1:
            config.grad_sync_func = one_or_all([part.start_grad_sync for part in wrapped])
    if args.overlap_param_gather and args.vpp > 1:
        config.param_sync_func = one_or_all([part.start_param_sync for part in wrapped])


def batches(args: argparse.Namespace):
    """Random tokens, always the same ones; a context-parallel rank gets its part of it."""
    rank, length = parallel_state.get_context_parallel_rank(), args.sequence // args.cp
    mine = slice(rank * length, (rank + 1) * length)
    ids = torch.randint(0, args.vocabulary, (args.micro_batch, args.sequence + 1))
    positions = torch.arange(args.sequence).expand(args.micro_batch, -1)[:, mine].contiguous()
    tokens, labels = ids[:, :-1][:, mine].contiguous(), ids[:, 1:][:, mine].contiguous()
    host = [part.pin_memory() for part in (tokens, labels, positions)]
    while True:
        yield [part.cuda(non_blocking=True) for part in host]


def forward_step(iterator, model):
    tokens, labels, positions = next(iterator)
    losses = model(tokens, positions, None, labels=labels)
    return losses, mean_loss


def mean_loss(losses):
    loss = losses.float().mean()
    return loss, {"loss": loss.detach()}


def main() -> None:
    args = parse()
    start(args)
    config = transformer_config(args)
    model = model_chunks(args, config)
    optimizer = get_megatron_optimizer(
        OptimizerConfig(
            lr=1e-4,
            bf16=True,
            params_dtype=torch.bfloat16,
            clip_grad=1.0,
            use_distributed_optimizer=args.distributed_optimizer,
            overlap_param_gather=args.overlap_param_gather,
        ),
        model,
        use_gloo_process_groups=False,
    )
    replicas = parallel_state.get_data_parallel_world_size()
    global_batch = args.global_batch or args.micro_batch * replicas
    if global_batch % (args.micro_batch * replicas):
        raise SystemExit(
            f"global batch {global_batch} is no multiple of micro-batch {args.micro_batch} "
            f"times {replicas} replicas"
        )
    schedule = get_forward_backward_func()
    iterators = [batches(args) for _ in model]
    for step in range(args.steps):
        for part in model:
            part.zero_grad_buffer()
        optimizer.zero_grad()
        schedule(
            forward_step_func=forward_step,
            data_iterator=iterators if len(model) > 1 else iterators[0],
            model=model if len(model) > 1 else model[0],
            num_microbatches=global_batch // (args.micro_batch * replicas),
            seq_length=args.sequence,
            micro_batch_size=args.micro_batch,
            forward_only=False,
        )
        optimizer.step()
        if step == 0 and dist.get_rank() == 0:
            print("first step done", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
