// A game that is played: the board, the dice, what can be done, and what the judge thinks of it.

import { catalogue, get, listen, post, Refusal, stageOf } from "./api.js";
import { AstragalBoard, differences, pipsOf, setColours } from "./board.js";
import { AstragalDice } from "./dice.js";
import { html, pause, redraw, refill } from "./dom.js";
import { amountOf, judgement, playTable, scrollToShown, summary, turnList } from "./judge.js";
import { copyButton, isStill, say, trouble, wishes } from "./say.js";
import { tour } from "./tour.js";

/** @typedef {import("./api.js").KeptGame} KeptGame */
/** @typedef {import("./api.js").ShownGame} ShownGame */
/** @typedef {import("./api.js").Turn} Turn */
/** @typedef {import("./api.js").Analysis} Analysis */

const WATCH_MILLISECONDS = 700;

/**
 * @param {HTMLElement} view
 * @param {string[]} rest
 */
export async function gameView(view, [id]) {
  const [{ shown }, games] = await Promise.all([get(`games/${encodeURIComponent(id)}`), catalogue()]);
  const stage = await stageOf(shown.game);
  const listed = games.find((each) => each.game === shown.game);
  const table = new GameTable(view, id, shown, stage, listed?.rules ?? [], listed?.most_points ?? 1);
  table.begin();
  return () => table.leave();
}

class GameTable {
  /**
   * @param {HTMLElement} view
   * @param {string} id
   * @param {ShownGame} shown
   * @param {import("./api.js").Stage} stage
   * @param {string[]} rules
   * @param {number} mostPoints
   */
  constructor(view, id, shown, stage, rules, mostPoints) {
    this.id = id;
    this.game = shown;
    this.turns = shown.turns;
    this.stage = stage;
    this.mostPoints = mostPoints;
    this.isBusy = false;
    this.isGone = false;
    this.isPaused = false;
    this.isCut = false; // from the server
    /** @type {number | null} a turn of the past that is looked at */
    this.past = null;
    /** @type {Analysis | null} */
    this.analysis = null;
    /** @type {() => void} */
    this.stopListening = () => {};
    this.board = new AstragalBoard();
    this.dice = new AstragalDice();
    this.status = html("p", { class: "status" });
    this.pips = html("p", { class: "pips" });
    this.remark = html("p", { class: "remark" });
    this.buttons = html("div", { class: "buttons", role: "group", "aria-label": "What you can do" });
    this.insight = html("section", { class: "insight", "aria-label": "What the judge thinks" });
    this.hints = html("div", { class: "hints" });
    this.people = [0, 1].filter((side) => shown.players[side] === "human");
    this.board.stage = stage;
    setColours(view, stage);
    this.board.addEventListener("play", (event) => void this.play(/** @type {CustomEvent} */ (event).detail, true));
    this.board.addEventListener("step", () => this.drawButtons());
    document.title = `${shown.title} · Astragal`;
    view.append(
      html("h1", { class: "unseen" }, shown.title),
      html(
        "div",
        { class: "table" },
        html("div", { class: "left" }, html("div", { class: "top" }, this.status, this.dice), this.board, this.pips, this.remark, this.buttons, this.hints),
        html(
          "div",
          { class: "right" },
          this.insight,
          html("details", { class: "rules" }, html("summary", {}, "The rules"), html("ul", {}, ...rules.map((each) => html("li", {}, each)))),
          this.wishForm(),
        ),
      ),
    );
  }

  begin() {
    this.setStill();
    this.settle();
    this.stopListening = listen(`games/${this.id}/events`, (news) => void this.onNews(news));
    void tour(this.people.length > 0);
  }

  leave() {
    this.isGone = true;
    this.stopListening();
  }

  setStill() {
    this.board.isStill = this.dice.isStill = isStill();
  }

  /** Shows the game as it stands, and lets whoever is to move do so. */
  settle() {
    const game = this.game;
    this.past = null;
    refill(this.hints);
    this.board.show(game.halves, game.side);
    this.pips.textContent = pipsOf(this.stage, game.halves);
    const last = this.turns[this.turns.length - 1];
    if (last) this.board.mark(stepsOf(last));
    this.status.textContent = capital(game.status);
    this.dice.show(this.stage.dice, game.roll, game.side);
    if (game.choices) this.offer(game.choices);
    this.drawButtons();
    void this.judge();
    if (game.points === null && !game.choices) void this.watch();
  }

  /** @param {import("./api.js").Choices} choices */
  offer(choices) {
    const first = choices.nodes[0];
    if (first.edges.length === 0) {
      const move = choices.plays[first.play ?? 0].move;
      say(`${this.stage.sides[this.game.side]} rolled ${this.game.roll}; nothing can be played.`);
      const pass = html("button", { type: "button", class: "main", click: () => void this.play(move) }, "Pass");
      refill(this.hints, html("p", {}, "Nothing can be played. "), pass);
      if (this.board.hasHands) pass.focus({ preventScroll: true });
      return;
    }
    this.board.offer(choices);
    say(`${capital(this.game.status)}. ${choices.plays.length} plays.`);
  }

