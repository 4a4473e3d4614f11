"""A page of HTML that needs nothing from elsewhere, for light screens and dark ones."""

from __future__ import annotations

from collections.abc import Sequence

from astragal.show.svg import Markup, words

_STYLE = """
:root { color-scheme: light dark; --ink: #222; --faint: #8886; --page: #fdfcf9; --plate: #8881 }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --page: #16181a } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
figure { margin: 1.5rem 0; break-inside: avoid } svg { width: 100%; height: auto }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid var(--faint) }
td { font-variant-numeric: tabular-nums }
pre { background: var(--plate); padding: .8rem 1rem; border-radius: .4rem; overflow-x: auto }
.wide { overflow-x: auto }
"""


def page(title: str, body: str, style: str = "") -> str:
    """The page; what is in the body has been escaped already."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{words(title)}</title>
<style>{_STYLE}{style}</style>
</head>
<body>
<h1>{words(title)}</h1>
{body}
</body>
</html>
"""


def table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """A table that scrolls by itself where the screen is narrow."""
    head = "".join(f"<th>{words(name)}</th>" for name in names)
    lines = ["".join(f"<td>{words(cell)}</td>" for cell in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return Markup(f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>')
