// <astragal-dice>: the dice of a roll, which are seen to roll before they lie still.

import { pause, refill, svg } from "./dom.js";

/** @typedef {import("./api.js").Stage} Stage */

const TUMBLES = 6;
const TUMBLE_MILLISECONDS = 70;
/** @type {Record<number, [number, number][]>} */
const SPOTS = {
  1: [[0, 0]],
  2: [[-1, -1], [1, 1]],
  3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, 1], [-1, 1], [1, -1]],
  5: [[-1, -1], [1, 1], [-1, 1], [1, -1], [0, 0]],
  6: [[-1, -1], [1, 1], [-1, 1], [1, -1], [-1, 0], [1, 0]],
};

export class AstragalDice extends HTMLElement {
  constructor() {
    super();
    this.isStill = false;
    this._svg = svg("svg", { role: "img", viewBox: "0 0 10 44" });
    this._throw = 0;
  }

  connectedCallback() {
    if (this._svg.parentNode !== this) this.append(this._svg);
  }

  /**
   * Shows a roll at once; null takes the dice away.
   * @param {Stage["dice"]} dice
   * @param {string | null} roll
   * @param {number} side whose dice they are
   */
  show(dice, roll, side) {
    this._throw += 1;
    this.hidden = !dice || roll === null;
    if (!dice || roll === null) return;
    this._svg.setAttribute("aria-label", `rolled ${roll}`);
    this._draw(dice, faces(dice, roll), roll, side);
  }

  /**
   * Rolls the dice, which takes a moment if they are not still.
   * @param {Stage["dice"]} dice
   * @param {string} roll
   * @param {number} side
   */
  async roll(dice, roll, side) {
    const mine = (this._throw += 1);
    if (dice && !this.isStill) {
      this.hidden = false;
      for (let tumble = 0; tumble < TUMBLES; tumble++) {
        const count = dice.kind === "cubes" ? 2 : dice.count ?? 4;
        const any = Array.from({ length: count }, () => (dice.kind === "cubes" ? 1 + Math.floor(6 * Math.random()) : Number(Math.random() < 0.5)));
        this._draw(dice, any, "", side, 40 * (Math.random() - 0.5));
        await pause(TUMBLE_MILLISECONDS);
        if (mine !== this._throw) return;
      }
    }
    this.show(dice, roll, side);
  }

  /**
   * @param {NonNullable<Stage["dice"]>} dice
   * @param {number[]} shown
   * @param {string} roll
   * @param {number} side
   */
  _draw(dice, shown, roll, side, turn = 0) {
    const each = dice.kind === "cubes" ? cube : tetrahedron;
    const drawings = shown.map((face, i) =>
      svg("g", { transform: `translate(${24 + 46 * i} 22) rotate(${turn * (i % 2 ? -1 : 1)})` }, each(face, side)),
    );
    const total = dice.kind === "cubes" ? null : svg("text", { x: 46 * shown.length + 10, y: 31, class: "total" }, roll);
    this._svg.setAttribute("viewBox", `0 0 ${46 * shown.length + (total ? 36 : 2)} 44`);
    refill(this._svg, ...drawings, total);
  }
}

/**
 * What each die shows: its number, or whether a marked corner points up.
 * @param {NonNullable<Stage["dice"]>} dice
 * @param {string} roll
 */
function faces(dice, roll) {
  if (dice.kind === "cubes") return [...roll].map(Number);
  const count = dice.count ?? 4;
  const lit = dice.blank_counts != null && Number(roll) === dice.blank_counts && dice.blank_counts > count ? 0 : Number(roll);
  return Array.from({ length: count }, (_, i) => Number(i < lit));
}

/**
 * @param {number} face
 * @param {number} side
 */
function cube(face, side) {
  return svg(
    "g",
    { class: `cube side${side}` },
    svg("rect", { x: -19, y: -19, width: 38, height: 38, rx: 8 }),
    ...SPOTS[face].map(([x, y]) => svg("circle", { cx: 10 * x, cy: 10 * y, r: 3.6 })),
  );
}

/**
 * @param {number} isLit
 * @param {number} side
 */
function tetrahedron(isLit, side) {
  return svg(
    "g",
    { class: `tetrahedron side${side}${isLit ? " lit" : ""}` },
    svg("path", { class: "body", d: "M0-18 19 15H-19z" }),
    svg("path", { class: "edge", d: "M0-18 3 15" }),
    isLit ? svg("path", { class: "tip", d: "M0-18 6-7.6H-6z" }) : svg("path", { class: "tip", d: "M19 15 13 4.6 8 15zM-19 15-13 4.6-8 15z" }),
  );
}

if (!customElements.get("astragal-dice")) customElements.define("astragal-dice", AstragalDice);