  /**
   * @param {string} move
   * @param {boolean} isSeen whether it has been made on the board
   */
  async play(move, isSeen = false) {
    await this.doing(`games/${this.id}/moves`, { turn: this.game.turn, move }, isSeen ? 1 : 0);
  }

  /**
   * Asks the server for a deed, and shows what came of it.
   * @param {string} path
   * @param {object} body
   * @param {number} seen turns that have been seen on the board already
   */
  async doing(path, body, seen = 0) {
    if (this.isBusy) return;
    this.isBusy = true;
    refill(this.hints);
    this.drawButtons();
    try {
      const before = this.game.turn;
      const { shown } = /** @type {KeptGame} */ (await post(path, body));
      trouble(null);
      if (this.people.length) this.isPaused = false;
      this.game = shown;
      this.turns = [...this.turns.slice(0, shown.first_turn), ...shown.turns];
      await this.showTurns(shown.turns.slice(shown.turn > before ? seen : shown.turns.length));
    } catch (fault) {
      await this.recover(fault);
    } finally {
      this.isBusy = false;
    }
    if (!this.isGone) this.settle();
  }

  /**
   * Goes on with the game as the server has it, or as it was last known.
   * @param {unknown} fault
   */
  async recover(fault) {
    const isLate = fault instanceof Refusal && fault.status === 409;
    if (!isLate) trouble(fault);
    // Who was refused does not ask the same again by itself.
    this.isPaused ||= !isLate;
    this.isCut = fault instanceof Refusal && fault.status === 0;
    await this.reload().catch(() => {});
  }

  async reload() {
    const { shown } = await get(`games/${this.id}`);
    this.game = shown;
    this.turns = shown.turns;
  }

  /** @param {Turn[]} turns */
  async showTurns(turns) {
    for (const turn of turns) {
      if (this.isGone) return;
      const sentence = toldTurn(turn, this.stage.sides);
      this.status.textContent = sentence;
      say(sentence);
      if (this.stage.dice) await this.dice.roll(this.stage.dice, turn.roll, turn.side);
      await this.board.showTurn(turn.before, turn.after, turn.side);
      if (!this.board.isStill) await pause(250);
    }
    if (this.game.roll !== null && this.stage.dice && turns.length) await this.dice.roll(this.stage.dice, this.game.roll, this.game.side);
  }

  /** Has an agent play its turn, if nobody else has done so by then. */
  async watch() {
    const turn = this.game.turn;
    await pause(this.board.isStill ? 60 : WATCH_MILLISECONDS);
    if (this.isGone || this.isPaused || this.isBusy || this.past !== null || turn !== this.game.turn) return;
    await this.doing(`games/${this.id}/advance`, { turn });
  }

  /** @param {{turn: number, is_over: boolean}} news */
  async onNews(news) {
    const isKnown = news.turn === this.game.turn && news.is_over === (this.game.points !== null);
    if (this.isBusy || this.isGone || (isKnown && !this.isCut)) return;
    this.isCut = false;
    // Another tab, or another program, has played.
    await this.reload();
    trouble(null);
    if (!this.isBusy && this.past === null) this.settle();
  }

  drawButtons() {
    redraw(this.buttons, () => refill(this.buttons, ...this.possible()));
  }

  /** What can be done now, as buttons. */
  possible() {
    const { game } = this;
    const isOver = game.points !== null;
    const mayMove = game.choices !== null;
    const button = (/** @type {string} */ name, /** @type {() => void} */ click, isOff = false, extra = {}) =>
      html("button", { type: "button", disabled: isOff || this.isBusy, click, ...extra }, name);
    const at = { turn: game.turn };
    const roll = game.roll && game.roll !== "-" ? `&roll=${game.roll}` : "";
    const link = `#/analyse/${encodeURIComponent(game.game)}/${encodeURIComponent(game.position)}?side=${game.side}${roll}`;
    return [
      this.board.isHalfway ? button("Take step back", () => this.board.stepBack()) : null,
      this.people.length ? button("Undo", () => void this.doing(`games/${this.id}/undo`, at), !game.can_undo) : null,
      mayMove ? button("Hint", () => void this.hint()) : null,
      mayMove ? button("Give up", () => confirm("Give this game up?") && void this.doing(`games/${this.id}/resign`, at)) : null,
      !isOver && (!this.people.length || (!mayMove && this.isPaused)) ? button(this.isPaused ? "Go on" : "Pause", () => this.togglePause()) : null,
      isOver ? button("Play again", () => void this.again(), false, { class: "main" }) : button("New game", () => (location.hash = "#/")),
      html("a", { class: "button", href: link }, "Analyse"),
      copyButton(`${location.origin}/${link}`),
      html("a", { class: "button", href: `/api/games/${this.id}/record`, download: true }, "Download"),
      game.title.match(/gammon/i) ? html("a", { class: "button", href: `/api/games/${this.id}/record?form=mat`, download: true }, ".mat") : null,
    ];
  }

