// A game in a notebook: the page's board and dice, with Python behind them.

import { html, pause, refill } from "../serve/static/dom.js";
import "../serve/static/board.js";
import "../serve/static/dice.js";

/** @typedef {import("../serve/static/api.js").Turn} Turn */

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * @param {Turn} turn
 * @param {string[]} sides
 */
function toldTurn(turn, sides) {
  const dice = turn.roll === "-" ? "" : ` rolled ${turn.roll} and`;
  const deed = turn.move === "pass" ? "could not move" : `played ${turn.move}`;
  return `${capital(sides[turn.side])}${dice} ${deed}.`;
}

/**
 * How many turns two games have in common from their beginning on.
 * @param {Turn[]} before
 * @param {Turn[]} after
 */
function common(before, after) {
  const isSame = (/** @type {Turn} */ a, /** @type {Turn | undefined} */ b) =>
    b !== undefined && a.move === b.move && a.roll === b.roll && a.position === b.position;
  const differs = after.findIndex((turn, i) => !isSame(turn, before[i]));
  return differs < 0 ? after.length : differs;
}

class NotebookTable {
  /**
   * @param {any} model
   * @param {HTMLElement} el
   */
  constructor(model, el) {
    this.model = model;
    this.stage = model.get("stage");
    this.game = model.get("shown");
    /** @type {Turn[]} */
    this.turns = this.game.turns;
    /** @type {string | null} the move that was made on this board and is already to be seen */
    this.made = null;
    this.isWaiting = false;
    this.isGone = false;
    this.work = Promise.resolve();
    // Made by name: another notebook cell may have defined the elements before.
    this.board = /** @type {any} */ (document.createElement("astragal-board"));
    this.dice = /** @type {any} */ (document.createElement("astragal-dice"));
    this.status = html("p", { class: "status", "aria-live": "polite" });
    this.bar = html("div", { class: "win-bar", role: "meter", "aria-valuemin": 0, "aria-valuemax": 100 }, html("span"));
    this.judge = html("p", { class: "judge" });
    this.remark = html("p", { class: "remark" });
    this.message = html("p", { class: "message", role: "alert" });
    this.buttons = html("div", { class: "buttons", role: "group", "aria-label": "What you can do" });
    this.hints = html("div", { class: "hints" });
    this.lay(el);
  }

  /** @param {HTMLElement} el */
  lay(el) {
    const { colours } = this.stage;
    // JupyterLab has keys of its own, which are not meant where one plays by keys.
    const root = html(
      "div",
      { class: "astragal-table", "data-lm-suppress-shortcuts": "true" },
      html("div", { class: "top" }, this.status, this.dice),
      this.board, this.message, this.remark, this.buttons, this.hints, this.bar, this.judge,
    );
    for (const side of colours ? [0, 1] : []) root.style.setProperty(`--side${side}`, colours[side]);
    el.append(root);
    this.board.isStill = this.dice.isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.board.stage = this.stage;
    this.board.addEventListener("play", (/** @type {CustomEvent} */ event) => this.play(event.detail, true));
    this.board.addEventListener("step", () => this.drawButtons());
  }

  /** Shows the game as it stands, and follows it until the function that comes back is called. */
  follow() {
    const news = () => {
      this.work = this.work.then(() => this.catchUp()).catch((fault) => void (this.message.textContent = String(fault)));
    };
    const answer = () => {
      this.isWaiting = false;
      news();
    };
    this.model.on("change:shown", news);
    this.model.on("msg:custom", answer);
    this.settle();
    return () => {
      this.isGone = true;
      this.model.off("change:shown", news);
      this.model.off("msg:custom", answer);
    };
  }

  /** Shows what has been played since this board was last drawn. */
  async catchUp() {
    if (this.isGone) return;
    this.game = this.model.get("shown");
    const known = common(this.turns, this.game.turns);
    const fresh = this.game.turns.slice(known);
    const isSeen = known === this.turns.length && fresh.length > 0 && fresh[0].move === this.made;
    this.turns = this.game.turns;
    this.made = null;
    await this.showTurns(isSeen ? fresh.slice(1) : fresh);
    if (!this.isGone) this.settle();
  }

