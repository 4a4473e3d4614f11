"""A model card: what a net is, how it came to be, and what it has been measured to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from astragal.learning.run import Mark, Run
from astragal.learning.settings_file import format_settings
from astragal.values.network import NetworkValues


def model_card(run: Run, net: NetworkValues, mark: Mark, command: str) -> str:
    """The card as Markdown."""
    settings, metrics = run.settings, run.metrics()
    weights = sum(layer.weights.size + layer.units for layer in net.layers)
    sizes = "-".join(str(layer.weights.shape[-2]) for layer in net.layers)
    return f"""# {net.game.title}: a net trained by {settings.learner}

| | |
| --- | --- |
| game | {net.game.name}, version {net.game.version} |
| net | {sizes}-{net.outputs}, {net.activation}, {weights:,} weights |
| sees | {net.features.name}, version {net.features.version} |
| learned from | {mark.games:,} games |
| took | {mark.seconds:,.0f} seconds of playing and learning |

## How to train it again

```
{command}
```

The same settings give the same weights on the same kind of machine:

```toml
{format_settings(settings)}```

## How it grew

{_table(metrics)}
"""


def _percent(share: float | None) -> str:
    return "not known" if share is None else f"{share:.2%}"


def _table(metrics: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        f"| {line['games']:,} | {line['seconds']:,.0f} | {each['against']} | {each['games']:,} | "
        f"{each.get('judge') or 'nobody'} | "
        f"{_percent(each['win_rate'])} ± {_percent(each['margin'])} |"
        for line in metrics
        for each in line.get("assessments", [])
    ]
    if not rows:
        return "It was not measured while it trained."
    head = [
        "| games | seconds | against | over | luck taken out by | wins |",
        "| ---: | ---: | --- | ---: | --- | ---: |",
    ]
    return "\n".join(head + rows)
