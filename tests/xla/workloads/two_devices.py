"""One process, every GPU: products on shards of a batch, whose gradients are averaged."""

import itertools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as Split

LAYERS, WIDTH, ROWS = 6, 1024, 256

mesh = Mesh(np.array(jax.devices()), ("data",))
everywhere, rows = NamedSharding(mesh, Split()), NamedSharding(mesh, Split("data"))


def loss_of(weights, x):
    for weight in weights:
        x = jnp.tanh(x @ weight)
    return (x.astype(jnp.float32) ** 2).mean()


@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(Split(), Split("data")), out_specs=(Split(), Split()))
def train_step(weights, x):
    loss, gradients = jax.value_and_grad(loss_of)(weights, x)
    gradients, loss = jax.lax.pmean((gradients, loss), "data")
    return [w - 0.01 * g for w, g in zip(weights, gradients, strict=True)], loss


weights = jax.device_put([np.full((WIDTH, WIDTH), 0.01, jnp.bfloat16)] * LAYERS, everywhere)
for _ in itertools.count():
    batch = np.ones((ROWS * len(jax.devices()), WIDTH), jnp.bfloat16)
    weights, loss = train_step(weights, jax.device_put(batch, rows))
