// Elements made of data: text goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, any>} Attributes functions are listeners, `true` is an empty attribute */

/**
 * @param {Element} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  put(element, children);
}

/**
 * @param {Element} element
 * @param {Child[]} children
 */
function put(element, children) {
  for (const child of children) {
    if (child != null && child !== false) element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * An HTML element with attributes, listeners and children.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/**
 * An SVG element with attributes, listeners and children.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

/**
 * The drawing that markup of the server's own describes.
 * @param {string} markup
 * @returns {SVGElement}
 */
export function drawn(markup) {
  const parsed = new DOMParser().parseFromString(`<svg xmlns="${SVG}">${markup}</svg>`, "image/svg+xml");
  const found = parsed.documentElement.firstElementChild;
  if (!(found instanceof SVGElement)) throw new Error("the drawing of a board cannot be read");
  return document.importNode(found, true);
}

/**
 * Puts these children in place of whatever an element holds.
 * @param {Element} element
 * @param {Child[]} children
 */
export function refill(element, ...children) {
  element.replaceChildren();
  put(element, children);
}

/**
 * Draws again what an element holds, and puts the focus back on what had it before.
 * @param {Element} element
 * @param {() => void} draw
 */
export function redraw(element, draw) {
  const before = document.activeElement;
  const name = before && element.contains(before) ? nameOf(before) : null;
  draw();
  if (name === null || element.contains(document.activeElement)) return;
  const again = [...element.querySelectorAll("button, select, input, a")].find((each) => nameOf(each) === name);
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/** @param {Element} element */
const nameOf = (element) => element.getAttribute("name") ?? element.getAttribute("aria-label") ?? element.textContent;

/**
 * Resolves after so many milliseconds.
 * @param {number} milliseconds
 * @returns {Promise<void>}
 */
export const pause = (milliseconds) => new Promise((done) => void setTimeout(done, milliseconds));

/**
 * A choice among named values.
 * @param {{value: string, name: string}[]} options
 * @param {string} chosen
 * @param {(value: string) => void} onChange
 * @param {Attributes} [attributes]
 */
export function select(options, chosen, onChange, attributes = {}) {
  const element = html(
    "select",
    { ...attributes, change: () => onChange(element.value) },
    ...options.map(({ value, name }) => html("option", { value, selected: value === chosen }, name)),
  );
  return element;
}
