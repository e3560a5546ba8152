// The traffic panel: the last messages between page and host, newest last.
// Only the rows in sight are elements, and they are drawn at most once a frame, so a burst of thousands costs little.
// @ts-check
'use strict';

import { announce, byId, copy, drawing, make, remember, remembered } from '../style/dom.js';

/**
 * The host's number of a message (`entry`) begins anew when the host does; `key` is the panel's own and never repeats.
 * @typedef {Entry & {key: number}} Shown
 */
/** @typedef {{entry: number, time: number, direction: 'toHost' | 'toPage', name: string, kind: string, bytes: number, preview?: string}} Entry */

const KEPT = 500;
const ROW_HEIGHT = 52;
const SHOWN_BODY_CHARACTERS = 200_000;
const ARROWS = { toHost: 'M3 8h9M8.500 4l4 4-4 4', toPage: 'M13 8H4M7.500 4l-4 4 4 4' };

export class TrafficPanel {
  #panel = byId('traffic');
  #list = byId('traffic-list');
  #rows = byId('traffic-rows');
  #empty = byId('traffic-empty');
  #newest = byId('traffic-newest', HTMLButtonElement);
  #detail = byId('traffic-detail');
  #body = byId('traffic-body');
  #filter = byId('traffic-filter', HTMLInputElement);
  #pauseButton = byId('traffic-pause');
  #toggleButton = byId('toggle-traffic');

  /** @type {Shown[]} */
  #entries = [];
  /** @type {Shown[]} */
  #shown = [];
  #lastKey = 0;
  /** @type {Entry[]} arrived while paused */
  #held = [];
  #total = 0;
  #bytes = 0;
  #paused = false;
  #follows = true;
  #pending = false;
  #needle = '';
  #direction = 'all';
  /** @type {number | null} */
  #selected = null;
  /** @type {string | null} */
  #bodyText = null;

  /** @type {(entry: number) => void} */
  onbody = () => {};
  /** @type {(paused: boolean) => void} */
  onpause = () => {};
  /** @type {(open: boolean) => void} */
  ontoggle = () => {};

  constructor() {
    this.#toggleButton.addEventListener('click', () => this.toggle());
    byId('traffic-close').addEventListener('click', () => { this.toggle(false); this.#toggleButton.focus(); });
    this.#pauseButton.addEventListener('click', () => this.togglePause());
    byId('traffic-clear').addEventListener('click', () => this.clear());
    byId('traffic-detail-close').addEventListener('click', () => this.closeBody());
    byId('traffic-copy').addEventListener('click', async () => {
      if (this.#bodyText !== null) announce((await copy(this.#bodyText)) ? 'Copied' : 'Could not copy');
    });
    this.#newest.addEventListener('click', () => { this.#follows = true; this.#schedule(); });
    this.#filter.addEventListener('input', () => { this.#needle = this.#filter.value.trim().toLowerCase(); this.#refilter(); });
    byId('traffic-direction').addEventListener('change', (event) => {
      this.#direction = /** @type {HTMLInputElement} */ (event.target).value;
      this.#refilter();
    });
    this.#list.addEventListener('scroll', () => {
      this.#follows = this.#list.scrollTop + this.#list.clientHeight >= this.#list.scrollHeight - 8;
      this.#schedule();
    }, { passive: true });
    this.#list.addEventListener('keydown', (event) => this.#key(event));
    this.#rows.addEventListener('click', (event) => {
      const row = /** @type {HTMLElement} */ (event.target).closest('.row');
      if (row instanceof HTMLElement) this.#select(Number(row.dataset.key), true);
    });
    new ResizeObserver(() => this.#schedule()).observe(this.#list);
    this.toggle(remembered('traffic') === 'open' || (remembered('traffic') === null && window.innerWidth >= 1200));
    this.#schedule();
  }

