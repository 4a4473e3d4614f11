// Curves drawn as SVG: the chance to win through a game, and win rates as a net learns.

import { svg } from "./dom.js";

const WIDTH = 600;
const HEIGHT = 200;
const EDGE = 42;

/**
 * Who was likely to win after each turn; a click on a turn tells it.
 * @param {number[]} chances of side 0, the first before the first roll
 * @param {[string, string]} sides
 * @param {number} shown the turn that is looked at
 * @param {(turn: number) => void} onTurn
 */
export function winCurve(chances, sides, shown, onTurn) {
  const across = (/** @type {number} */ turn) => (WIDTH * turn) / Math.max(1, chances.length - 1);
  const up = (/** @type {number} */ chance) => HEIGHT * (1 - chance);
  const line = chances.length > 1 ? chances : [chances[0], chances[0]];
  const points = line.map((chance, turn) => `${across(turn).toFixed(1)} ${up(chance).toFixed(1)}`);
  const last = chances[chances.length - 1] ?? 0.5;
  const label = `Chance of ${sides[0]} to win, turn by turn; now ${(100 * last).toFixed(0)} %`;
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "win-curve", role: "img", "aria-label": label, preserveAspectRatio: "none" },
    svg("rect", { class: "side1", width: WIDTH, height: HEIGHT }),
    svg("path", { class: "side0", d: `M0 ${HEIGHT}L${points.join("L")}L${WIDTH} ${HEIGHT}z` }),
    svg("path", { class: "even", d: `M0 ${HEIGHT / 2}H${WIDTH}` }),
    svg("path", { class: "now", d: `M${across(shown)} 0V${HEIGHT}` }),
  );
  drawing.addEventListener("click", (event) => {
    const area = drawing.getBoundingClientRect();
    const share = (event.clientX - area.left) / area.width;
    onTurn(Math.max(0, Math.min(chances.length - 1, Math.round(share * (chances.length - 1)))));
  });
  return drawing;
}

/**
 * Win rates with their intervals as a net learns, a line for each opponent.
 * @param {{against: string, points: [number, number, number | null][]}[]} curves
 * @param {number} games all that will be played
 */
export function learningCurve(curves, games) {
  const right = WIDTH - EDGE;
  const across = (/** @type {number} */ played) => EDGE + ((right - EDGE) * played) / Math.max(1, games);
  const up = (/** @type {number} */ rate) => HEIGHT - 24 + (44 - HEIGHT) * Math.max(0, Math.min(1, rate));
  const rates = [0, 0.25, 0.5, 0.75, 1].map((rate) =>
    svg(
      "g",
      { class: "axis" },
      svg("path", { d: `M${EDGE} ${up(rate)}H${right}` }),
      svg("text", { x: EDGE - 5, y: up(rate) + 4, "text-anchor": "end" }, `${100 * rate}%`),
    ),
  );
  const lines = curves.map(({ against, points }, i) => {
    const band = [
      ...points.map(([x, y, margin]) => `${across(x)} ${up(y + (margin ?? 0))}`),
      ...[...points].reverse().map(([x, y, margin]) => `${across(x)} ${up(y - (margin ?? 0))}`),
    ];
    const [x, y] = points[points.length - 1] ?? [0, 0];
    return svg(
      "g",
      { class: `line line${i % 4}` },
      points.length > 1 && svg("path", { class: "band", d: `M${band.join("L")}z` }),
      svg("path", { class: "rate", d: `M${points.map((point) => `${across(point[0])} ${up(point[1])}`).join("L")}` }),
      ...points.map((point) => svg("circle", { cx: across(point[0]), cy: up(point[1]), r: 3 })),
      svg("text", { x: across(x), y: up(y) - 8, "text-anchor": across(x) < WIDTH / 2 ? "start" : "end" }, `against ${against}: ${(100 * y).toFixed(1)} %`),
    );
  });
  const label = curves
    .map(({ against, points }) => `${(100 * (points[points.length - 1]?.[1] ?? 0)).toFixed(0)} % against ${against}`)
    .join(", ");
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "learning-curve", role: "img", "aria-label": `Games won as it learns: ${label || "nothing yet"}` },
    ...rates,
    svg("text", { class: "axis", x: right, y: HEIGHT - 4, "text-anchor": "end" }, `${games.toLocaleString("en")} games of training`),
    ...lines,
  );
}