  togglePause() {
    this.isPaused = !this.isPaused;
    this.settle();
  }

  async again() {
    this.isBusy = true;
    this.drawButtons();
    try {
      const { id } = await post("games", { game: this.game.game, players: this.game.players });
      location.hash = `#/game/${id}`;
    } catch (fault) {
      trouble(fault);
    }
    this.isBusy = false;
  }

  async hint() {
    const turn = this.game.turn;
    try {
      const ranked = await get(`games/${this.id}/hint`);
      if (turn !== this.game.turn || this.isBusy) return;
      const best = ranked.plays[0];
      say(`The best play is ${best.move}.`);
      refill(this.hints, html("h3", {}, `The best plays, says ${ranked.judge}`), playTable(ranked, this.mostPoints, (move) => void this.play(move)));
    } catch (fault) {
      trouble(fault);
    }
  }

  async judge() {
    if (wishes.get("unjudged")) {
      refill(this.insight);
      this.remark.textContent = "";
      return;
    }
    try {
      const analysis = /** @type {Analysis} */ (await get(`games/${this.id}/analysis`));
      if (this.isGone || analysis.turns.length !== this.game.turn) return;
      this.analysis = analysis;
      this.drawInsight();
      this.drawRemark();
    } catch (fault) {
      trouble(fault);
    }
  }

  drawInsight() {
    const { analysis, game } = this;
    if (!analysis) return;
    const turn = this.past ?? game.turn;
    const look = (/** @type {number} */ each) => this.look(each);
    redraw(this.insight, () =>
      refill(
        this.insight,
        ...judgement(analysis, game.sides, turn, this.mostPoints, look),
        ...(game.points !== null ? summary(analysis, game.sides, this.mostPoints, look) : []),
        turnList(analysis, this.mostPoints, turn, look),
      ),
    );
    scrollToShown(this.insight);
  }

  /** Says of the last turn of a person what it gave away. */
  drawRemark() {
    const turns = this.analysis?.turns ?? [];
    const mine = this.past === null ? [...turns].reverse().find((turn) => this.people.includes(this.stage.sides.indexOf(turn.side))) : turns[this.past - 1];
    const isChance = this.analysis?.aim === "win" || this.mostPoints === 1;
    const luck = mine && Math.abs(mine.luck) >= 0.1 ? ` The roll was worth ${mine.luck > 0 ? "+" : "−"}${amountOf(Math.abs(mine.luck), isChance)}.` : "";
    this.remark.textContent = mine ? mine.remark + luck : "";
  }

  /**
   * Looks at a moment of the past; the last one is now.
   * @param {number} turn
   */
  look(turn) {
    if (this.isBusy) return;
    if (turn >= this.game.turn) {
      this.settle();
      return;
    }
    this.past = turn;
    const { before, side, roll } = this.turns[turn];
    const last = turn > 0 ? this.turns[turn - 1] : null;
    this.board.show(before, side);
    if (last) this.board.mark(stepsOf(last));
    this.dice.show(this.stage.dice, roll, side);
    this.status.textContent = `After turn ${turn}`;
    refill(this.hints, html("button", { type: "button", class: "main", click: () => this.settle() }, "Back to now"));
    this.drawInsight();
    this.drawRemark();
  }

  wishForm() {
    const box = (/** @type {string} */ name, /** @type {string} */ label, /** @type {boolean} */ isOn) => {
      const input = html("input", { type: "checkbox", checked: isOn });
      input.addEventListener("change", () => {
        wishes.set(name, !input.checked);
        this.setStill();
        void this.judge();
      });
      return html("label", {}, input, ` ${label}`);
    };
    return html(
      "fieldset",
      { class: "wishes" },
      html("legend", {}, "As you like it"),
      box("still", "animation", !isStill()),
      box("unjudged", "what moves are worth", !wishes.get("unjudged")),
      html("button", { type: "button", class: "link", click: () => void tour(true, true) }, "show me round"),
    );
  }
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Where the pieces of a turn came from and went to.
 * @param {Turn} turn
 */
export const stepsOf = ({ side, before, after }) => differences(before[side], after[side], side);

/**
 * @param {Turn} turn
 * @param {[string, string]} sides
 */
export function toldTurn(turn, sides) {
  const dice = turn.roll === "-" ? "" : ` rolled ${turn.roll} and`;
  return turn.move === "pass" ? `${capital(sides[turn.side])}${dice} could not move.` : `${capital(sides[turn.side])}${dice} played ${turn.move}.`;
}
