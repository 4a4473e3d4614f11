"""What a run is made with: everything that decides its result, refused whole where it cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
)

from astragal.agents.specs import parse_agent, searching_form
from astragal.errors import InputError, quote
from astragal.games.game import Game
from astragal.values.feature_sets import feature_sets, features
from astragal.values.heuristics import heuristics_of
from astragal.values.network import Activation
from astragal.values.signs import phases_of

LearnerName: TypeAlias = Literal["td", "mc", "lookahead"]
Decay: TypeAlias = Literal["none", "linear", "exponential", "cosine"]
Auto: TypeAlias = Literal["auto"]

MOST_UNITS = 4096
MOST_LAYERS = 8


class From(NamedTuple):
    """A number from low to high."""

    low: float
    high: float
    is_above: bool = False
    """Whether low itself is left out."""


Share: TypeAlias = Annotated[float, From(0, 1)]
Rate: TypeAlias = Annotated[float, From(0, 10, is_above=True)]
EndRate: TypeAlias = Annotated[float, From(0, 10)]
Count: TypeAlias = Annotated[int, From(0, 10**12)]
Positive: TypeAlias = Annotated[int, From(1, 10**12)]


@dataclass(frozen=True)
class NetSettings:
    """What is learned: a net."""

    features: str = "auto"
    """What it sees of a position; auto for a set that suits the game."""
    hidden: tuple[int, ...] = (80,)
    """How many units each hidden layer has."""
    activation: Activation = "sigmoid"
    """What a hidden unit makes of its sum."""
    outputs: Literal["win", "outcomes"] = "win"
    """Whether it tells the chance of winning alone, or that of every outcome."""
    phases: Literal["one", "each"] = "one"
    """Whether the layers behind the first are the same throughout the game, or each of its phases
    has its own: more units at no cost, where signs are read that tell phases apart."""
    spread: EndRate | Literal["auto", "small"] = "auto"
    """The standard deviation of its first weights; auto fits it to each layer, and makes the last
    one so small that a fresh net says one half everywhere. With small those of the inputs begin
    close to nothing too: what an input means is then learned, and one that is hardly ever on means
    nothing, where it would go on to mean what was drawn by lot."""


@dataclass(frozen=True)
class TdSettings:
    """Online TD(lambda): the weights change after every move."""

    alpha: Rate | Auto = 0.1
    """How far the weights go; auto for 1 / (10 E|x|^2), x being the inputs."""
    alpha_end: EndRate = 0.0
    """Where alpha ends if it decays."""
    lam: Share = 0.7
    """How much of its trace a weight keeps from move to move."""
    epsilon: Share = 0.0
    """How often a play is drawn by lot."""
    epsilon_end: Share = 0.0
    """Where epsilon ends if it decays."""
    decay: Decay = "none"
    """How alpha and epsilon go from their beginning to their end."""
    plies: Annotated[int, From(0, 1)] = 0
    """How far ahead plays are looked at while learning."""
    view: Literal["other", "own"] = "other"
    """Whether plays are chosen while learning by the lowest value for the other side, or by the
    highest own value, as if one rolled next."""
    starts: Share = 0.0
    """The share of games that begin with some turns drawn by lot, from which nothing is learned."""
    starts_turns: Annotated[int, From(1, 1000)] = 6
    """The most turns that are drawn so."""
    pool: Annotated[int, From(0, 100)] = 0
    """How many earlier selves are kept as opponents; 0 plays against itself alone."""
    pool_share: Share = 0.5
    """How many of the games are against one of them, once there are any."""
    pool_every: Positive = 50_000
    """Games between two selves that are kept."""


@dataclass(frozen=True)
class McSettings:
    """Monte Carlo: the average return of every afterstate seen, and gradient steps towards it."""

    alpha: Rate = 0.003
    """The rate of the gradient steps."""
    alpha_end: EndRate = 0.0
    """Where alpha ends if it decays."""
    gamma: Share = 0.95
    """What a result counts less for each of one's own moves before it."""
    epsilon: Share = 0.1
    """How often a play is drawn by lot."""
    epsilon_end: Share = 0.0
    """Where epsilon ends if it decays."""
    decay: Decay = "none"
    """How alpha and epsilon go from their beginning to their end."""
    side: Literal["first", "second", "both"] = "both"
    """Whose moves are learned: of who begins, of the other, or of both."""
    opponent: str = "itself"
    """Who has the other side: itself, or any agent, such as random, onestep or net:FILE."""
    starts: Share = 0.0
    """The share of games that begin with some turns drawn by lot, from which nothing is learned."""
    starts_turns: Annotated[int, From(1, 1000)] = 6
    """The most turns that are drawn so."""
    update_games: Positive = 100
    """Games between gradient steps."""
    steps: Annotated[int, From(1, 100_000)] = 1
    """Gradient steps at a time."""
    batch: Annotated[int, From(0, 65_536)] = 0
    """Afterstates in a step, drawn by lot; 0 for all of them, up to 65,536."""
    optimiser: Literal["sgd", "adam"] = "adam"
    """How a gradient becomes a step."""
    memory: Annotated[int, From(1, 10_000_000)] = 200_000
    """How many afterstates are remembered; the ones seen least recently go first."""


