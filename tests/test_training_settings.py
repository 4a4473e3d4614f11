"""Settings are read as they were written, and all that is wrong with them is told at once."""

import math
import tomllib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astragal.cli.train_options import words
from astragal.errors import InputError
from astragal.games.catalogue import VARIANTS, find_game
from astragal.learning.settings import (
    LEARNERS,
    SECTIONS,
    From,
    LearnerName,
    LookaheadSettings,
    McSettings,
    NetSettings,
    TdSettings,
    TrainSettings,
    check,
    written,
)
from astragal.learning.settings_file import (
    changed,
    format_settings,
    parse_settings,
    read_settings,
)

# All but the delete character, which is looked at below.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x7f"))


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Everything that a setting of this type can be."""
    parts = get_args(kind)
    if get_origin(kind) is Annotated:
        limits = parts[1]
        if parts[0] is float:
            return st.floats(limits.low, limits.high, exclude_min=limits.is_above)
        return st.integers(int(limits.low), int(min(limits.high, 2**63 - 1)))
    if get_origin(kind) is Literal:
        return st.sampled_from(parts)
    if get_origin(kind) is tuple:
        return st.lists(values_of(parts[0]), max_size=4).map(tuple)
    if parts:
        return st.one_of([values_of(part) for part in parts])
    return {str: texts, int: st.integers(1, 4096)}[kind]


def settings_of(part: type) -> st.SearchStrategy[Any]:
    kinds = get_type_hints(part, include_extras=True)
    plain = {name: values_of(kind) for name, kind in kinds.items() if not is_dataclass(kind)}
    return st.builds(part, **plain)


@st.composite
def whole_settings(draw: st.DrawFn) -> TrainSettings:
    """Settings of a run; of the learners, only the one that was chosen has its own."""
    plain: TrainSettings = draw(settings_of(TrainSettings))
    kinds = get_type_hints(TrainSettings)
    parts = {name: draw(settings_of(kinds[name])) for name in ("net", "assess", plain.learner)}
    return replace(plain, **parts)


@given(whole_settings())
def test_settings_are_read_as_they_were_written(settings: TrainSettings) -> None:
    assert parse_settings(format_settings(settings), "a file") == settings


def test_a_file_name_with_a_delete_character_is_read_as_it_was_written() -> None:
    settings = TrainSettings("ur", start="a\x7f.safetensors")
    assert parse_settings(format_settings(settings), "a file") == settings


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_file_names_every_setting_of_its_learner(learner: LearnerName, tmp_path: Path) -> None:
    settings, path = TrainSettings("ur:blitz", learner, games=5), tmp_path / "settings.toml"
    path.write_text(format_settings(settings))
    told = tomllib.loads(path.read_text())
    assert [name for name in told if name in SECTIONS] == ["net", learner, "assess"]
    for section in ("net", learner, "assess"):
        names = [written(each.name) for each in fields(getattr(settings, section))]
        assert list(told[section]) == names
    assert read_settings(path) == settings


def test_what_a_file_leaves_out_is_as_usual() -> None:
    told = parse_settings('game = "ur"\n[net]\nhidden = [20, 10]\n[mc]\ngamma = 1', "a file")
    assert told == TrainSettings("ur", net=NetSettings(hidden=(20, 10)), mc=McSettings(gamma=1.0))


def test_changes_leave_the_rest_as_it_is() -> None:
    settings = TrainSettings("ur", seed=5, td=TdSettings(alpha=0.3, lam=0.2))
    told, faults = changed(settings, {"games": 7, "td": {"lambda": 0.9, "alpha": "auto"}})
    assert told == replace(settings, games=7, td=TdSettings(alpha="auto", lam=0.9))
    assert faults == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("gamse = 5", "gamse is not a setting: expected one of game, learner, games, seed,"),
        ("[nets]\nhidden = [5]", "nets is not a setting: expected one of game, learner,"),
        ("[td]\nlamda = 1", "td.lamda is not a setting: expected one of alpha, alpha_end, lambda,"),
        ("[mc]\nlambda = 1", "mc.lambda is not a setting: expected one of alpha, alpha_end, gamma"),
        ("[lookahead]\npool = 1", "lookahead.pool is not a setting: expected one of targets,"),
        ('learner = "q"', "learner cannot be 'q': expected one of td, mc, lookahead."),
        ("games = 1.5", "games cannot be '1.5': expected a number such as 100000."),
        ("games = true", "games cannot be 'True': expected a number such as 100000."),
        ('seed = "one"', "seed cannot be 'one': expected a number such as 0."),
        ("start = 5", "start cannot be '5': expected text."),
        ("net = 5", "net cannot be '5': expected a section."),
        ("[net]\nhidden = 80", "net.hidden cannot be '80': expected a list."),
        ('[net]\nhidden = ["many"]', "net.hidden cannot be 'many': expected a list."),
        ('[net]\nactivation = "gelu"', "'gelu': expected one of sigmoid, tanh, relu."),
        ('[net]\noutputs = "draw"', "net.outputs cannot be 'draw': expected one of win, outcomes."),
        (
            '[td]\nalpha = "fast"',
            "td.alpha cannot be 'fast': expected auto or a number such as 0.1.",
        ),
        ('[td]\nlambda = "x"', "td.lambda cannot be 'x': expected a number such as 0.7."),
        ('[td]\ndecay = "soon"', "td.decay cannot be 'soon': expected one of none, linear,"),
        ('[assess]\nagainst = "random"', "assess.against cannot be 'random': expected"),
    ],
)
def test_what_is_no_setting_is_refused_with_what_is(line: str, complaint: str) -> None:
    with pytest.raises(InputError) as fault:
        parse_settings(f'game = "ur"\n{line}\n', "my file")
    head, told = str(fault.value).split("\n")
    assert head == "'my file' cannot be used."
    assert complaint in told


def test_all_that_cannot_be_read_is_told_at_once() -> None:
    text = 'game = 1\nx = 1\nseed = "?"\n[net]\ny = 1\nhidden = 5\n[td]\nalpha = []\nlambda = 0.5'
    with pytest.raises(InputError) as fault:
        parse_settings(text, "my file")
    told = str(fault.value).split("\n")[1:]
    assert len(told) == 6
    for name in ("game", "x", "seed", "net.y", "net.hidden", "td.alpha"):
        assert any(line.startswith(f"{name} ") for line in told)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "'my file' names no game: expected game = \"...\"."),
        ("[net]\nhidden = [5]", "'my file' names no game: expected game = \"...\"."),
        ('game = "ur', "'my file' is not TOML: "),
        ("game = ur", "'my file' is not TOML: "),
    ],
)
def test_what_is_no_file_of_settings_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as fault:
        parse_settings(text, "my file")
    assert complaint in str(fault.value)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(b"\xff\xfe\xfa")
    for name, why in (("noise", "it is not text"), ("none", "No such file"), ("", "directory")):
        with pytest.raises(InputError) as fault:
            read_settings(tmp_path / name)
        assert why in str(fault.value)
        assert str(fault.value).endswith("expected a file of settings.")


def faults_of(settings: TrainSettings) -> list[str]:
    """What is wrong, a sentence each."""
    try:
        check(settings, find_game(settings.game))
    except InputError as fault:
        return str(fault).split("\n")
    return []


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_usual_settings_fit_every_game(name: str, learner: LearnerName) -> None:
    assert faults_of(TrainSettings(name, learner)) == []


class Number(NamedTuple):
    """A setting that is a number within limits."""

    learner: LearnerName
    section: str
    name: str
    limits: From
    is_whole: bool

    @property
    def where(self) -> str:
        return f"{self.section}.{written(self.name)}" if self.section else written(self.name)

    def set_to(self, value: float) -> TrainSettings:
        settings = TrainSettings("ur", self.learner)
        if not self.section:
            return replace(settings, **{self.name: value})  # type: ignore[arg-type]
        part = replace(getattr(settings, self.section), **{self.name: value})
        return replace(settings, **{self.section: part})


def every_number() -> Iterator[Number]:
    """A new setting adds itself."""
    settings = TrainSettings("ur")
    for section in ("", *SECTIONS):
        part = getattr(settings, section) if section else settings
        learner: LearnerName = section if section in LEARNERS else "td"  # type: ignore[assignment]
        for name, kind in get_type_hints(type(part), include_extras=True).items():
            kinds = [kind, *get_args(kind)]
            for each in kinds:
                if get_origin(each) is Annotated:
                    plain, limits = get_args(each)
                    yield Number(learner, section, name, limits, plain is int)


@pytest.mark.parametrize("number", list(every_number()), ids=lambda number: number.where)
def test_a_number_beyond_its_limits_is_refused_with_the_limits(number: Number) -> None:
    low, high, is_above = number.limits
    step = 1 if number.is_whole else 1e-3
    outside = [low - step, *([low] if is_above else []), high + step]
    if not number.is_whole:
        outside += [math.nan, math.inf, -math.inf]
    for value in outside:
        (told,) = [line for line in faults_of(number.set_to(value)) if "expected a number" in line]
        assert told.startswith(f"{number.where} cannot be ")
        assert f"expected a number {'above' if is_above else 'from'} {low} to {high}." in told


@pytest.mark.parametrize("number", list(every_number()), ids=lambda number: number.where)
def test_a_number_at_its_limits_is_taken(number: Number) -> None:
    low, high, is_above = number.limits
    inside = [low + (1e-3 if is_above else 0), min(high, 10**9)]
    for value in inside:
        told = faults_of(number.set_to(int(value) if number.is_whole else value))
        assert not any("expected a number " in line and "with decay" not in line for line in told)


def test_a_number_that_is_refused_is_told_as_it_was_written() -> None:
    (told,) = faults_of(TrainSettings("ur", stretch=1_000_001))
    assert told.startswith("stretch cannot be 1000001: ")


def test_a_number_of_games_of_hundreds_of_digits_is_refused() -> None:
    (told,) = faults_of(TrainSettings("ur", games=10**400))
    assert told.startswith("games cannot be ")


@pytest.mark.parametrize(
    ("settings", "complaints"),
    [
        (
            TrainSettings("ur", net=NetSettings(hidden=(40, 20))),
            ["net.hidden cannot be 40,20 with td: expected one hidden layer."],
        ),
        (
            TrainSettings("backgammon", net=NetSettings(outputs="outcomes")),
            ["net.outputs cannot be 'outcomes' with td: expected win."],
        ),
        (
            TrainSettings("backgammon", net=NetSettings("signs")),
            [
                "net.features cannot be 'signs' with td, which has no time to look for signs: "
                "expected one of tesauro198, hilton198, hilton326."
            ],
        ),
        (
            TrainSettings("ur", td=TdSettings(alpha_end=0.01)),
            ["td.alpha_end cannot be 0.01 with decay none: expected another decay."],
        ),
        (
            TrainSettings("ur", "mc", mc=McSettings(epsilon_end=0.01)),
            ["mc.epsilon_end cannot be 0.01 with decay none: expected another decay."],
        ),
        (
            TrainSettings("ur", td=TdSettings(decay="linear", alpha=0.1, alpha_end=0.2)),
            ["td.alpha_end cannot be 0.2: expected at most alpha, 0.1."],
        ),
        (
            TrainSettings("ur", td=TdSettings(decay="exponential", epsilon=0.1)),
            [
                "td.alpha_end cannot be 0 with decay exponential: expected a number above 0.",
                "td.epsilon_end cannot be 0 with decay exponential: expected a number above 0.",
            ],
        ),
        (
            TrainSettings("ur", "mc", mc=McSettings(decay="exponential", alpha_end=1e-4)),
            ["mc.epsilon_end cannot be 0 with decay exponential: expected a number above 0."],
        ),
        (
            TrainSettings(
                "ur", "lookahead", lookahead=LookaheadSettings(examples="evaluated", lam=1)
            ),
            ["lookahead.lambda cannot be 1 with examples evaluated: expected 0."],
        ),
        (
            TrainSettings(
                "ur",
                "lookahead",
                lookahead=LookaheadSettings(examples="evaluated", targets="sample"),
            ),
            [
                "lookahead.targets cannot be 'sample' with examples evaluated: "
                "expected expectation or tree."
            ],
        ),
        (
            TrainSettings("ur", "lookahead", lookahead=LookaheadSettings(targets="tree", scout=8)),
            [
                "lookahead.scout cannot be 8 with targets tree, where all plays are looked at in "
                "any case: expected 0."
            ],
        ),
        (
            TrainSettings(
                "backgammon",
                "lookahead",
                net=NetSettings(outputs="outcomes"),
                lookahead=LookaheadSettings(targets="sample", luck="take", luck_kept=0, scout=8),
            ),
            [
                "lookahead.luck_kept cannot be 0 with outputs outcomes, which a scout does not "
                "tell: expected at least 1."
            ],
        ),
        (
            TrainSettings("ur", "lookahead", lookahead=LookaheadSettings(luck="take", scout=8)),
            [
                "lookahead.luck cannot be 'take' with targets expectation and scout 8: "
                "expected targets sample, and a scout."
            ],
        ),
        (
            TrainSettings(
                "ur", "lookahead", lookahead=LookaheadSettings(luck="take", targets="sample")
            ),
            [
                "lookahead.luck cannot be 'take' with targets sample and scout 0: "
                "expected targets sample, and a scout."
            ],
        ),
        (
            TrainSettings("ur", "lookahead", lookahead=LookaheadSettings(targets="peers")),
            ["lookahead.peers cannot be none with targets peers: expected some."],
        ),
        (
            TrainSettings("ur", "lookahead", lookahead=LookaheadSettings(peers=("a", "b"))),
            ["lookahead.peers cannot be a, b with targets expectation: expected none."],
        ),
        (
            TrainSettings(
                "ur",
                "lookahead",
                lookahead=LookaheadSettings(targets="peers", peers=("a",), lam=0.5),
            ),
            [
                "lookahead.targets cannot be 'peers' with lambda 0.5 and examples played: "
                "expected lambda 0 and examples played."
            ],
        ),
        (
            TrainSettings("ur", net=NetSettings(features="tesauro198")),
            [
                "net.features cannot be 'tesauro198': expected auto or one of "
                "rows32, unary, patterns, signs for ur."
            ],
        ),
        (
            TrainSettings("ur", "mc", net=NetSettings(hidden=())),
            ["net.hidden cannot have 0 layers: expected 1 to 8."],
        ),
        (
            TrainSettings("ur", "mc", net=NetSettings(hidden=(4,) * 9)),
            ["net.hidden cannot have 9 layers: expected 1 to 8."],
        ),
        (
            TrainSettings("ur", "mc", net=NetSettings(hidden=(0, 5, 4_097))),
            [
                "net.hidden cannot have 0 units: expected 1 to 4096.",
                "net.hidden cannot have 4097 units: expected 1 to 4096.",
            ],
        ),
    ],
)
def test_what_contradicts_itself_is_refused(settings: TrainSettings, complaints: list[str]) -> None:
    assert faults_of(settings) == complaints


@pytest.mark.parametrize(
    "settings",
    [
        TrainSettings("backgammon", "mc", net=NetSettings(hidden=(40, 20), outputs="outcomes")),
        TrainSettings("backgammon", "lookahead", net=NetSettings(hidden=(9,) * 8)),
        TrainSettings("ur", "mc", td=TdSettings(alpha_end=0.01)),
        TrainSettings("ur", td=TdSettings(decay="exponential", alpha_end=1e-3)),
        TrainSettings("ur", td=TdSettings(decay="cosine")),
        TrainSettings("ur", "lookahead", lookahead=LookaheadSettings(targets="sample", lam=1)),
        TrainSettings(
            "ur", "lookahead", lookahead=LookaheadSettings(examples="evaluated", targets="tree")
        ),
    ],
)
def test_what_fits_together_is_taken(settings: TrainSettings) -> None:
    assert faults_of(settings) == []


def test_all_faults_are_told_at_once_with_those_that_were_found_before() -> None:
    net = NetSettings(features="none", hidden=(0, 9_999), outputs="outcomes", spread=-1)
    settings = TrainSettings("ur", games=0, workers=-1, net=net, td=TdSettings(alpha=-1, lam=2))
    with pytest.raises(InputError) as fault:
        check(settings, find_game("ur"), ["Something else."])
    first, *told = str(fault.value).split("\n")
    assert first == "Something else."
    assert [line.split(" cannot ")[0] for line in told] == [
        "games",
        "workers",
        "net.spread",
        "td.alpha",
        "td.lambda",
        "net.features",
        "net.hidden",
        "net.hidden",
        "net.hidden",
        "net.outputs",
    ]


@pytest.mark.parametrize("thumb", ["nobody", "ratio"])
def test_a_heuristic_that_the_game_has_not_is_refused(thumb: str) -> None:
    own = LookaheadSettings(handcrafted=thumb, handcrafted_games=10)
    (told,) = faults_of(TrainSettings("ur", "lookahead", lookahead=own))
    assert told == (
        f"lookahead.handcrafted cannot be {thumb!r}: expected one of pips, material for ur."
    )


def test_every_setting_has_words_under_it() -> None:
    settings, told = TrainSettings("ur"), words()
    for part in (settings, *(getattr(settings, section) for section in SECTIONS)):
        for each in fields(part):
            if not is_dataclass(getattr(part, each.name)):
                assert told[type(part).__name__, each.name].endswith(".")
