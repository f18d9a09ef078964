"""A small GPT in flax, trained with optax's AdamW in bf16; its loss is printed every tenth step."""

import itertools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

LAYERS, WIDTH, HEADS, VOCABULARY, LENGTH, BATCH = 2, 256, 4, 512, 128, 4


class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.LayerNorm(dtype=jnp.bfloat16)(x)
        shape = (3, HEADS, WIDTH // HEADS)
        query, key, value = jnp.moveaxis(nn.DenseGeneral(shape, dtype=jnp.bfloat16)(h), -3, 0)
        h = jax.nn.dot_product_attention(query, key, value, is_causal=True)
        x = x + nn.DenseGeneral(WIDTH, axis=(-2, -1), dtype=jnp.bfloat16)(h)
        h = nn.Dense(4 * WIDTH, dtype=jnp.bfloat16)(nn.LayerNorm(dtype=jnp.bfloat16)(x))
        return x + nn.Dense(WIDTH, dtype=jnp.bfloat16)(nn.gelu(h))


class Gpt(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(VOCABULARY, WIDTH, dtype=jnp.bfloat16)(tokens)
        x = x + nn.Embed(LENGTH, WIDTH, dtype=jnp.bfloat16)(jnp.arange(LENGTH))
        for _ in range(LAYERS):
            x = Block()(x)
        return nn.Dense(VOCABULARY, use_bias=False, dtype=jnp.bfloat16)(x)


model, optimizer = Gpt(), optax.adamw(1e-3)


def loss_of(weights, batch):
    logits = model.apply(weights, batch[:, :-1]).astype(jnp.float32)
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch[:, 1:]).mean()


@jax.jit
def train_step(weights, state, batch):
    loss, gradients = jax.value_and_grad(loss_of)(weights, batch)
    updates, state = optimizer.update(gradients, state, weights)
    return optax.apply_updates(weights, updates), state, loss


weights = jax.jit(model.init)(jax.random.PRNGKey(0), jnp.ones((BATCH, LENGTH), jnp.int32))
state = optimizer.init(weights)
for step in itertools.count():
    batch = np.full((BATCH, LENGTH + 1), step % VOCABULARY, np.int32)
    weights, state, loss = train_step(weights, state, jax.device_put(batch))
    if step % 10 == 9:
        print(step, float(loss.mean()), flush=True)
