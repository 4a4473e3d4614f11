// A game from a file, turn by turn, judged.

import { catalogue, post, stageOf } from "./api.js";
import { AstragalBoard, setColours } from "./board.js";
import { AstragalDice } from "./dice.js";
import { html, refill, select } from "./dom.js";
import { stepsOf, toldTurn } from "./game.js";
import { judgement, scrollToShown, summary, turnList } from "./judge.js";
import { say, trouble } from "./say.js";

/** @typedef {{record: any, title: string, sides: [string, string], start: import("./api.js").Halves,
 *   turns: import("./api.js").Turn[], status: string}} Opened */

const KEPT = "astragal records";
/** @type {Opened[]} */
let opened = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");

/** @param {Opened[]} records */
export function setRecords(records) {
  opened = records;
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(records));
  } catch {
    sessionStorage.removeItem(KEPT); // too large to survive a reload
  }
}

/**
 * @param {HTMLElement} view
 * @param {string[]} rest
 */
export async function recordView(view, [number = "0", from = "0"]) {
  const game = opened[Number(number)];
  if (!game) throw new Error("The game is not open any more: expected its file to be opened again.");
  const [stage, games] = await Promise.all([stageOf(game.record.game), catalogue()]);
  const mostPoints = games.find((each) => each.game === game.record.game)?.most_points ?? 1;
  const [board, dice] = [new AstragalBoard(), new AstragalDice()];
  board.stage = stage;
  setColours(view, stage);
  board.isStill = dice.isStill = true;
  const [status, remarks] = [html("p", { class: "status" }), html("p", { class: "remark" })];
  const insight = html("section", { class: "insight", "aria-label": "What the judge thinks" }, html("p", {}, "The judge looks at the game…"));
  const slider = html("input", { type: "range", min: 0, max: game.turns.length, value: from, "aria-label": "Turn", input: () => look(Number(slider.value)) });
  /** @type {import("./api.js").Analysis | null} */
  let analysis = null;

  const look = (/** @type {number} */ turn) => {
    slider.value = String(turn);
    const last = game.turns[turn - 1];
    board.show(last ? last.after : game.start, last?.side ?? 0);
    if (last) board.mark(stepsOf(last));
    dice.show(stage.dice, last?.roll ?? null, last?.side ?? 0);
    status.textContent = last ? `${turn}. ${toldTurn(last, game.sides)}` : "The beginning";
    say(status.textContent);
    if (turn === game.turns.length) status.textContent += ` ${game.status}.`;
    if (!analysis) return;
    remarks.textContent = turn ? analysis.turns[turn - 1].remark : "";
    refill(insight, ...judgement(analysis, game.sides, turn, mostPoints, look), ...summary(analysis, game.sides, mostPoints, look), turnList(analysis, mostPoints, turn, look));
    scrollToShown(insight);
  };

  const walk = (/** @type {number} */ by) => look(Math.max(0, Math.min(game.turns.length, Number(slider.value) + by)));
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.target === slider || event.target instanceof HTMLSelectElement) return;
    if (event.key === "ArrowLeft") walk(-1);
    if (event.key === "ArrowRight") walk(1);
  };
  addEventListener("keydown", onKey);
  const choice = opened.map((each, i) => ({ value: String(i), name: `Game ${i + 1}: ${each.record.agents.join(" against ")}` }));
  view.append(
    html("h1", {}, game.title),
    opened.length > 1 ? html("label", {}, "Game ", select(choice, number, (value) => (location.hash = `#/record/${value}/0`))) : "",
    html(
      "div",
      { class: "table" },
      html(
        "div",
        { class: "left" },
        html("div", { class: "top" }, status, dice),
        board,
        html("div", { class: "steps" }, html("button", { type: "button", "aria-label": "Turn before", click: () => walk(-1) }, "◀"), slider, html("button", { type: "button", "aria-label": "Next turn", click: () => walk(1) }, "▶")),
        remarks,
      ),
      html("div", { class: "right" }, insight),
    ),
  );
  look(Number(from));
  post("analyse", { record: game.record }).then(
    (found) => {
      analysis = found;
      look(Number(slider.value));
    },
    (fault) => {
      trouble(fault);
      refill(insight);
    },
  );
  return () => removeEventListener("keydown", onKey);
}