  /** @param {Turn[]} turns */
  async showTurns(turns) {
    const { dice } = this.stage;
    for (const turn of turns) {
      if (this.isGone) return;
      this.status.textContent = toldTurn(turn, this.stage.sides);
      if (dice) await this.dice.roll(dice, turn.roll, turn.side);
      await this.board.showTurn(turn.before, turn.after, turn.side);
      if (!this.board.isStill) await pause(250);
    }
    if (dice && turns.length && this.game.roll !== null) await this.dice.roll(dice, this.game.roll, this.game.side);
  }

  settle() {
    const { game } = this;
    this.board.show(game.halves, game.side);
    this.dice.show(this.stage.dice, game.roll, game.side);
    this.status.textContent = `${capital(game.status)}.`;
    this.message.textContent = this.model.get("message");
    if (game.choices && game.choices.nodes[0].edges.length) this.board.offer(game.choices);
    this.drawButtons();
    this.drawInsight();
  }

  drawButtons() {
    const { game } = this;
    const button = (/** @type {string} */ name, /** @type {() => void} */ click, isOff = false) =>
      html("button", { type: "button", disabled: isOff || this.isWaiting, click }, name);
    const first = game.choices?.nodes[0];
    const only = first && first.edges.length === 0 ? game.choices.plays[first.play ?? 0].move : null;
    refill(
      this.buttons,
      only === null ? null : button("Pass", () => this.play(only)),
      this.board.isHalfway ? button("Take step back", () => this.board.stepBack()) : null,
      button("Undo", () => this.ask("undo"), !game.can_undo),
      button("Hint", () => this.ask("hint"), !game.choices),
      button("New game", () => this.ask("new")),
    );
  }

  drawInsight() {
    const { wins, judge, remark, hint } = this.model.get("insight");
    const { sides } = this.stage;
    const told = wins.map((/** @type {number} */ win) => `${(100 * win).toFixed(1)} %`);
    this.remark.textContent = remark;
    this.judge.textContent = `${capital(sides[0])} wins ${told[0]}, ${sides[1]} ${told[1]}, says ${judge}.`;
    this.bar.setAttribute("aria-label", `Chance of ${sides[0]} to win`);
    this.bar.setAttribute("aria-valuenow", String(Math.round(100 * wins[0])));
    /** @type {HTMLElement} */ (this.bar.firstElementChild).style.width = `${100 * wins[0]}%`;
    const rows = hint.map((/** @type {{move: string, wins: string, lost: string}} */ play) =>
      html(
        "tr",
        {},
        html("td", {}, html("button", { type: "button", click: () => this.play(play.move) }, play.move)),
        html("td", {}, play.wins),
        html("td", {}, play.lost || "best"),
      ),
    );
    const head = ["play", "wins", "gives away"].map((name) => html("th", {}, name));
    refill(this.hints, rows.length ? html("table", {}, html("tr", {}, ...head), ...rows) : null);
  }

  /**
   * @param {string} move
   * @param {boolean} isMade whether the pieces have gone there already
   */
  play(move, isMade = false) {
    if (this.ask("play", { move })) this.made = isMade ? move : null;
  }

  /**
   * Tells Python what is wished for; whether it was told.
   * @param {string} wish
   * @param {object} more
   */
  ask(wish, more = {}) {
    if (this.isWaiting) return false;
    this.isWaiting = true;
    this.model.send({ do: wish, turn: this.game.turn, ...more });
    refill(this.hints);
    this.drawButtons();
    return true;
  }
}

/** @param {{model: any, el: HTMLElement}} context */
function render({ model, el }) {
  return new NotebookTable(model, el).follow();
}

export default { render };
