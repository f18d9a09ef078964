"""Processes by fork, before and after the GPU is in use, and by spawn with CUDA IPC."""

import multiprocessing
import os

import torch


def host_work(number):
    return int(torch.arange(number).sum())


def use_gpu(queue):
    try:
        torch.zeros(1, device="cuda")
        queue.put("no error")
    except RuntimeError as error:
        queue.put(str(error))


def receive(tensors, answers):
    tensor = tensors.get()
    total = torch.nn.functional.linear(tensor, tensor).sum()
    torch.cuda.synchronize()
    answers.put((str(tensor.device), tuple(tensor.shape), tuple(total.shape)))
    del tensor, total


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    with fork.Pool(2) as pool:
        assert pool.map(host_work, [10, 20]) == [45, 190]

    x = torch.randn(4, 4, device="cuda")
    with fork.Pool(2) as pool:
        assert pool.map(host_work, [10, 20]) == [45, 190]
    queue = fork.SimpleQueue()
    child = fork.Process(target=use_gpu, args=(queue,))
    child.start()
    child.join()
    message = queue.get()
    assert "Cannot re-initialize CUDA in forked subprocess" in message, message

    pid = os.fork()
    if pid == 0:
        os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3

    spawn = torch.multiprocessing.get_context("spawn")
    tensors, answers = spawn.SimpleQueue(), spawn.SimpleQueue()
    child = spawn.Process(target=receive, args=(tensors, answers))
    child.start()
    tensors.put(x)
    assert answers.get() == ("cuda:0", (4, 4), ())
    child.join()
    assert child.exitcode == 0

    (x @ x).sum()
    torch.cuda.synchronize()
    print("done")