@dataclass(frozen=True)
class LookaheadSettings:
    """Targets from a better estimator than the net itself, a memory of them, and Adam."""

    targets: Literal["expectation", "sample", "tree", "peers"] = "expectation"
    """Where targets come from: all rolls with their best replies, one roll, tree search, or what
    other nets say."""
    peers: tuple[str, ...] = ()
    """Nets in files, for targets peers: what they say of a position on average. Each errs in its
    own way, so who learns from several comes to know more than any of them."""
    teacher: Literal["itself", "start"] = "itself"
    """Who plays and gives the targets: the net itself as it learns, or what it was at the start.
    What it tells itself may drift from what is right; what stays as it is cannot."""
    tree_evaluations: Annotated[int, From(1, 100_000)] = 100
    """How many evaluations a tree search has for a target."""
    handcrafted: str = "pips"
    """The heuristic that makes the targets of the first games, such as pips or ratio."""
    handcrafted_games: Count = 0
    """How many games that is; 0 for none."""
    examples: Literal["played", "evaluated"] = "played"
    """Whether targets are made for positions played, or for all plays, which are then chosen by
    them."""
    lam: Share = 0.0
    """How much of the next target's expected error each target takes over."""
    lam_end: Share | Auto = "auto"
    """Where lambda ends if it decays; auto leaves it as it is."""
    alpha: Rate = 0.001
    """Adam's rate."""
    alpha_end: EndRate = 0.0
    """Where alpha ends if it decays."""
    floor: Annotated[float, From(0, 1, is_above=True)] = 1e-8
    """Adam's epsilon. Weights whose slopes are usually smaller, such as those of inputs that are
    seldom on, learn more slowly than others, and not from the noise of a few positions."""
    rates: Literal["even", "width"] = "even"
    """Whether all layers learn at the same rate, or those that hear many units more slowly, so
    that none of theirs falls silent for ever: for nets of several layers."""
    silent: Literal["wake", "leave"] = "wake"
    """What is done with ReLU units that say nothing any more, whatever the position: they are given
    new weights, or left as they are."""
    scout: Annotated[int, From(0, MOST_UNITS)] = 0
    """Units of a small net that learns beside it and looks at all plays first; the net itself looks
    at those that it likes best. 0 for none."""
    scout_kept: Annotated[int, From(1, 1000)] = 6
    """How many of a roll's plays those are at most."""
    scout_margin: Annotated[float, From(0, 1000)] = 0.5
    """How far the scout's log odds of a play may be behind those of the best for it to be one."""
    scout_games: Count = 5_000
    """Games in which the scout learns before it is asked, after handcrafted ones. Where luck is to
    be taken out, the net does not learn from them."""
    luck: Literal["leave", "take"] = "leave"
    """Whether the luck of its roll is left in a sampled target, or taken out: by how much what the
    net says of the plays that the scout likes best is better than for rolls on average."""
    luck_kept: Annotated[int, From(0, 1000)] = 2
    """How many plays of every roll the net looks at for that, at most. With 0 the scout's own word
    is taken, where wins alone are told: quicker, but it sees less of the luck."""
    luck_margin: Annotated[float, From(0, 1000)] = 0.2
    """How far they may be behind the best, as with `scout_margin`."""
    average: Share = 0.0
    """How much of the average of its weights is kept from stretch to stretch. The average plays,
    gives the targets, and is what is saved; with 0 it is the net itself."""
    decay: Decay = "none"
    """How alpha and epsilon go from their beginning to their end."""
    epsilon: Share = 0.05
    """How often a play is drawn by lot."""
    epsilon_end: Share = 0.0
    """Where epsilon ends if it decays."""
    starts: Share = 0.0
    """The share of games that begin with some turns drawn by lot, from which nothing is learned."""
    starts_turns: Annotated[int, From(1, 1000)] = 6
    """The most turns that are drawn so."""
    again: Share = 0.0
    """The share of games that begin where one of the stretch before went wrong: the further what
    look-ahead said of a position was from what the net said, the likelier it is to be played again.
    Half of all errors are in few, unusual positions, which hardly come up otherwise."""
    memory: Annotated[int, From(1, 10_000_000)] = 200_000
    """How many positions are remembered."""
    batch: Annotated[int, From(1, 65_536)] = 512
    """Positions in a step."""
    uses: Annotated[float, From(0, 1000, is_above=True)] = 2.0
    """How often a position is used on average."""
    parts: Annotated[int, From(1, 100_000)] = 4
    """Tasks that a stretch of games is cut into: so many processes can play it at once. What comes
    out depends on it, but not on how many there are."""


