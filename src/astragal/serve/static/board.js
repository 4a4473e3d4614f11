// <astragal-board>: any game's board. It knows no rules: a stage says how the board is drawn, and a
// graph of single steps says what can be moved. It fires "play" with the move that was made.

import { drawn, html, pause, refill, svg } from "./dom.js";

/** @typedef {import("./api.js").Stage} Stage */
/** @typedef {import("./api.js").Halves} Halves */
/** @typedef {import("./api.js").Choices} Choices */
/** @typedef {import("./api.js").StepNode} StepNode */
/** @typedef {import("./api.js").Place} Place */
/** @typedef {{side: number, from: number | null, to: number}} Step */

const DRAG_PIXELS = 5;
const STEP_MILLISECONDS = 260;
const QUICK_MILLISECONDS = 400;

export class AstragalBoard extends HTMLElement {
  constructor() {
    super();
    /** @type {Stage | null} */
    this._stage = null;
    /** @type {Halves} */
    this._halves = [[], []];
    this._side = 0;
    /** @type {Choices | null} */
    this._choices = null;
    /** @type {number[]} the nodes that have been stepped through, the last one is now */
    this._path = [0];
    /** @type {number | null | undefined} the place that was picked up, null for a piece from nowhere */
    this._picked = undefined;
    /** Whether whoever plays is at the board with the keyboard, and would go on there. */
    this.hasHands = false;
    /** @type {Step[]} what is pointed at */
    this._marked = [];
    this._scene = 0; // raised whenever something else is to be shown
    this._offeredAt = 0;
    this._isClickSpent = false; // a click that ends a drag is none
    /** Whether pieces go at once, without a journey. */
    this.isStill = false;
    /** @type {((place: number) => void) | null} what a click on a place does while it is set up */
    this.onedit = null;
    this.editedSide = 0;
    this._ground = svg("g");
    this._numbers = svg("g", { class: "numbers", "aria-hidden": "true" });
    this._marks = svg("g", { class: "marks", "aria-hidden": "true" });
    this._pieces = svg("g", { class: "pieces", "aria-hidden": "true" });
    this._tallies = svg("g", { class: "tallies", "aria-hidden": "true" });
    this._targets = svg("g", { class: "targets" });
    this._flying = svg("g", { class: "flying", "aria-hidden": "true" });
    this._svg = svg(
      "svg",
      { role: "group", "aria-label": "Board" },
      this._ground, this._numbers, this._marks, this._pieces, this._tallies, this._targets, this._flying,
    );
    this._words = html("p", { class: "unseen" });
  }

  connectedCallback() {
    if (this._svg.parentNode !== this) this.append(this._svg, this._words);
    this.addEventListener("keydown", this._onKey);
  }

  disconnectedCallback() {
    this.removeEventListener("keydown", this._onKey);
  }

  /** @param {KeyboardEvent} event */
  _onKey = (event) => {
    if (event.key === "Escape" && this._picked !== undefined) {
      event.preventDefault();
      this._pick(undefined);
    } else if ((event.key === "Escape" || event.key === "Backspace") && this._path.length > 1) {
      event.preventDefault();
      this.stepBack();
    }
  };

  get stage() {
    return this._stage;
  }

  set stage(stage) {
    if (!stage || stage === this._stage) return;
    this._stage = stage;
    this._svg.setAttribute("viewBox", stage.view.join(" "));
    refill(this._ground, drawn(stage.board));
    /** @type {Record<string, SVGElement[]>} */
    this._templates = Object.fromEntries(
      Object.entries(stage.pieces).map(([shape, sides]) => [shape, sides.map(drawn)]),
    );
  }

  /** Whether a person has made some steps of a move, but not all. */
  get isHalfway() {
    return this._path.length > 1;
  }

  /**
   * Shows a position; whoever is to move gives the points their numbers.
   * @param {Halves} halves
   * @param {number} side
   */
  show(halves, side) {
    this._scene += 1;
    this._halves = halves;
    this._side = side;
    this._choices = null;
    this._path = [0];
    this._picked = undefined;
    this._marked = [];
    this._draw();
  }

  /**
   * Lets a person move for the side that is to move.
   * @param {Choices} choices
   */
  offer(choices) {
    this._scene += 1;
    this._choices = choices;
    this._path = [0];
    this._picked = undefined;
    this._offeredAt = performance.now();
    this._draw();
    if (this.hasHands) this._focusFirst();
  }

