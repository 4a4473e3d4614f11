// Any position, set up by hand or by text, and what an agent says of it.

import { catalogue, listen, post, remove, stageOf } from "./api.js";
import { AstragalBoard, pipsOf, setColours } from "./board.js";
import { html, refill, select } from "./dom.js";
import { chanceOf, percent, playTable, winBar } from "./judge.js";
import { copyButton, say, trouble } from "./say.js";

/** @typedef {import("./api.js").Listed} Listed */

const PLIES = [0, 1, 2, 3].map((ply) => ({ value: String(ply), name: `${ply} ${ply === 1 ? "ply" : "plies"}` }));
const JOB_PLIES = 3;

/**
 * @param {HTMLElement} view
 * @param {string[]} rest
 * @param {URLSearchParams} query
 */
export async function analyseView(view, [name = "ur", text], query) {
  const games = await catalogue();
  const game = games.find((each) => each.game === name) ?? games[0];
  const desk = new Analyst(view, games, game, await stageOf(game.game));
  try {
    await desk.setPosition({ position: text || game.start, side: Number(query.get("side")) || 0, roll: query.get("roll") || undefined });
  } catch (fault) {
    await desk.setPosition({ position: game.start });
    trouble(fault);
  }
  return () => desk.leave();
}

class Analyst {
  /**
   * @param {HTMLElement} view
   * @param {Listed[]} games
   * @param {Listed} game
   * @param {import("./api.js").Stage} stage
   */
  constructor(view, games, game, stage) {
    this.game = game;
    this.stage = stage;
    document.title = `Analyse ${game.title} · Astragal`;
    this.board = new AstragalBoard();
    this.board.stage = stage;
    this.board.isStill = true;
    setColours(view, stage);
    this.agent = "";
    this.ply = "1";
    this.amount = 1; // that a click puts on a place while a position is set up
    this.asked = 0; // questions, of which the newest counts
    this.placed = 0; // positions, of which the newest counts
    /** @type {any} */
    this.shown = null;
    /** @type {() => void} */
    this.stopJob = () => {};
    this.setUp = html("fieldset", { class: "set-up", hidden: true });
    this.plyChoice = select(PLIES, this.ply, (ply) => ((this.ply = ply), void this.ask()), { name: "ply" });
    this.plyChoice.disabled = true;
    this.text = html("input", { type: "text", class: "position", spellcheck: "false", "aria-label": "Position" });
    this.text.addEventListener("change", () => void this.setPosition({ position: this.text.value.trim() }).catch(trouble));
    this.status = html("p", { class: "status" });
    this.forms = html("p", { class: "forms" });
    this.pips = html("p", { class: "pips" });
    this.value = html("section", { class: "card", "aria-label": "What it is worth" });
    this.best = html("section", { class: "card", "aria-label": "Plays" });
    this.rolls = html("section", { class: "card", "aria-label": "Rolls" });
    this.rollout = html("section", { class: "card", "aria-label": "Roll-out" });
    this.rollChoice = html("span");
    this.editButton = html("button", { type: "button", "aria-pressed": "false", click: () => this.toggleEdit() }, "Set up by hand");
    view.append(
      html("h1", {}, "Analyse"),
      html(
        "div",
        { class: "fields" },
        html("label", {}, "Game ", select(games.map((each) => ({ value: each.game, name: each.title })), game.game, (value) => (location.hash = `#/analyse/${encodeURIComponent(value)}`), { name: "game" })),
        html("label", {}, "Asks ", select(this.agents(), this.agent, (agent) => this.setAgent(agent), { name: "agent" })),
        html("label", {}, "with ", this.plyChoice),
      ),
      html(
        "div",
        { class: "table" },
        html(
          "div",
          { class: "left" },
          html("div", { class: "top" }, this.status, this.rollChoice),
          this.board,
          this.pips,
          this.setUp,
          html("label", { class: "wide" }, "Position ", this.text),
          this.forms,
          html(
            "div",
            { class: "buttons" },
            this.editButton,
            html("button", { type: "button", click: () => void this.setPosition({ halves: this.shown.halves, side: 1 - this.shown.side }).catch(trouble) }, "Other side to move"),
            html("button", { type: "button", click: () => void this.setPosition({ position: this.game.start }) }, "Start position"),
            copyButton(() => this.link()),
          ),
        ),
        html("div", { class: "right" }, this.value, this.best, this.rolls, this.rollout),
      ),
    );
  }

  agents() {
    const known = [{ value: "", name: "whoever knows best" }];
    for (const { agent, name } of [...this.game.opponents, ...this.game.learners]) {
      const plain = agent.replace(/@\d$/, "");
      const hasValues = /^(champion|perfect|gnubg|run:)/.test(agent);
      if (hasValues && !known.some((each) => each.value === plain)) known.push({ value: plain, name: plain === "champion" ? "Champion" : name });
    }
    known.push({ value: "pips", name: "the race alone" });
    return known;
  }

