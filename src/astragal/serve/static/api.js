// Questions to the server, and news from it.

/** @typedef {[number[], number[]]} Halves what stands on each place, side 0's half first */
/** @typedef {{halves: Halves, edges: [number | null, number, number][], play: number | null}} StepNode */
/** @typedef {{nodes: StepNode[], plays: {move: string, deed: string}[]}} Choices */
/** @typedef {{side: number, roll: string, move: string, position: string, before: Halves, after: Halves}} Turn */
/**
 * @typedef {{game: string, title: string, sides: [string, string], players: [string, string],
 *   turn: number, side: number, roll: string | null, position: string, halves: Halves,
 *   choices: Choices | null, status: string, points: number | null, given_up: boolean,
 *   can_undo: boolean, turns: Turn[], first_turn: number}} ShownGame
 */
/** @typedef {{id: string, shown: ShownGame}} KeptGame */
/** @typedef {{agent: string, name: string, about: string}} Opponent */
/**
 * @typedef {{game: string, title: string, sides: [string, string], rolls: string[],
 *   chances: number[], most_points: number, start: string, rules: string[],
 *   opponents: Opponent[], learners: Opponent[]}} Listed
 */
/** @typedef {{name: string, spots: [number, number, number][], hit: [number, number, number, number],
 *   shape: "disc" | "slab", label: {x: number, y: number, word: string} | null}} Place */
/**
 * @typedef {{title: string, sides: [string, string], view: [number, number, number, number],
 *   board: string, pieces: Record<string, [string, string]>, places: [Place[], Place[]],
 *   labels: {text: string, x: number, y: number}[][], ink: {fill: string, size: number},
 *   count_ink: {fill: string, size: number}[], colours: [string, string], pips: number[] | null,
 *   store: number | null, walks: boolean,
 *   dice: {kind: string, count?: number, blank_counts?: number | null} | null}} Stage
 */
/** @typedef {{turn: number, side: string, position: string, roll: string, move: string, best: string,
 *   plays: number, lost: number, error: string | null, luck: number, luck_name: string | null,
 *   win_of_first: number, remark: string}} JudgedTurn */
/** @typedef {{game: string, judge: string, aim: string, win_of_first: number, turns: JudgedTurn[],
 *   players: Record<string, any>[], outcome: number | null}} Analysis */

/** A refusal, in the server's own words. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} sentence
   */
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/**
 * @param {string} method
 * @param {string} path below /api/
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function ask(method, path, body) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(`/api/${path}`, {
      method,
      headers: body ? { "Content-Type": "application/json" } : {},
      body: body && JSON.stringify(body),
    });
  } catch {
    throw new Refusal(0, "The server does not answer. Is it still running?");
  }
  if (response.ok) return response.headers.get("Content-Type")?.startsWith("application/json") ? response.json() : response.text();
  const told = await response.json().catch(() => ({ error: response.statusText }));
  throw new Refusal(response.status, told.error);
}

/** @param {string} path */
export const get = (path) => ask("GET", path);
/**
 * @param {string} path
 * @param {object} [body]
 */
export const post = (path, body = {}) => ask("POST", path, body);
/** @param {string} path */
export const remove = (path) => ask("DELETE", path);

/**
 * Listens to events until the function that comes back is called.
 * @param {string} path
 * @param {(news: any) => void} tell
 * @returns {() => void}
 */
export function listen(path, tell) {
  /** @type {EventSource | null} */
  let source = null;
  // A browser has six connections to a server, so a tab that nobody sees lets go of its own.
  const look = () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) {
      source = new EventSource(`/api/${path}`);
      source.onmessage = (event) => tell(JSON.parse(event.data));
    }
  };
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    source?.close();
  };
}

/** @type {Promise<Listed[]> | null} */
let known = null;

/**
 * The games, and who can be played against.
 * @returns {Promise<Listed[]>}
 */
export function catalogue(again = false) {
  if (!known || again) {
    const asked = get("catalogue");
    asked.catch(() => (known = null));
    known = asked;
  }
  return known;
}

/** @type {Map<string, Promise<Stage>>} */
const stages = new Map();

/**
 * How the board of a game is drawn.
 * @param {string} game
 * @returns {Promise<Stage>}
 */
export function stageOf(game) {
  let stage = stages.get(game);
  if (!stage) {
    stage = get(`stages/${encodeURIComponent(game)}`);
    stage.catch(() => stages.delete(game));
    stages.set(game, stage);
  }
  return stage;
}