  /** Takes the last step of a move back that is not complete. */
  stepBack() {
    if (this._path.length < 2) return;
    this._path.pop();
    this._picked = undefined;
    this._halves = this._node.halves;
    this._draw();
    this._focusFirst();
    this.dispatchEvent(new CustomEvent("step"));
  }

  /**
   * Shows how a turn was played.
   * @param {Halves} before
   * @param {Halves} after
   * @param {number} side who played it
   */
  async showTurn(before, after, side) {
    this.show(before, side);
    const scene = this._scene;
    const steps = [0, 1].flatMap((each) => differences(before[each], after[each], each));
    // The mover's pieces come first, and then those that they sent back.
    steps.sort((a, b) => Number(a.side !== side) - Number(b.side !== side));
    for (const step of steps) await this._fly(step, scene);
    if (scene !== this._scene) return;
    this.show(after, side);
    this.mark(steps.filter((step) => step.side === side));
  }

  /**
   * Points at where pieces went.
   * @param {Step[]} steps
   */
  mark(steps) {
    this._marked = steps;
    if (this._stage) this._drawMarks(this._stage);
  }

  /** @param {Stage} stage */
  _drawMarks(stage) {
    refill(
      this._marks,
      ...this._marked.flatMap(({ side, from, to }) => [
        from === null ? null : box(stage.places[side][from], "left"),
        box(stage.places[side][to], "reached"),
      ]),
    );
  }

  /** @returns {StepNode} */
  get _node() {
    const node = this._choices?.nodes[this._path[this._path.length - 1]];
    return node ?? { halves: this._halves, edges: [], play: null };
  }

  _draw() {
    const stage = this._stage;
    if (!stage) return;
    this._drawMarks(stage);
    refill(this._pieces);
    refill(this._tallies);
    for (const side of [0, 1]) {
      this._halves[side].forEach((count, index) => this._drawPlace(stage, stage.places[side][index], side, count));
    }
    const numbers = stage.labels[this._side] ?? [];
    refill(
      this._numbers,
      ...numbers.map(({ text, x, y }) =>
        svg("text", { x, y, fill: stage.ink.fill, "font-size": stage.ink.size, "text-anchor": "middle" }, text),
      ),
    );
    this._words.textContent = told(stage, this._halves);
    this._drawTargets(stage);
  }

  /**
   * @param {Stage} stage
   * @param {Place} place
   * @param {number} side
   * @param {number} count
   */
  _drawPlace(stage, place, side, count) {
    const shown = Math.min(count, place.spots.length);
    for (const spot of place.spots.slice(0, shown)) this._pieces.append(this._piece(side, place.shape, spot));
    if (count > shown && shown > 0) {
      const [x, y] = place.spots[shown - 1];
      const { fill, size } = stage.count_ink[side];
      this._tallies.append(svg("text", { x, y: y + 7, fill, "font-size": size, class: "count" }, count));
    }
    if (place.label) {
      const { x, y, word } = place.label;
      const ink = stage.ink;
      this._tallies.append(
        svg("text", { x, y, fill: ink.fill, "font-size": Math.min(12, ink.size), "text-anchor": "middle" }, `${count} ${word}`),
      );
    }
  }

  /**
   * @param {number} side
   * @param {string} shape
   * @param {[number, number, number]} spot
   */
  _piece(side, shape, [x, y, scale]) {
    const piece = /** @type {SVGElement} */ (this._templates?.[shape][side].cloneNode(true));
    return svg("g", { transform: `translate(${x} ${y}) scale(${scale})` }, piece);
  }

  /** @param {Stage} stage */
  _drawTargets(stage) {
    refill(this._targets);
    if (this.onedit) {
      this._drawEdits(stage);
      return;
    }
    if (!this._choices) return;
    const edges = this._node.edges;
    const places = stage.places[this._side];
    const sources = [...new Set(edges.map(([from]) => from))];
    if (sources.length === 1 && sources[0] === null) this._picked = null;
    for (const from of sources) {
      if (from === null) continue;
      const ends = edges.filter((edge) => edge[0] === from).map((edge) => edge[1]);
      const name = `Move from ${places[from].name} to ${ends.map((end) => places[end].name).join(" or ")}`;
      const hit = this._hit(places[from], `source${from === this._picked ? " picked" : ""}`, name, () => this._onSource(from));
      hit.addEventListener("pointerdown", (event) => this._beginDrag(/** @type {PointerEvent} */ (event), from));
      hit.addEventListener("pointerenter", () => this._preview(ends.map((end) => places[end])));
      hit.addEventListener("pointerleave", () => this._preview([]));
      this._targets.append(hit);
    }
    if (this._picked === undefined) return;
    for (const [from, to, node] of edges) {
      if (from !== this._picked) continue;
      const name = from === null ? `Take ${places[to].name}` : `To ${places[to].name}`;
      this._targets.append(this._hit(places[to], "target", name, () => this._step(node)));
    }
  }

