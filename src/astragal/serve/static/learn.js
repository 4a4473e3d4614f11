// Training runs: begun, watched, stopped, and played against while they learn.

import { catalogue, get, listen, post } from "./api.js";
import { learningCurve } from "./curve.js";
import { html, redraw, refill, select } from "./dom.js";
import { say, trouble } from "./say.js";

const LEARNERS = [
  { value: "td", name: "online TD(λ)" },
  { value: "mc", name: "Monte Carlo" },
  { value: "lookahead", name: "look-ahead targets" },
];

/**
 * @param {HTMLElement} view
 * @param {string[]} rest
 */
export async function learnView(view, [name]) {
  document.title = "Watch it learn · Astragal";
  const [games, runs] = await Promise.all([catalogue(), get("runs")]);
  const wish = { game: "ur", learner: "td", hidden: "40", games: "50000" };
  const field = (/** @type {"hidden" | "games"} */ key, /** @type {string} */ label, /** @type {object} */ more) =>
    html("label", {}, `${label} `, html("input", { name: key, value: wish[key], input: (/** @type {Event} */ event) => (wish[key] = /** @type {HTMLInputElement} */ (event.target).value), ...more }));
  const detail = html("section", { class: "card run" });
  view.append(
    html("h1", {}, "Watch it learn"),
    html(
      "section",
      { class: "card" },
      html("h2", {}, "Teach a net from nothing"),
      html(
        "div",
        { class: "fields" },
        html("label", {}, "Game ", select(games.map((each) => ({ value: each.game, name: each.title })), wish.game, (value) => (wish.game = value), { name: "game" })),
        html("label", {}, "Learner ", select(LEARNERS, wish.learner, (value) => (wish.learner = value), { name: "learner" })),
        field("hidden", "Hidden units", { size: 8 }),
        field("games", "Games", { type: "number", min: 100, max: 2000000, step: 100 }),
      ),
      html("button", { type: "button", class: "main", click: () => void begin(wish).catch(trouble) }, "Begin"),
    ),
    detail,
    html("section", { class: "card" }, html("h2", {}, "Runs"), runs.length ? runList(runs) : html("p", {}, "None yet. Runs of `astragal train` appear here too.")),
  );
  const chosen = name ?? runs[0]?.name;
  if (!chosen) {
    detail.hidden = true;
    return;
  }
  // An unknown name is told at once.
  await get(`runs/${encodeURIComponent(chosen)}`);
  return watch(detail, chosen);
}

/** @param {{game: string, learner: string, hidden: string, games: string}} wish */
async function begin(wish) {
  const hidden = wish.hidden.split(/[\s,-]+/).filter(Boolean).map(Number);
  if (!hidden.length || hidden.some((units) => !Number.isInteger(units))) throw new Error(`“${wish.hidden}” is no net: expected units of each layer, such as 40 or 80-80.`);
  const { name } = await post("runs", { game: wish.game, learner: wish.learner, hidden, games: Number(wish.games) });
  await catalogue(true);
  location.hash = `#/learn/${encodeURIComponent(name)}`;
}

/** @param {any[]} runs */
function runList(runs) {
  return html(
    "ul",
    { class: "games" },
    ...runs.map((run) => html("li", {}, html("a", { href: `#/learn/${encodeURIComponent(run.name)}` }, run.name), html("small", {}, ` ${run.game ?? ""} ${(run.games ?? 0).toLocaleString("en")} games, ${run.fault ?? run.state}`))),
  );
}

/**
 * @param {HTMLElement} place
 * @param {string} name
 */
function watch(place, name) {
  const picture = html("img", { class: "weights", alt: "What the net has learned: what a piece on each place is worth to it" });
  let drawnAt = -1;
  let told = "";
  const stop = listen(`runs/${encodeURIComponent(name)}/events`, (run) => {
    const isRunning = run.state === "running";
    const [games, of] = [run.games.toLocaleString("en"), run.of?.toLocaleString("en") ?? "?"];
    const speed = run.games_per_second ? `, ${Math.round(run.games_per_second).toLocaleString("en")} games a second` : "";
    const stopping = html("button", { type: "button", click: () => void end() }, "Stop");
    const end = async () => {
      stopping.disabled = true;
      stopping.textContent = "Stopping…";
      await post(`runs/${encodeURIComponent(name)}/stop`).catch(trouble);
    };
    redraw(place, () =>
      refill(
        place,
        html("h2", {}, name),
        run.fault ? html("p", { role: "alert" }, run.fault) : null,
        run.game ? html("p", { class: "status" }, `${run.game}, ${run.learner}, ${(run.hidden ?? []).join("-")} hidden units: ${games} of ${of} games${speed}, ${run.state}.`) : null,
        run.of ? learningCurve(run.curves, run.of) : null,
        html(
          "div",
          { class: "buttons" },
          isRunning && run.is_ours ? stopping : null,
          isRunning && !run.is_ours ? html("small", {}, "It was begun elsewhere, and is stopped there.") : null,
          run.has_net ? html("button", { type: "button", class: "main", click: () => void play(run.game, name).catch(trouble) }, "Play against it") : null,
        ),
        picture,
      ),
    );
    if (run.state !== told) say(`${name}: ${games} games, ${run.state}`);
    told = run.state;
    picture.hidden = !run.has_net;
    if (run.has_net && run.games !== drawnAt) {
      drawnAt = run.games;
      get(`runs/${encodeURIComponent(name)}/picture`).then((drawing) => (picture.src = `data:image/svg+xml,${encodeURIComponent(drawing)}`), () => (drawnAt = -1));
    }
  });
  return stop;
}

/**
 * @param {string} game
 * @param {string} name
 */
async function play(game, name) {
  const { id } = await post("games", { game, players: ["human", `run:${name}`] });
  location.hash = `#/game/${id}`;
}
