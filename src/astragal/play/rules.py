"""The rules of a game in a few sentences, for people who sit before its board."""

from __future__ import annotations

from collections.abc import Iterator

from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Game
from astragal.games.ur import UrRules
from astragal.games.ur_notation import UrNotation

_TIC_TAC_TOE = (
    "x begins; then each takes a free cell in turn.",
    "Three in a row, a column or a diagonal win. If all nine cells are taken and nobody has three "
    "in a line, the game is drawn.",
)


def rules_of(game: Game) -> list[str]:
    """A few sentences each, in the order in which one wants to know them."""
    if isinstance(game.rules, UrRules):
        return list(_ur(game, game.rules))
    if isinstance(game.rules, BackgammonRules):
        return list(_backgammon(game))
    return list(_TIC_TAC_TOE)


def _ur(game: Game, rules: UrRules) -> Iterator[str]:
    notation = game.notation
    assert isinstance(notation, UrNotation)
    count = notation.stones
    dice = int(rules.throws.size).bit_length() - 1
    yield (
        f"Race {count} stone{'s' if count > 1 else ''} along your path, from beside the board, "
        "through the middle row that both share, and home. Whoever is home with all of them first "
        "wins."
    )
    yield (
        f"{dice} dice are thrown, each marked on two of its four corners. Move one stone as many "
        "squares as marked corners point up."
        + (" No mark at all counts four." if "0" not in game.rolls else "")
    )
    yield (
        "Land on a stone of the other side and it goes back to its start. You may not land on "
        "your own."
    )
    safe = (
        "a stone that stands on one cannot be captured"
        if rules.barred.any()
        else "but a stone that stands on one can still be captured"
    )
    again = " A capture gives another roll too." if rules.capture_rolls_again else ""
    yield f"A rosette gives you another roll, and {safe}.{again}".replace("and but", "but")
    yield (
        "A stone comes home by an exact throw only. If nothing can be moved, the turn passes; "
        "otherwise you must move."
    )


def _backgammon(game: Game) -> Iterator[str]:
    pieces = game.rules.pieces
    yield (
        f"Bring your {pieces} checkers round the board into your home board, the points 1 to 6, "
        "and bear them off. Whoever has borne off all of them first wins."
    )
    yield (
        "Two dice are thrown. Each moves a checker that many points towards your home; a double "
        "counts twice as often. Both dice must be played if that can be."
    )
    yield (
        "A point with two or more checkers of the other side is closed. A single one is hit: it "
        "goes to the bar, and must enter again before its side may move anything else."
    )
    yield (
        "With all your checkers in the home board you bear them off: by the exact die, or by a "
        "larger one from the highest point that you hold."
    )
    if max(game.outcomes) > 1:
        yield (
            "Win before the other side has borne off any checker and it counts two points, a "
            "gammon; three, a backgammon, if one of them is still in your home board or on the bar."
        )