  /** @param {Stage} stage */
  _drawEdits(stage) {
    stage.places[this.editedSide].forEach((place, index) => {
      const name = `${stage.sides[this.editedSide]} on ${place.name}`;
      this._targets.append(this._hit(place, "edit", name, () => this.onedit?.(index)));
    });
  }

  /**
   * @param {Place} place
   * @param {string} kind
   * @param {string} name
   * @param {() => void} onUse
   */
  _hit(place, kind, name, onUse) {
    const [x, y, width, height] = place.hit;
    const hit = svg("rect", {
      x, y, width, height, rx: 8, class: `hit ${kind}`, role: "button", tabindex: 0, "aria-label": name,
      click: (/** @type {MouseEvent} */ event) => this._isUnmeant(event) || onUse(),
      keydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          onUse();
        }
      },
    });
    hit.dataset.place = place.name;
    return hit;
  }

  /**
   * A click that ends a drag, or the second of two that were meant for the turn before.
   * @param {MouseEvent} event
   */
  _isUnmeant(event) {
    const isLate = event.detail > 1 && this._path.length === 1 && performance.now() - this._offeredAt < QUICK_MILLISECONDS;
    return this._isClickSpent || isLate;
  }

  /** @param {number} from */
  _onSource(from) {
    const edges = this._node.edges.filter((edge) => edge[0] === from);
    if (edges.length === 1) void this._step(edges[0][2]);
    else this._pick(this._picked === from ? undefined : from);
  }

  /** @param {number | null | undefined} from */
  _pick(from) {
    this._picked = from;
    this._draw();
    this._focusFirst(from === undefined ? ".source" : ".target");
  }

  /** @param {string} kind */
  _focusFirst(kind = ".source, .target") {
    const first = this._targets.querySelector(kind);
    if (first instanceof SVGElement) first.focus({ preventScroll: true });
  }

  /** @param {number} node */
  async _step(node, isQuick = false) {
    const choices = this._choices;
    if (!choices) return;
    const [before, after] = [this._halves, choices.nodes[node].halves];
    this.hasHands = this.contains(document.activeElement);
    const scene = this._scene;
    this._path.push(node);
    this._picked = undefined;
    this._marked = [];
    if (!isQuick) {
      this._choices = null;
      for (const step of [0, 1].flatMap((side) => differences(before[side], after[side], side))) await this._fly(step, scene);
      if (scene !== this._scene) return;
      this._choices = choices;
    }
    this._halves = after;
    const { play, edges } = this._node;
    if (play !== null && edges.length === 0) {
      this._choices = null;
      this._draw();
      this.dispatchEvent(new CustomEvent("play", { detail: choices.plays[play].move }));
      return;
    }
    this._draw();
    if (this.hasHands) this._focusFirst();
    this.dispatchEvent(new CustomEvent("step"));
  }

  /**
   * Moves one piece from place to place, before the eyes of whoever looks.
   * @param {Step} step
   * @param {number} scene what it is part of; nothing happens once something else is shown
   */
  async _fly({ side, from, to }, scene) {
    const stage = this._stage;
    if (!stage || scene !== this._scene) return;
    const halves = /** @type {Halves} */ (this._halves.map((half) => [...half]));
    const target = stage.places[side][to];
    if (from !== null) halves[side][from] -= 1;
    const spots = target.spots;
    const end = spots[Math.min(halves[side][to], spots.length - 1)];
    this._halves = halves;
    this._draw();
    if (!this.isStill && from !== null) {
      const start = stage.places[side][from].spots;
      const way = [start[Math.min(halves[side][from], start.length - 1)], end];
      // Back to the start a piece flies; forward it goes from square to square.
      if (stage.walks && to > from) way.splice(1, 0, ...stage.places[side].slice(from + 1, to).map((place) => place.spots[0]));
      for (let i = 1; i < way.length; i++) await this._glide(side, way[i - 1], way[i], way.length - 1);
    }
    if (scene !== this._scene) return;
    halves[side][to] += 1;
    this._draw();
    if (!this.isStill) await pause(40);
  }

  /**
   * @param {number} side
   * @param {[number, number, number]} start
   * @param {[number, number, number]} end
   * @param {number} legs of the whole way
   */
  async _glide(side, start, end, legs) {
    const piece = this._piece(side, "disc", start);
    this._flying.append(piece);
    const began = performance.now();
    for (let share = 0; share < 1; ) {
      await new Promise((done) => requestAnimationFrame(done));
      share = Math.min(1, (performance.now() - began) / (STEP_MILLISECONDS / Math.sqrt(legs)));
      const eased = share * share * (3 - 2 * share);
      const [x, y, scale] = [0, 1, 2].map((each) => start[each] + (end[each] - start[each]) * eased);
      piece.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    }
    piece.remove();
  }

  /** @param {Place[]} places */
  _preview(places) {
    for (const old of this._marks.querySelectorAll(".preview")) old.remove();
    this._marks.append(...places.map((place) => box(place, "preview")));
  }

  /**
   * @param {PointerEvent} down
   * @param {number} from
   */
  _beginDrag(down, from) {
    const stage = this._stage;
    if (!stage || down.button !== 0) return;
    const piece = this._piece(this._side, "disc", [0, 0, 1]);
    let isDragging = false;
    const move = (/** @type {PointerEvent} */ event) => {
      if (!isDragging && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > DRAG_PIXELS) {
        isDragging = true;
        this._flying.append(piece);
        const ends = this._node.edges.filter((edge) => edge[0] === from).map((edge) => edge[1]);
        this._preview(ends.map((end) => stage.places[this._side][end]));
      }
      const at = this._pointOf(event);
      if (isDragging) piece.setAttribute("transform", `translate(${at.x} ${at.y}) scale(1.1)`);
    };
    const up = (/** @type {PointerEvent} */ event) => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", up);
      piece.remove();
      this._preview([]);
      if (!isDragging) return;
      this._isClickSpent = true;
      setTimeout(() => (this._isClickSpent = false), 0);
      const at = this._pointOf(event);
      const edge = this._node.edges.find(([source, to]) => source === from && holds(stage.places[this._side][to], at));
      if (edge && event.type === "pointerup") void this._step(edge[2], true);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", up);
  }

  /** @param {PointerEvent} event */
  _pointOf(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this._svg.getScreenCTM()?.inverse());
  }
}