  get isOpen() { return !this.#panel.hidden; }
  get isPaused() { return this.#paused; }

  /** @param {boolean} [open] */
  toggle(open = this.#panel.hidden) {
    this.#panel.hidden = !open;
    this.#toggleButton.setAttribute('aria-expanded', String(open));
    remember('traffic', open ? 'open' : 'closed');
    this.ontoggle(open);
    this.#schedule();
  }

  focusFilter() {
    this.toggle(true);
    this.#filter.focus();
    this.#filter.select();
  }

  /** @param {readonly Entry[]} entries oldest first */
  add(entries) {
    if (this.#paused) {
      this.#held.push(...entries.slice(-KEPT));
      if (this.#held.length > KEPT) this.#held.splice(0, this.#held.length - KEPT);
      return;
    }
    this.#take(entries);
    this.#schedule();
  }

  togglePause() {
    this.#paused = !this.#paused;
    this.#pauseButton.setAttribute('aria-pressed', String(this.#paused));
    const label = this.#paused ? 'Resume' : 'Pause';
    this.#pauseButton.setAttribute('aria-label', label);
    this.#pauseButton.title = `${label} (P)`;
    announce(this.#paused ? 'Traffic paused' : 'Traffic runs');
    this.onpause(this.#paused);
    if (!this.#paused) this.#take(this.#held.splice(0));
    this.#schedule();
  }

  clear() {
    this.#entries = [];
    this.#shown = [];
    this.#held = [];
    this.#total = 0;
    this.#bytes = 0;
    this.#follows = true;
    this.closeBody();
    this.#schedule();
    announce('Traffic cleared');
  }

  /**
   * @param {number} entry
   * @param {string} body
   */
  showBody(entry, body) {
    if (!this.#detail.hidden && this.#entries.find((one) => one.key === this.#selected)?.entry === entry) this.#writeBody(body);
  }

  closeBody() {
    if (this.#detail.hidden) return;
    const hadFocus = this.#detail.contains(document.activeElement);
    this.#detail.hidden = true;
    this.#bodyText = null;
    if (hadFocus) this.#list.focus();
  }

  get isBodyOpen() { return !this.#detail.hidden; }

  /** @param {readonly Entry[]} entries */
  #take(entries) {
    for (const entry of entries) {
      this.#total += 1;
      this.#bytes += entry.bytes;
    }
    const added = entries.slice(-KEPT).map((entry) => ({ ...entry, key: ++this.#lastKey }));
    this.#entries.push(...added);
    const surplus = this.#entries.length - KEPT;
    if (surplus > 0) this.#entries.splice(0, surplus);
    this.#shown.push(...added.filter((entry) => this.#matches(entry)));
    const oldest = this.#entries[0];
    if (surplus <= 0 || !oldest) return;
    let gone = 0;
    while (gone < this.#shown.length && /** @type {Shown} */ (this.#shown[gone]).key < oldest.key) gone += 1;
    this.#shown.splice(0, gone);
    // Rows that leave at the top must not move those that are being read.
    if (gone > 0 && !this.#follows) this.#list.scrollTop -= gone * ROW_HEIGHT;
  }

  /** @param {Entry} entry */
  #matches(entry) {
    if (this.#direction !== 'all' && entry.direction !== this.#direction) return false;
    if (this.#needle === '') return true;
    return `${entry.name} ${entry.kind} ${entry.preview ?? ''}`.toLowerCase().includes(this.#needle);
  }

  #refilter() {
    this.#shown = this.#entries.filter((entry) => this.#matches(entry));
    this.#follows = true;
    this.#schedule();
  }

  #schedule() {
    if (this.#pending || this.#panel.hidden) return;
    this.#pending = true;
    requestAnimationFrame(() => {
      this.#pending = false;
      this.#draw();
    });
  }

  #draw() {
    const count = this.#shown.length;
    byId('traffic-count').textContent = this.#total === 0 ? ''
      : `${count === this.#total ? count : `${count} of ${this.#total}`} · ${size(this.#bytes)}${this.#paused ? ' · paused' : ''}`;
    this.#empty.hidden = count > 0;
    this.#empty.textContent = this.#total > 0 ? 'No message matches the filter.' : this.#paused ? 'Paused.' : 'Messages between the page and its host appear here.';
    this.#rows.style.height = `${count * ROW_HEIGHT}px`;
    const height = this.#list.clientHeight;
    if (this.#follows) this.#list.scrollTop = count * ROW_HEIGHT - height;
    this.#newest.hidden = this.#list.scrollTop + height >= count * ROW_HEIGHT - 8;
    const first = Math.max(0, Math.floor(this.#list.scrollTop / ROW_HEIGHT) - 4);
    const last = Math.min(count, Math.ceil((this.#list.scrollTop + height) / ROW_HEIGHT) + 4);
    /** @type {Map<string | undefined, HTMLElement>} */
    const existing = new Map();
    for (const row of this.#rows.children) existing.set(/** @type {HTMLElement} */ (row).dataset.key, /** @type {HTMLElement} */ (row));
    const rows = [];
    for (let index = first; index < last; index += 1) {
      const entry = /** @type {Shown} */ (this.#shown[index]);
      const row = existing.get(String(entry.key)) ?? rowOf(entry);
      row.style.top = `${index * ROW_HEIGHT}px`;
      row.setAttribute('aria-posinset', String(index + 1));
      row.setAttribute('aria-setsize', String(count));
      row.setAttribute('aria-selected', String(entry.key === this.#selected));
      rows.push(row);
    }
    if (rows.length !== this.#rows.children.length || rows.some((row, index) => this.#rows.children[index] !== row)) this.#rows.replaceChildren(...rows);
    const active = `traffic-${this.#selected}`;
    if (this.#selected !== null && document.getElementById(active)) this.#list.setAttribute('aria-activedescendant', active);
    else this.#list.removeAttribute('aria-activedescendant');
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const count = this.#shown.length;
    if (count === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = this.#shown.findIndex((entry) => entry.key === this.#selected);
    const page = Math.max(1, Math.floor(this.#list.clientHeight / ROW_HEIGHT) - 1);
    /** @type {Record<string, number>} */
    const targets = { ArrowDown: at < 0 ? 0 : at + 1, ArrowUp: at < 0 ? count - 1 : at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: count - 1 };
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      if (this.#selected !== null && at >= 0) this.#select(this.#selected, true);
      return;
    }
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const index = Math.min(count - 1, Math.max(0, target));
    const top = index * ROW_HEIGHT;
    if (top < this.#list.scrollTop) this.#list.scrollTop = top;
    else if (top + ROW_HEIGHT > this.#list.scrollTop + this.#list.clientHeight) this.#list.scrollTop = top + ROW_HEIGHT - this.#list.clientHeight;
    this.#follows = index === count - 1;
    this.#select(/** @type {Shown} */ (this.#shown[index]).key, this.isBodyOpen);
  }

  /**
   * @param {number} key
   * @param {boolean} opens
   */
  #select(key, opens) {
    const entry = this.#entries.find((candidate) => candidate.key === key);
    if (!entry) return;
    this.#selected = key;
    if (opens) {
      // The list becomes shorter; the chosen row has to stay in sight.
      this.#follows = false;
      this.#detail.hidden = false;
      const index = this.#shown.indexOf(entry);
      const bottom = (index + 1) * ROW_HEIGHT - this.#list.clientHeight;
      if (this.#list.scrollTop < bottom) this.#list.scrollTop = bottom;
      byId('traffic-detail-title').textContent = entry.name;
      byId('traffic-facts').textContent = [entry.direction === 'toHost' ? 'page to host' : 'host to page', entry.kind, size(entry.bytes), clock(entry.time)].join(' · ');
      this.#bodyText = null;
      this.#body.replaceChildren(make('span', 'loading', [entry.preview ? `${entry.preview}\n…` : '…']));
      this.#body.scrollTop = 0;
      this.onbody(entry.entry);
    }
    this.#schedule();
  }

  /** @param {string} body */
  #writeBody(body) {
    let text = body;
    try {
      text = JSON.stringify(JSON.parse(body), null, 2);
    } catch {
      // Not JSON, or cut: shown as it came.
    }
    this.#bodyText = text;
    const cut = text.length > SHOWN_BODY_CHARACTERS;
    const shown = cut ? text.slice(0, SHOWN_BODY_CHARACTERS) : text;
    this.#body.replaceChildren(...(shown.length < 50_000 ? colored(shown) : [shown]));
    if (cut) this.#body.append(make('span', 'loading', [`\n… ${size(text.length - SHOWN_BODY_CHARACTERS)} more; the copy button copies all.`]));
  }
}

/** @param {Shown} entry */
function rowOf(entry) {
  const row = make('div', 'row', [
    drawing('0 0 16 16', ARROWS[entry.direction] ?? ARROWS.toHost),
    make('span', 'row-name', [
      make('span', 'visually-hidden', [entry.direction === 'toHost' ? 'To host: ' : 'To page: ']), make('b', '', [entry.name]),
      make('span', 'row-kind', [entry.kind])]),
    make('span', 'row-size', [size(entry.bytes)]),
    make('span', 'row-time', [clock(entry.time)]),
    make('span', 'row-preview', [previewOf(entry)]),
  ]);
  row.id = `traffic-${entry.key}`;
  row.setAttribute('role', 'option');
  row.dataset.key = String(entry.key);
  row.dataset.direction = entry.direction;
  return row;
}

/**
 * The part of a preview that tells messages apart: what a handler was given, what was evaluated.
 * @param {Entry} entry
 */
function previewOf(entry) {
  const preview = entry.preview ?? '';
  for (const start of [`{"handler":${JSON.stringify(entry.name)},"body":`, '{"source":"']) {
    if (preview.startsWith(start)) return preview.slice(start.length);
  }
  return preview;
}

/** @param {number} bytes */
function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9_950 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** @param {number} time milliseconds since 1970 */
function clock(time) {
  const date = new Date(time);
  /**
   * @param {number} value
   * @param {number} digits
   */
  const pad = (value, digits) => String(value).padStart(digits, '0');
  return `${pad(date.getHours(), 2)}:${pad(date.getMinutes(), 2)}:${pad(date.getSeconds(), 2)}.${pad(date.getMilliseconds(), 3)}`;
}

/**
 * JSON text with its names, texts and numbers marked.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function colored(text) {
  /** @type {(Node | string)[]} */
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g)) {
    const [whole = '', quoted, colon] = match;
    const start = match.index ?? 0;
    parts.push(text.slice(at, start), make('span', quoted ? (colon ? 'key-name' : 'text') : 'number', [quoted ?? whole]));
    if (colon) parts.push(colon);
    at = start + whole.length;
  }
  parts.push(text.slice(at));
  return parts;
}
