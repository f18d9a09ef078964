"""Values in graphs: nothing happens when they are captured, everything when they are launched."""

import torch

given = torch.zeros(4, device="cuda")
rounds = torch.zeros(1, dtype=torch.int64, device="cuda")
made = torch.zeros(2, 2, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    follows = given * 2 + 1
    total = follows.sum()
    kept = given.clone()
    rounds.add_(2)
    torch.mm(made, made, out=made)
assert rounds.item() == 0, "captured is not launched"
for turn in range(3):
    given.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]) * turn)
    graph.replay()
assert follows.tolist() == [5, 9, 13, 17]
assert total.item() == 44
assert kept.tolist() == [2, 4, 6, 8]
assert rounds.item() == 6
made.fill_(3)
graph.replay()
assert made.tolist() == [[0, 0], [0, 0]], "a product is not read as what was there before"
given.copy_(torch.randn(4, device="cuda"))
graph.replay()
assert follows.tolist() == [0] * 4, "nor what follows from an unknown input"
assert rounds.item() == 10
print("done")
