// The first view: begin a game, go on with one, or open one from a file.

import { catalogue, get, post, remove } from "./api.js";
import { html, redraw, refill, select } from "./dom.js";
import { setRecords } from "./record.js";
import { trouble } from "./say.js";

/** @typedef {import("./api.js").Listed} Listed */

const MOST_BYTES = 900_000;

/** @param {HTMLElement} view */
export async function homeView(view) {
  document.title = "Astragal";
  const [games, kept] = await Promise.all([catalogue(true), get("games")]);
  const wish = { game: games[0], against: "steady", second: "steady", seat: "0" };
  const form = html("section", { class: "card begin" });
  const draw = () => redraw(form, () => refill(form, ...beginning(games, wish, draw)));
  draw();
  view.append(
    form,
    kept.length ? html("section", { class: "card" }, html("h2", {}, "Your games"), gameList(kept, view)) : "",
    html("section", { class: "card" }, html("h2", {}, "Open a game"), opening()),
  );
}

/**
 * @param {Listed[]} games
 * @param {{game: Listed, against: string, second: string, seat: string}} wish
 * @param {() => void} draw
 */
function beginning(games, wish, draw) {
  const { game } = wish;
  const opponents = [...game.opponents, ...game.learners.map((each) => ({ ...each, name: `Learner ${each.name}` }))];
  if (!opponents.some((each) => each.agent === wish.against)) wish.against = opponents[Math.min(3, opponents.length - 1)].agent;
  if (!opponents.some((each) => each.agent === wish.second)) wish.second = wish.against;
  const options = opponents.map(({ agent, name }) => ({ value: agent, name }));
  const start = html("button", { type: "button", class: "main", click: () => void go() }, "Begin");
  const go = async () => {
    start.disabled = true;
    await begin(wish).catch(trouble);
    start.disabled = false;
  };
  const about = opponents.find((each) => each.agent === wish.against)?.about ?? "";
  const seats = [
    { value: "0", name: `${game.sides[0]}, and begin` },
    { value: "1", name: game.sides[1] },
    { value: "both", name: "both sides: two people at one screen" },
    { value: "none", name: "nobody: watch the machine play itself" },
  ];
  const family = games.map((each) =>
    html(
      "button",
      { type: "button", class: "choice", "aria-pressed": String(each === game), click: () => ((wish.game = each), draw()) },
      each.title,
    ),
  );
  return [
    html("h1", {}, "Play"),
    html("div", { class: "choices", role: "group", "aria-label": "Game" }, ...family),
    html(
      "div",
      { class: "fields" },
      html("label", {}, "You play ", select(seats, wish.seat, (seat) => ((wish.seat = seat), draw()), { name: "seat" })),
      wish.seat === "both"
        ? null
        : html(
            "label",
            {},
            wish.seat === "none" ? "Between two of " : "Against ",
            select(options, wish.against, (agent) => ((wish.against = agent), draw()), { name: "against" }),
            wish.seat === "none" ? select(options, wish.second, (agent) => (wish.second = agent), { name: "second", "aria-label": "and" }) : null,
            wish.seat === "none" ? null : html("small", {}, about),
          ),
    ),
    start,
  ];
}

/** @param {{game: Listed, against: string, second: string, seat: string}} wish */
async function begin({ game, against, second, seat }) {
  const seats = { 0: ["human", against], 1: [against, "human"], both: ["human", "human"], none: [against, second] };
  const players = seats[/** @type {keyof typeof seats} */ (seat)];
  const { id } = await post("games", { game: game.game, players });
  location.hash = `#/game/${id}`;
}

/**
 * @param {any[]} kept
 * @param {HTMLElement} view
 */
function gameList(kept, view) {
  const rows = kept.map((each) => {
    const state = each.points === null ? `${each.turns} turns` : "over";
    const row = html(
      "li",
      {},
      html("a", { href: `#/game/${each.id}` }, `${each.title}: ${each.players.map(person).join(" against ")}`),
      html("small", {}, ` ${state}, ${new Date(1000 * each.changed).toLocaleString()}`),
      html("button", { type: "button", class: "quiet", "aria-label": `Delete the game of ${each.title}, ${state}`, click: () => confirm("Delete this game?") && void forget() }, "✕"),
    );
    const forget = () => remove(`games/${each.id}`).then(() => row.remove(), trouble);
    return row;
  });
  return html("ul", { class: "games" }, ...rows);
}

/** @param {string} player */
export const person = (player) => (player === "human" ? "you" : player.replace(/^temperature:.*/, "a weaker champion"));

function opening() {
  const file = html("input", { type: "file", accept: ".jsonl,.mat,.json,.txt", "aria-label": "A game in a file" });
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    try {
      if (chosen.size > MOST_BYTES) throw new Error("The file is too large: expected 900 kB at most.");
      setRecords(await post("records", { text: await chosen.text() }));
      location.hash = "#/record/0/0";
    } catch (fault) {
      trouble(fault);
    }
  });
  return html("p", {}, "JSON Lines as Astragal writes them, or a .mat file of backgammon: ", file);
}
