"""The steps of an ONNX graph, as they are put together."""

from __future__ import annotations

from typing import Any

import numpy as np


class Steps:
    """The steps of a graph, one after the other, and the tables that they read."""

    def __init__(self, onnx: Any) -> None:
        self._onnx = onnx
        self.int64: int = onnx.TensorProto.INT64
        self.float32: int = onnx.TensorProto.FLOAT
        self.nodes: list[Any] = []
        self.tables: list[Any] = []

    def add(self, step: str, *inputs: str, name: str = "", **options: Any) -> str:
        """Adds a step; the name of what it gives."""
        given = name or f"{step.lower()}_{len(self.nodes)}"
        self.nodes.append(self._onnx.helper.make_node(step, inputs, [given], given, **options))
        return given

    def table(self, name: str, numbers: Any) -> str:
        """Adds a table of numbers; its name."""
        numbers = np.ascontiguousarray(numbers)
        self.tables.append(self._onnx.numpy_helper.from_array(numbers, name))
        return name

    def floats(self, numbers: Any) -> str:
        """Adds a table of float32 that needs no name of its own."""
        return self.table(f"floats_{len(self.tables)}", np.asarray(numbers, np.float32))

    def integers(self, *numbers: int) -> str:
        """Adds a list of int64 that needs no name of its own."""
        return self.table(f"integers_{len(self.tables)}", np.array(numbers, np.int64))
