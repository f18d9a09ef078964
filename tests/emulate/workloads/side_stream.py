"""Tensors used on a second stream: the allocator may not reuse them before that stream is done."""

import torch

MIB = 1 << 20
side = torch.cuda.Stream()
result = torch.zeros(16 * MIB // 4, device="cuda")


def peak(record: bool) -> int:
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    for _ in range(6):
        batch = torch.ones(16 * MIB // 4, device="cuda")
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            result.add_(batch)
        if record:
            batch.record_stream(side)
        del batch
    return torch.cuda.max_memory_reserved() // MIB


print(f"reserved {peak(record=False)} MiB without record_stream")
print(f"reserved {peak(record=True)} MiB with record_stream")
event = torch.cuda.Event()
event.record(side)
print("done at once" if event.query() else "pending")
polls = 1
while not event.query():
    polls += 1
print(f"done after {polls} polls")
result.sum()
event.record()
event.synchronize()
print("done" if event.query() else "pending after synchronize")