/**
 * The pieces that went from one place to another, the foremost first.
 * @param {number[]} before
 * @param {number[]} after
 * @param {number} side
 * @returns {Step[]}
 */
export function differences(before, after, side) {
  /** @type {number[]} */
  const left = [];
  /** @type {number[]} */
  const reached = [];
  before.forEach((count, place) => {
    for (let i = after[place]; i < count; i++) left.push(place);
    for (let i = count; i < after[place]; i++) reached.push(place);
  });
  return reached.map((to, i) => ({ side, from: left[i] ?? null, to }));
}

/**
 * @param {Place} place
 * @param {string} kind
 */
function box({ hit: [x, y, width, height] }, kind) {
  return svg("rect", { x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 7, class: `mark ${kind}` });
}

/**
 * @param {Place} place
 * @param {{x: number, y: number}} at
 */
function holds({ hit: [x, y, width, height] }, at) {
  return at.x >= x && at.x <= x + width && at.y >= y && at.y <= y + height;
}

/**
 * The position in words, for those who do not see it.
 * @param {Stage} stage
 * @param {Halves} halves
 */
function told(stage, halves) {
  return halves
    .map((half, side) => {
      const held = half.flatMap((count, index) => (count ? [`${count} on ${stage.places[side][index].name}`] : []));
      return `${stage.sides[side]}: ${held.join(", ") || "nothing"}.`;
    })
    .join(" ");
}

/**
 * How far each side still has to go, where people count that.
 * @param {Stage} stage
 * @param {Halves} halves
 */
export function pipsOf({ pips, sides }, halves) {
  if (!pips) return "";
  const counts = halves.map((half) => half.reduce((sum, count, place) => sum + count * pips[place], 0));
  return `${sides[0]} ${counts[0]} pips, ${sides[1]} ${counts[1]} pips`;
}

/**
 * Lets everything in an element know the colours of the two sides.
 * @param {HTMLElement} element
 * @param {Stage} stage
 */
export function setColours(element, { colours }) {
  colours.forEach((colour, side) => element.style.setProperty(`--side${side}`, colour));
  colours.forEach((colour, side) => element.style.setProperty(`--on-side${side}`, isLight(colour) ? "#23201c" : "#fff"));
}

/** @param {string} colour as #rrggbb */
function isLight(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return red * 0.3 + green * 0.6 + blue * 0.1 > 150;
}

if (!customElements.get("astragal-board")) customElements.define("astragal-board", AstragalBoard);
