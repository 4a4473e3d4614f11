// The page: which view the address asks for, and what is said to whoever listens or waits.

import { analyseView } from "./analyse.js";
import { html, refill } from "./dom.js";
import { gameView } from "./game.js";
import { homeView } from "./home.js";
import { learnView } from "./learn.js";
import { recordView } from "./record.js";
import { trouble } from "./say.js";

/** @typedef {(view: HTMLElement, rest: string[], query: URLSearchParams) => Promise<void | (() => void)>} View */

/** @type {Record<string, View>} */
const VIEWS = { "": homeView, game: gameView, record: recordView, analyse: analyseView, learn: learnView };
/** @type {(() => void) | void} */
let leave;
let visit = 0;

async function open() {
  const mine = ++visit;
  leave?.();
  leave = undefined;
  trouble(null);
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/").map(decoded);
  const view = /** @type {HTMLElement} */ (document.getElementById("view"));
  const room = html("div");
  refill(view, room);
  for (const link of document.querySelectorAll("nav a")) {
    const isHere = link.getAttribute("href") === `#/${name === "game" || name === "record" ? "" : name}`;
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    const open = Object.hasOwn(VIEWS, name) ? VIEWS[name] : homeView;
    const left = await open(room, rest, new URLSearchParams(query));
    if (mine === visit) leave = left;
    else left?.();
    if (mine === visit && document.activeElement === document.body) view.focus({ preventScroll: true });
  } catch (fault) {
    const sentence = fault instanceof Error ? fault.message : String(fault);
    if (mine === visit) refill(room, html("section", { class: "card", role: "alert" }, html("p", {}, sentence), html("a", { class: "button", href: "#/" }, "Play")));
  }
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener("hashchange", () => void open());
addEventListener("unhandledrejection", (event) => trouble(event.reason));
void open();