@dataclass(frozen=True)
class AssessSettings:
    """How strength is measured while it grows."""

    against: tuple[str, ...] = ()
    """Agents that it plays; none for the game's usual ones."""
    every: Count = 0
    """Games of training between two measurements; 0 for twenty in the run."""
    games: Annotated[int, From(2, 1_000_000)] = 1_000
    """Games against each agent."""
    judge: str = "auto"
    """The agent whose values take the luck out; auto for the champion, none to leave it in."""


@dataclass(frozen=True)
class TrainSettings:
    """All of it."""

    game: str
    """The name in the catalogue."""
    learner: LearnerName = "td"
    """How it learns."""
    games: Positive = 100_000
    """How many games it learns from."""
    seed: Annotated[int, From(0, 2**63 - 1)] = 0
    """The same seed gives the same weights."""
    stretch: Annotated[int, From(0, 1_000_000)] = 0
    """Games between two looks at the clock; 0 for what suits the learner."""
    start: str = ""
    """A net to begin with, in a file; none begins from nothing."""
    workers: Annotated[int, From(0, 256)] = 0
    """Processes that play for lookahead; 0 for as many as there are cores."""
    net: NetSettings = NetSettings()
    td: TdSettings = TdSettings()
    mc: McSettings = McSettings()
    lookahead: LookaheadSettings = LookaheadSettings()
    assess: AssessSettings = AssessSettings()

    @property
    def own(self) -> TdSettings | McSettings | LookaheadSettings:
        """The settings of the learner that was chosen."""
        chosen: TdSettings | McSettings | LookaheadSettings = getattr(self, self.learner)
        return chosen


LEARNERS: tuple[str, ...] = get_args(LearnerName)
SECTIONS = ("net", "td", "mc", "lookahead", "assess")
_WRITTEN = {"lam": "lambda", "lam_end": "lambda_end"}


def written(name: str) -> str:
    """The name of a setting as people write it."""
    return _WRITTEN.get(name, name)


def check(settings: TrainSettings, game: Game, others: Sequence[str] = ()) -> None:
    """InputError that tells all faults at once, with others that were found before, if any."""
    found = [*others, *_faults(settings, game)]
    if found:
        raise InputError("\n".join(found))