  /** @param {string} agent */
  setAgent(agent) {
    this.agent = agent;
    this.plyChoice.disabled = !agent || agent === "perfect";
    void this.ask();
  }

  leave() {
    this.stopJob();
  }

  link() {
    const { position, side, roll } = this.shown;
    return `${location.origin}/#/analyse/${encodeURIComponent(this.game.game)}/${encodeURIComponent(position)}?side=${side}${roll && roll !== "-" ? `&roll=${roll}` : ""}`;
  }

  /** @param {{position?: string, halves?: any, side?: number, roll?: string}} asked */
  async setPosition(asked) {
    const mine = ++this.placed;
    const shown = await post("position", { game: this.game.game, ...asked });
    if (mine !== this.placed) return;
    refill(this.rollout);
    this.shown = shown;
    trouble(null);
    this.board.show(this.shown.halves, this.shown.side);
    this.pips.textContent = pipsOf(this.stage, this.shown.halves);
    this.text.value = this.shown.position;
    this.status.textContent = this.shown.status.charAt(0).toUpperCase() + this.shown.status.slice(1);
    refill(this.forms, ...Object.entries(this.shown.forms).map(([form, written]) => html("code", { title: form }, String(written))));
    const rolls = [{ value: "", name: "not rolled yet" }, ...this.game.rolls.map((roll) => ({ value: roll, name: roll }))];
    const choose = (/** @type {string} */ roll) => void this.setPosition({ position: this.shown.position, side: this.shown.side, roll: roll || undefined }).catch(trouble);
    refill(this.rollChoice, this.game.rolls.length > 1 ? html("label", {}, "Roll ", select(rolls, this.shown.roll ?? "", choose, { name: "roll" })) : "");
    history.replaceState(null, "", this.link());
    await this.ask();
  }

  /** @param {object} more */
  question(more = {}) {
    const { position, side, roll } = this.shown;
    const takesPlies = this.agent && this.agent !== "perfect";
    return { game: this.game.game, position, side, ...(roll ? { roll } : {}), ...(this.agent ? { agent: takesPlies && this.ply !== "0" ? `${this.agent}@${this.ply}` : this.agent } : {}), ...more };
  }

  /** Asks everything about the position, quick questions first. */
  async ask() {
    const mine = ++this.asked;
    this.stopJob();
    refill(this.value);
    refill(this.best);
    refill(this.rolls);
    if (!this.shown || this.shown.points !== null) return;
    const isDeep = this.agent !== "" && Number(this.ply) >= JOB_PLIES;
    try {
      if (isDeep) {
        await this.askJob("evaluate", this.value, (found) => {
          this.drawValue(found);
          if (this.shown.roll !== null) void this.askJob("best", this.best, (ranked) => this.drawPlays({ ...ranked, aim: found.aim ?? "win" }));
        });
        return;
      }
      const value = await post("evaluate", this.question());
      if (mine !== this.asked) return;
      this.drawValue(value);
      if (this.shown.roll !== null) {
        const ranked = await post("best", this.question());
        if (mine !== this.asked) return;
        this.drawPlays(ranked);
      }
      if (this.game.rolls.length > 1) {
        const table = await post("rolls", this.question());
        if (mine === this.asked) this.drawRolls(table);
      }
    } catch (fault) {
      if (mine === this.asked) trouble(fault);
    }
  }

  /** @param {any} ranked */
  drawPlays(ranked) {
    refill(this.best, html("h2", {}, `Plays of ${this.shown.roll === "-" ? "this turn" : this.shown.roll}`), playTable(ranked, this.game.most_points));
  }

  /**
   * The chance of side 0, a draw counted as half a win.
   * @param {{win: number, points: number}} worth
   */
  firstChance(worth) {
    const chance = chanceOf(worth, this.game.most_points);
    return this.shown.side === 0 ? chance : 1 - chance;
  }

  /** @param {any} value */
  drawValue(value) {
    const mover = this.shown.side;
    const first = this.firstChance(value);
    const outcomes = Object.entries(value.outcomes ?? {}).sort((a, b) => Number(b[0]) - Number(a[0]));
    say(`${this.stage.sides[mover]} wins ${percent(value.win)}.`);
    refill(
      this.value,
      html("h2", {}, "What it is worth"),
      winBar(first, this.stage.sides),
      html("table", {}, html("tbody", {}, ...outcomes.map(([points, chance]) => html("tr", {}, html("td", {}, outcomeName(Number(points), this.game.most_points)), html("td", {}, percent(Number(chance))))))),
      this.game.most_points > 1 && value.tells_gammons === false ? html("p", { class: "judge" }, "It tells no gammons: every game counts one point.") : null,
      this.game.most_points > 1 && value.tells_gammons ? html("p", {}, `${value.points >= 0 ? "+" : "−"}${Math.abs(value.points).toFixed(3)} points for ${this.stage.sides[mover]}`) : null,
      html("p", { class: "judge" }, `says ${value.agent ?? `${this.agent}@${this.ply}`}, before the roll`),
      html("button", { type: "button", click: () => this.askJob("rollout", this.rollout, (found) => this.drawRollout(found)) }, "Roll out"),
    );
  }

