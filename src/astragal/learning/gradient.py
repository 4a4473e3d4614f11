"""Gradient steps on batches of positions, with JAX and Optax: any number of layers, Adam or plain.

A net's weights, and what the optimiser remembers, are trees of arrays; `step` is a pure function of
them. With one output the target is the chance of winning, with several that of each outcome.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, TypeAlias

# One thread: steps are small, and the other cores are playing. It must be said before JAX begins.
os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from astragal.games.game import Positions
from astragal.learning.learner import State
from astragal.values.features import Features
from astragal.values.network import Activation, Layer, NetworkValues

Optimiser: TypeAlias = Literal["adam", "sgd"]
Weights: TypeAlias = list[tuple[Any, Any]]

_MOST_DENSE = 2000  # inputs; with more, adding up the rows of those that are on is faster
_ACTIVATIONS = {"sigmoid": jax.nn.sigmoid, "tanh": jnp.tanh, "relu": jax.nn.relu}


def sums_of(weights: Weights, inputs: Any, activation: Activation) -> Any:
    """The last layer's sums [B, outputs]; inputs are dense [B, I], or those that are on."""
    (first, biases), *others = weights
    if isinstance(inputs, tuple):
        which, amounts = inputs
        sums = jnp.einsum("bah,ba->bh", first[which], amounts) + biases
    else:
        sums = inputs @ first + biases
    for layer, more in others:
        sums = _ACTIVATIONS[activation](sums) @ layer + more
    return sums


def loss_of(weights: Weights, inputs: Any, targets: Any, activation: Activation) -> Any:
    """The mean cross-entropy between the targets [B, outputs] and what the net says."""
    sums = sums_of(weights, inputs, activation)
    if targets.shape[1] == 1:
        return optax.sigmoid_binary_cross_entropy(sums, targets).mean()
    return optax.softmax_cross_entropy(sums, targets).mean()


def _optimiser(name: Optimiser) -> optax.GradientTransformation:
    return optax.scale_by_adam() if name == "adam" else optax.identity()


@partial(jax.jit, static_argnames=("activation", "optimiser"), donate_argnums=(0, 1))
def step(
    weights: Weights,
    memory: Any,
    inputs: Any,
    targets: Any,
    alpha: Any,
    activation: Activation,
    optimiser: Optimiser,
) -> Any:
    """The weights and the optimiser's memory after one step, and the loss before it."""
    loss, slopes = jax.value_and_grad(loss_of)(weights, inputs, targets, activation)
    directions, memory = _optimiser(optimiser).update(slopes, memory, weights)
    weights = jax.tree.map(lambda w, d: w - alpha * d, weights, directions)
    return weights, memory, loss


class BatchTrainer:
    """A net that is changed in steps."""

    def __init__(self, net: NetworkValues, optimiser: Optimiser = "adam") -> None:
        self._features, self._activation = net.features, net.activation
        self._optimiser: Optimiser = optimiser
        self._weights = _as_arrays(net)
        self._memory = _optimiser(optimiser).init(self._weights)

    @property
    def net(self) -> NetworkValues:
        """The net as it is now."""
        layers = tuple(Layer(np.array(w), np.array(b)) for w, b in self._weights)
        return NetworkValues(self._features, layers, self._activation)

    def step(self, positions: Positions, targets: NDArray[np.float32], alpha: float) -> float:
        """One step towards the targets [B, outputs] of positions [B, W]; the loss before it."""
        inputs = inputs_of(self._features, positions)
        self._weights, self._memory, loss = step(
            self._weights,
            self._memory,
            inputs,
            targets,
            np.float32(alpha),
            self._activation,
            self._optimiser,
        )
        return float(loss)

    def state(self) -> State:
        """Weights and memory, as arrays by name."""
        leaves = jax.tree.leaves((self._weights, self._memory))
        return {f"trainer {number:03d}": np.array(leaf) for number, leaf in enumerate(leaves)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from there."""
        names = sorted(name for name in state if name.startswith("trainer "))
        before, form = jax.tree.flatten((self._weights, self._memory))
        pairs = zip(before, names, strict=True)
        # Of the same shape as before, a single number too, or JAX compiles something else.
        leaves = [jnp.array(state[name]).reshape(leaf.shape) for leaf, name in pairs]
        self._weights, self._memory = jax.tree.unflatten(form, leaves)


def inputs_of(features: Features, positions: Positions) -> Any:
    """The inputs in the form that is faster here: dense, or a list of those that are on."""
    if features.size <= _MOST_DENSE:
        return features.dense(positions)
    return features.active(positions)


def _as_arrays(net: NetworkValues) -> Weights:
    return [(jnp.array(layer.weights), jnp.array(layer.biases)) for layer in net.layers]