def _faults(settings: TrainSettings, game: Game) -> Iterator[str]:
    yield from _range_faults("", settings)
    for section in SECTIONS:
        if section in ("net", "assess", settings.learner):
            yield from _range_faults(f"{section}.", getattr(settings, section))
    yield from _net_faults(settings, game)
    yield from _contradictions(settings)
    yield from _agent_faults(settings, game)
    heuristics = heuristics_of(game)
    if settings.learner == "lookahead" and settings.lookahead.handcrafted not in heuristics:
        yield (
            f"lookahead.handcrafted cannot be {quote(settings.lookahead.handcrafted)}: expected "
            f"one of {', '.join(heuristics)} for {game.name}."
        )


def _range_faults(section: str, settings: Any) -> Iterator[str]:
    for name, kind in get_type_hints(type(settings), include_extras=True).items():
        value, where = getattr(settings, name), f"{section}{written(name)}"
        names, limits = names_of(kind), _limits(kind)
        if isinstance(value, str) and names and value not in names:
            yield f"{where} cannot be {quote(value)}: expected one of {', '.join(names)}."
        if limits is not None and not isinstance(value, str):
            is_low = value <= limits.low if limits.is_above else value < limits.low
            if is_low or not value <= limits.high:
                least = f"{'above' if limits.is_above else 'from'} {limits.low}"
                told = quote(value).strip("'")
                yield f"{where} cannot be {told}: expected a number {least} to {limits.high}."


def _limits(kind: Any) -> From | None:
    """What a number of this type is limited to."""
    found = [part for part in getattr(kind, "__metadata__", ()) if isinstance(part, From)]
    found += filter(None, map(_limits, get_args(kind)))
    return found[0] if found else None


