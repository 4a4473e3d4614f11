// What is said to people: news for those who listen, troubles for everybody, and their own wishes.

import { refill, html } from "./dom.js";

const HEARD = 4;

/**
 * Tells those who listen rather than look.
 * @param {string} sentence
 */
export function say(sentence) {
  const said = /** @type {HTMLElement} */ (document.getElementById("said"));
  // Each is announced as it is added; what is older has been heard.
  said.append(html("p", {}, sentence));
  while (said.children.length > HEARD) said.firstElementChild?.remove();
}

/**
 * Shows what went wrong; null takes it away.
 * @param {unknown} fault
 */
export function trouble(fault) {
  const box = /** @type {HTMLElement} */ (document.getElementById("trouble"));
  box.hidden = fault === null;
  if (fault === null) return;
  const sentence = fault instanceof Error ? fault.message : String(fault);
  refill(box, html("span", {}, sentence), html("button", { type: "button", click: () => trouble(null) }, "Close"));
}

/** What a person wishes, remembered by the browser. */
export const wishes = {
  /** @param {string} name */
  get(name, usual = false) {
    const told = localStorage.getItem(`astragal ${name}`);
    return told === null ? usual : told === "yes";
  },
  /**
   * @param {string} name
   * @param {boolean} wish
   */
  set(name, wish) {
    localStorage.setItem(`astragal ${name}`, wish ? "yes" : "no");
  },
};

export const isStill = () => wishes.get("still", matchMedia("(prefers-reduced-motion: reduce)").matches);

/**
 * A button that copies a text, and says that it did.
 * @param {string | (() => string)} text
 */
export function copyButton(text) {
  const button = html("button", { type: "button", click: () => void copy() }, "Copy link");
  const copy = async () => {
    const told = typeof text === "string" ? text : text();
    const isDone = await navigator.clipboard.writeText(told).then(() => true, () => prompt("Copy this:", told) !== null);
    if (!isDone) return;
    button.textContent = "Copied";
    say("The link is copied.");
    setTimeout(() => (button.textContent = "Copy link"), 1500);
  };
  return button;
}
