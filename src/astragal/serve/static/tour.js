// A first game's tour: a few words beside each thing on the table.

import { html } from "./dom.js";
import { wishes } from "./say.js";

/** @type {[string, string][]} what is pointed at, and what is said of it */
const STOPS = [
  ["astragal-board", "This is the board. What you can move is outlined: click it, drag it, or reach it with Tab and press Enter."],
  [".top", "Whose turn it is, and the dice. They are thrown for you."],
  [".buttons", "Ask for a hint, take a choice back, keep the game as a file, or share the position as a link."],
  [".insight", "Who is likely to win. Click the curve to look back; after each of your moves you see what it gave away."],
  [".rules", "The rules are here whenever you want them."],
];

/**
 * Shows a person round, once, or again if they wish.
 * @param {boolean} isWanted
 */
export async function tour(isWanted, again = false) {
  if (!isWanted || (!again && wishes.get("toured"))) return;
  wishes.set("toured", true);
  document.querySelector(".tour")?.remove();
  for (const [index, [place, words]] of STOPS.entries()) {
    const target = document.querySelector(place);
    if (!target) continue;
    const goesOn = await stop(target, words, index === STOPS.length - 1);
    if (!goesOn) break;
  }
  const first = document.querySelector("astragal-board .source, astragal-board .target");
  if (first instanceof SVGElement) first.focus({ preventScroll: true });
}

/**
 * @param {Element} target
 * @param {string} words
 * @param {boolean} isLast
 * @returns {Promise<boolean>}
 */
function stop(target, words, isLast) {
  return new Promise((done) => {
    const end = (/** @type {boolean} */ goesOn) => {
      box.remove();
      target.classList.remove("pointed");
      removeEventListener("hashchange", leave);
      removeEventListener("keydown", onKey);
      done(goesOn);
    };
    const leave = () => end(false);
    const onKey = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && leave();
    const next = html("button", { type: "button", class: "main", click: () => end(true) }, isLast ? "Play" : "Next");
    const box = html(
      "div",
      { class: "tour", role: "dialog", "aria-label": "First game" },
      html("p", {}, words),
      html("div", {}, next, isLast ? null : html("button", { type: "button", class: "link", click: leave }, "no, thank you")),
    );
    target.classList.add("pointed");
    target.scrollIntoView({ block: "nearest" });
    document.body.append(box);
    addEventListener("hashchange", leave);
    addEventListener("keydown", onKey);
    next.focus({ preventScroll: true });
  });
}