def names_of(kind: Any) -> list[str]:
    """The words that a setting of this type can be."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [name for part in get_args(kind) if part is not kind for name in names_of(part)]


def _net_faults(settings: TrainSettings, game: Game) -> Iterator[str]:
    net = settings.net
    known = feature_sets(game)
    if net.features not in ("auto", *known):
        yield (
            f"net.features cannot be {quote(net.features)}: expected auto or one of "
            f"{', '.join(known)} for {game.name}."
        )
    is_known = settings.learner == "td" and net.features in known
    if is_known and features(game, net.features).sign_groups:
        plain = [name for name in known if not features(game, name).sign_groups]
        yield (
            f"net.features cannot be {quote(net.features)} with td, which has no time to look "
            f"for signs: expected one of {', '.join(plain)}."
        )
    able = [name for name in known if _tells_phases(game, name)]
    if net.phases == "each" and not able:
        yield f"net.phases cannot be 'each': expected one, as {game.name} has no phases."
    elif net.phases == "each" and net.features in ("auto", *known) and net.features not in able:
        yield (
            f"net.phases cannot be 'each' with {net.features} as features, which tells no phases: "
            f"expected one of {', '.join(able)}."
        )
    for units in net.hidden:
        if not 1 <= units <= MOST_UNITS:
            yield f"net.hidden cannot have {units} units: expected 1 to {MOST_UNITS}."
    if not 1 <= len(net.hidden) <= MOST_LAYERS:
        yield f"net.hidden cannot have {len(net.hidden)} layers: expected 1 to {MOST_LAYERS}."


def _tells_phases(game: Game, name: str) -> bool:
    return phases_of(game) > 1 and features(game, name).sign_groups > 0


def _agent_faults(settings: TrainSettings, game: Game) -> Iterator[str]:
    named = [("assess.against", spec) for spec in settings.assess.against]
    if settings.assess.judge not in ("auto", "none"):
        named.append(("assess.judge", settings.assess.judge))
    if settings.learner == "mc" and settings.mc.opponent != "itself":
        named.append(("mc.opponent", settings.mc.opponent))
    for where, spec in named:
        try:
            agent = parse_agent(game, spec)
        except InputError as fault:
            yield f"{where} cannot be {quote(spec)}: {fault}"
        else:
            if where == "assess.judge" and searching_form(agent, "win") is None:
                yield f"{where} cannot be {quote(spec)}: expected an agent that has values."


def _contradictions(settings: TrainSettings) -> Iterator[str]:
    own, net = settings.own, settings.net
    if settings.learner == "td" and len(net.hidden) > 1:
        told = ",".join(map(str, net.hidden))
        yield f"net.hidden cannot be {told} with td: expected one hidden layer."
    if settings.learner == "td" and net.outputs != "win":
        yield "net.outputs cannot be 'outcomes' with td: expected win."
    if isinstance(own, TdSettings) and own.view == "own" and own.plies > 0:
        yield f"td.plies cannot be {own.plies} with view own: expected 0."
    if isinstance(own, LookaheadSettings):
        yield from _lookahead_contradictions(own)
        if own.luck == "take" and own.luck_kept == 0 and net.outputs != "win":
            yield (
                "lookahead.luck_kept cannot be 0 with outputs outcomes, which a scout does not "
                "tell: expected at least 1."
            )
    for name in ("alpha", "epsilon"):
        begin, end = getattr(own, name), getattr(own, f"{name}_end")
        where = f"{settings.learner}.{name}_end"
        if own.decay == "none" and end != 0:
            yield f"{where} cannot be {end:g} with decay none: expected another decay."
        if own.decay != "none" and begin != "auto" and end > begin > 0:
            yield f"{where} cannot be {end:g}: expected at most {name}, {begin:g}."
    if isinstance(own, TdSettings) and own.pool > 0 and own.pool_every >= settings.games:
        yield (
            f"td.pool_every cannot be {own.pool_every} with {settings.games} games and a pool: "
            "expected fewer games between two selves than there are."
        )
    if own.decay == "exponential":
        for name in ("alpha", "epsilon"):
            if getattr(own, name) != 0 and getattr(own, f"{name}_end") == 0:
                yield (
                    f"{settings.learner}.{name}_end cannot be 0 with decay exponential: "
                    "expected a number above 0."
                )


def _lookahead_contradictions(own: LookaheadSettings) -> Iterator[str]:
    is_evaluated = own.examples == "evaluated"
    if is_evaluated and own.lam > 0:
        yield f"lookahead.lambda cannot be {own.lam:g} with examples evaluated: expected 0."
    if is_evaluated and own.targets == "sample":
        yield (
            "lookahead.targets cannot be 'sample' with examples evaluated: "
            "expected expectation or tree."
        )
    if is_evaluated and own.again > 0:
        yield f"lookahead.again cannot be {own.again:g} with examples evaluated: expected 0."
    if own.scout > 0 and (is_evaluated or own.targets == "tree"):
        what = "examples evaluated" if is_evaluated else "targets tree"
        yield (
            f"lookahead.scout cannot be {own.scout} with {what}, where all plays are looked at "
            "in any case: expected 0."
        )
    if own.luck == "take" and (own.targets != "sample" or own.scout == 0):
        yield (
            f"lookahead.luck cannot be 'take' with targets {own.targets} and scout {own.scout}: "
            "expected targets sample, and a scout."
        )
    if (own.targets == "peers") != bool(own.peers):
        told = ", ".join(own.peers) or "none"
        wish = "some" if own.targets == "peers" else "none"
        yield f"lookahead.peers cannot be {told} with targets {own.targets}: expected {wish}."
    if own.targets == "peers" and (own.lam > 0 or is_evaluated):
        yield (
            f"lookahead.targets cannot be 'peers' with lambda {own.lam:g} and examples "
            f"{own.examples}: expected lambda 0 and examples played."
        )
    if own.lam_end in ("auto", own.lam):
        return
    if own.decay == "none":
        yield (
            f"lookahead.lambda_end cannot be {own.lam_end:g} with decay none: "
            "expected another decay."
        )
    if is_evaluated:
        yield (
            f"lookahead.lambda_end cannot be {own.lam_end:g} with examples evaluated: "
            "expected auto."
        )
