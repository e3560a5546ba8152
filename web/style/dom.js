// What several parts of the viewer and the list of apps need: element look-up, element making, remembered settings.
// @ts-check
'use strict';

/**
 * The page's element with this id; the viewer's own markup holds each of them.
 * @template {HTMLElement} T
 * @param {string} id @param {new () => T} [type]
 * @returns {T}
 */
export function byId(id, type) {
  const found = document.getElementById(id);
  if (!found || (type && !(found instanceof type))) throw new Error(`viewer: no element #${id}`);
  return /** @type {T} */ (found);
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {string} [className] @param {(Node | string)[]} [children]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, className = '', children = []) {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...children);
  return made;
}

/**
 * A setting that outlives the page, or null. Storage may be forbidden; then nothing is remembered.
 * @param {string} name
 */
export function remembered(name) {
  try {
    return window.localStorage.getItem(`pagebridge:viewer:${name}`);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function remember(name, value) {
  try {
    window.localStorage.setItem(`pagebridge:viewer:${name}`, value);
  } catch {
    // A private window or a full store: the setting lasts as long as the page.
  }
}

/**
 * Says a change to a screen reader.
 * @param {string} text
 */
export function announce(text) {
  byId('announcer').textContent = text;
}

/**
 * Shows a short text over the stage for a moment.
 * @param {string} text
 */
export function toast(text) {
  const toasts = byId('toasts');
  const shown = make('div', 'toast', [text]);
  toasts.replaceChildren(shown);
  window.setTimeout(() => shown.remove(), 2400);
  announce(text);
}

/**
 * A line of code with a button that copies it.
 * @param {string} text
 */
export function commandLine(text) {
  const button = make('button', '', ['Copy']);
  button.type = 'button';
  button.setAttribute('aria-label', `Copy: ${text}`);
  button.addEventListener('click', async () => {
    button.textContent = (await copy(text)) ? 'Copied' : 'Select it';
    window.setTimeout(() => { button.textContent = 'Copy'; }, 1600);
  });
  const code = make('code', '', [text]);
  // It may be cut in a narrow window; the keyboard has to be able to scroll it.
  code.tabIndex = 0;
  return make('div', 'command', [code, button]);
}

/**
 * @param {string} text
 * @returns {Promise<boolean>}
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * A colour of its own for each app.
 * @param {string} name
 */
export function hueOf(name) {
  let hash = 2_166_136_261;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return hash % 360;
}

const SVG = 'http://www.w3.org/2000/svg';

/**
 * An SVG of one path.
 * @param {string} viewBox
 * @param {string} path
 * @param {string} [className]
 */
export function drawing(viewBox, path, className = '') {
  const made = document.createElementNS(SVG, 'svg');
  made.setAttribute('viewBox', viewBox);
  made.setAttribute('aria-hidden', 'true');
  if (className !== '') made.setAttribute('class', className);
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', path);
  made.append(line);
  return made;
}
