// What the judge says of a game: who is likely to win, what moves gave away, how lucky the rolls were.

import { winCurve } from "./curve.js";
import { html } from "./dom.js";

/** @typedef {import("./api.js").Analysis} Analysis */
/** @typedef {import("./api.js").JudgedTurn} JudgedTurn */

/**
 * Whether what is given away can be told as a chance to win.
 * @param {Analysis} analysis
 * @param {number} mostPoints
 */
const inChances = (analysis, mostPoints) => analysis.aim === "win" || mostPoints === 1;

/**
 * Whether the judge knows too little for hard words.
 * @param {Analysis} analysis
 */
const isWeak = (analysis) => analysis.judge.startsWith("pips");

/**
 * An amount as people read it: of the chance to win, or of points.
 * @param {number} amount
 * @param {boolean} isChance
 */
export const amountOf = (amount, isChance) => (isChance ? `${(50 * amount).toFixed(1)} %` : `${amount.toFixed(3)} points`);

/** @param {number} chance */
export const percent = (chance) => `${(100 * chance).toFixed(1)} %`;

/**
 * A bar between the two sides.
 * @param {number} chance of side 0
 * @param {[string, string]} sides
 */
export function winBar(chance, sides) {
  const bar = html("div", { class: "win-bar", role: "meter", "aria-label": `Chance of ${sides[0]} to win`, "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(100 * chance) },
    html("span", { class: "side0" }, chance < 0.15 ? "" : `${sides[0]} ${percent(chance)}`),
    html("span", { class: "side1" }, chance > 0.85 ? "" : `${percent(1 - chance)} ${sides[1]}`),
  );
  /** @type {HTMLElement} */ (bar.firstElementChild).style.flexBasis = `${100 * chance}%`;
  return bar;
}

/**
 * Bar, curve and remark for a moment of the game.
 * @param {Analysis} analysis
 * @param {[string, string]} sides
 * @param {number} turn how many turns have been played at that moment
 * @param {number} mostPoints
 * @param {(turn: number) => void} onTurn
 */
export function judgement(analysis, sides, turn, mostPoints, onTurn) {
  const chances = [analysis.win_of_first, ...analysis.turns.map((each) => each.win_of_first)];
  return [
    winBar(chances[Math.min(turn, chances.length - 1)], sides),
    winCurve(chances, sides, turn, onTurn),
    html("p", { class: "judge" }, isWeak(analysis) ? "says the race alone, a poor judge" : `says ${analysis.judge}`, analysis.aim === "win" && mostPoints > 1 ? ", which counts wins alone" : ""),
  ];
}

/**
 * Brings the turn that is looked at into sight.
 * @param {Element} place
 */
export function scrollToShown(place) {
  const row = place.querySelector("tr.shown");
  const scroll = place.querySelector(".scroll");
  if (row instanceof HTMLElement && scroll) scroll.scrollTop = row.offsetTop - scroll.clientHeight / 2;
}

/**
 * The chance to win, a draw counted as half a win.
 * @param {{win: number, points: number}} worth
 * @param {number} mostPoints
 */
export const chanceOf = ({ win, points }, mostPoints) => (mostPoints === 1 ? (1 + points) / 2 : win);

/**
 * All turns, each with what it gave away and how lucky its roll was.
 * @param {Analysis} analysis
 * @param {number} mostPoints
 * @param {number} shown
 * @param {(turn: number) => void} onTurn
 */
export function turnList(analysis, mostPoints, shown, onTurn) {
  const isChance = inChances(analysis, mostPoints);
  const hasDice = analysis.turns.some((turn) => turn.roll !== "-");
  const rows = analysis.turns.map((turn) =>
    html(
      "tr",
      { class: turn.turn === shown ? "shown" : "", click: () => onTurn(turn.turn) },
      html("td", {}, html("button", { type: "button", class: "quiet", "aria-label": `Show turn ${turn.turn}` }, turn.turn)),
      html("td", {}, turn.side),
      hasDice ? html("td", {}, turn.roll) : null,
      html("td", { class: "move" }, turn.move),
      html("td", { class: turn.error ? "error" : "" }, turn.lost >= 0.0005 ? `−${amountOf(turn.lost, isChance)}` : ""),
      hasDice && html("td", { class: "luck" }, Math.abs(turn.luck) >= 0.05 ? `${turn.luck > 0 ? "+" : "−"}${amountOf(Math.abs(turn.luck), isChance)}` : ""),
    ),
  );
  const names = hasDice ? ["", "", "roll", "move", "gave away", "luck"] : ["", "", "move", "gave away"];
  return html("div", { class: "scroll" }, html("table", { class: "turns" }, html("thead", {}, html("tr", {}, ...names.map((name) => html("th", {}, name)))), html("tbody", {}, ...rows)));
}

/**
 * The whole game in a few sentences: error rate, luck, turning points.
 * @param {Analysis} analysis
 * @param {[string, string]} sides
 * @param {number} mostPoints
 * @param {(turn: number) => void} onTurn
 */
export function summary(analysis, sides, mostPoints, onTurn) {
  const isChance = inChances(analysis, mostPoints);
  const parts = analysis.players.map((player, side) => {
    const rate = player.lost_a_decision;
    const errors = Object.entries(player.errors).filter(([, count]) => count).map(([name, count]) => `${count} ${name}`);
    return html(
      "li",
      {},
      html("strong", {}, sides[side]),
      rate === null ? " had nothing to choose" : ` gave away ${amountOf(rate, isChance)} a choice, in ${player.decisions} choices${isWeak(analysis) ? "" : ` (${player.rating})`}`,
      errors.length && !isWeak(analysis) ? `, ${errors.join(", ")}` : "",
      player.luck ? `; its luck was ${player.luck >= 0 ? "+" : "−"}${amountOf(Math.abs(player.luck), isChance)}.` : ".",
    );
  });
  const chances = [analysis.win_of_first, ...analysis.turns.map((turn) => turn.win_of_first)];
  const swings = analysis.turns
    .map((turn, i) => ({ turn, swing: chances[i + 1] - chances[i] }))
    .sort((a, b) => Math.abs(b.swing) - Math.abs(a.swing))
    .slice(0, 3)
    .filter(({ swing }) => Math.abs(swing) > 0.03);
  return [
    html("h3", {}, "How it went"),
    html("ul", {}, ...parts),
    swings.length ? html("p", {}, "Turning points: ", ...swings.flatMap(({ turn, swing }, i) => [
      i ? ", " : "",
      html("button", { type: "button", class: "link", click: () => onTurn(turn.turn) }, `turn ${turn.turn}`),
      ` (${turn.roll === "-" ? "" : `${turn.roll}, `}${turn.move}: ${swing > 0 ? "+" : "−"}${percent(Math.abs(swing))} for ${sides[0]})`,
    ]), ".") : null,
  ];
}

/**
 * The plays of a turn, the best first.
 * @param {{plays: {move: string, win: number, points: number, loss: number}[], judge?: string, aim: string}} ranked
 * @param {number} mostPoints
 * @param {(move: string) => void} [onPlay]
 */
export function playTable(ranked, mostPoints, onPlay) {
  const isChance = ranked.aim === "win" || mostPoints === 1;
  const rows = ranked.plays.slice(0, 12).map((play) =>
    html(
      "tr",
      {},
      html("td", {}, onPlay ? html("button", { type: "button", class: "link", click: () => onPlay(play.move) }, play.move) : play.move),
      html("td", {}, percent(chanceOf(play, mostPoints))),
      html("td", {}, play.loss < 0.0005 ? "best" : `−${amountOf(play.loss, isChance)}`),
    ),
  );
  const head = ["play", "wins", "gives away"].map((name) => html("th", {}, name));
  return html("table", { class: "plays" }, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows));
}