  /** @param {any} table */
  drawRolls(table) {
    const mean = table.rolls.reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row.chance * row.win, 0);
    const rows = [...table.rolls]
      .sort((a, b) => b.win - a.win)
      .map((row) => html("tr", {}, html("td", {}, row.roll), html("td", {}, percent(row.chance)), html("td", {}, row.move), html("td", {}, percent(row.win)), html("td", { class: "luck" }, `${row.win >= mean ? "+" : "−"}${percent(Math.abs(row.win - mean))}`)));
    const names = ["roll", "chance", "best play", "wins", "luck"];
    refill(this.rolls, html("h2", {}, "Roll by roll"), html("div", { class: "scroll" }, html("table", {}, html("thead", {}, html("tr", {}, ...names.map((name) => html("th", {}, name)))), html("tbody", {}, ...rows))));
  }

  /**
   * Asks a slow question, and shows how it goes.
   * @param {string} kind
   * @param {HTMLElement} place
   * @param {(found: any) => void} draw
   */
  async askJob(kind, place, draw) {
    this.stopJob();
    const mine = this.asked;
    try {
      const job = await post("jobs", this.question({ kind }));
      if (mine !== this.asked) {
        void remove(`jobs/${job.id}`).catch(() => {});
        return;
      }
      const isRollout = kind === "rollout";
      const bar = html("progress", { max: 1, value: 0, "aria-label": isRollout ? "Rolling out" : "Thinking" });
      const answer = html("div");
      const stop = html("button", { type: "button", click: () => void remove(`jobs/${job.id}`).catch(trouble) }, "Stop");
      const title = html("h2", {}, isRollout ? "Roll-out" : "Thinking…");
      const progress = html("div", { class: "progress" }, bar, stop);
      refill(place, title, progress, answer);
      const close = listen(`jobs/${job.id}/events`, (news) => {
        bar.value = news.share;
        if (news.answer && isRollout) refill(answer, ...this.drawRollout(news.answer));
        if (!["done", "failed", "stopped"].includes(news.state)) return;
        close();
        this.stopJob = () => {};
        progress.remove();
        if (news.state === "done" && !isRollout) draw(news.answer);
        if (news.state === "stopped" && !news.answer) refill(answer, html("p", {}, "Stopped."));
        if (news.fault) answer.append(html("p", { role: "alert" }, news.fault));
      });
      this.stopJob = () => {
        close();
        this.stopJob = () => {};
        void remove(`jobs/${job.id}`).catch(() => {});
      };
    } catch (fault) {
      trouble(fault);
    }
  }

  /** @param {any} found */
  drawRollout(found) {
    const mover = this.shown.side;
    return [
      winBar(this.firstChance(found), this.stage.sides),
      html("p", {}, `${percent(chanceOf(found, this.game.most_points))} for ${this.stage.sides[mover]} in ${found.games.toLocaleString("en")} games, standard error ${found.error.toFixed(4)} points`),
    ];
  }

  toggleEdit() {
    const isOn = !this.board.onedit;
    this.editButton.setAttribute("aria-pressed", String(isOn));
    this.setUp.hidden = !isOn;
    this.board.onedit = isOn ? (place) => void this.edit(place) : null;
    const way = (/** @type {number} */ side, /** @type {number} */ amount) => {
      const input = html("input", { type: "radio", name: "way", checked: side === this.board.editedSide && amount === this.amount });
      input.addEventListener("change", () => {
        this.board.editedSide = side;
        this.amount = amount;
        this.board.show(this.shown.halves, this.shown.side);
      });
      return html("label", {}, input, ` ${amount > 0 ? "put" : "take away"} ${this.stage.sides[side]}`);
    };
    const ways = [0, 1].flatMap((side) => [way(side, 1), way(side, -1)]);
    refill(this.setUp, html("legend", {}, "A click on a place will"), ...ways);
    this.board.show(this.shown.halves, this.shown.side);
  }

  /**
   * Puts a piece on a place, or takes one away; what is not on the board waits, or is borne off.
   * @param {number} place
   */
  async edit(place) {
    const side = this.board.editedSide;
    const store = this.stage.store;
    const halves = this.shown.halves.map((/** @type {number[]} */ half) => [...half]);
    const half = halves[side];
    const isOff = this.amount < 0 ? half[place] === 0 : store !== null && half[store] === 0;
    if (place === store || isOff) return;
    if (store !== null) half[store] -= this.amount;
    half[place] += this.amount;
    this.shown = { ...this.shown, halves };
    this.board.show(halves, this.shown.side);
    await this.setPosition({ halves, side: this.shown.side }).catch(trouble);
  }
}

/**
 * @param {number} points
 * @param {number} most
 */
function outcomeName(points, most) {
  const how = ["draws", "wins", "wins a gammon", "wins a backgammon"][Math.abs(points)];
  return points < 0 ? how.replace("wins", "loses") : most === 1 ? how.replace(/ a .*/, "") : how;
}
