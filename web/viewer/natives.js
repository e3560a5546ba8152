// Native views: the host describes what it draws, the viewer draws it as controls and sends back what people do with them.
// Each description is whole; elements are kept by id, so focus, caret and scroll place survive an update.
// @ts-check
'use strict';

import { announce, byId, make } from '../style/dom.js';
import { makeCapture } from './capture.js';

/** @typedef {'panel' | 'row' | 'column' | 'label' | 'button' | 'textField' | 'spinner' | 'progress' | 'banner' | 'badge' | 'capture'} Kind */
/**
 * @typedef {object} View
 * @property {string} id
 * @property {Kind} kind
 * @property {boolean} [hidden]
 * @property {boolean} [disabled]
 * @property {{x: number, y: number, width: number, height: number}} [frame]
 * @property {'screen' | 'content'} [anchor]
 * @property {string} [title]
 * @property {string} [text]
 * @property {string} [placeholder]
 * @property {string} [value]
 * @property {'primary' | 'cancel' | 'destructive' | 'normal'} [role]
 * @property {'info' | 'success' | 'warning' | 'error'} [tone]
 * @property {'document' | 'selfie'} [subject]
 * @property {View[]} [children]
 */
/** @typedef {{kind: Kind, element: HTMLElement, update: (view: View) => void, inside: (view: View) => HTMLElement | null, end?: () => void}} Drawn */
/** @typedef {(view: string, action: 'press' | 'change' | 'submit' | 'capture' | 'cancel' | 'permission', value?: unknown) => void} Action */

export class NativeViews {
  #layers = { screen: byId('natives-screen'), content: byId('natives-content') };
  #top = make('div', 'natives-stack natives-top');
  #bottom = make('div', 'natives-stack natives-bottom');
  /** @type {Map<string, Drawn>} */
  #drawn = new Map();
  /** @type {Set<string>} */
  #visiblePanels = new Set();

  #isEmpty = true;

  /** @type {Action} */
  onaction = () => {};

  constructor() {
    this.#layers.screen.append(this.#top, this.#bottom);
  }

  get isEmpty() { return this.#isEmpty; }

  /**
   * Where views without a frame begin: under the content that ends at this height, or (null) at the screen's bottom.
   * @param {number | null} height in points
   */
  placeUnder(height) {
    this.#bottom.toggleAttribute('data-under-content', height !== null);
    this.#bottom.style.setProperty('--under-content', `${(height ?? 0) + 16}px`);
  }

  /** @param {readonly View[]} views */
  show(views) {
    this.#isEmpty = views.every((view) => view.hidden === true);
    const alive = new Set();
    /** @type {Map<HTMLElement, HTMLElement[]>} */
    const places = new Map([[this.#layers.screen, [this.#top, this.#bottom]], [this.#layers.content, []], [this.#top, []], [this.#bottom, []]]);
    for (const view of views) {
      const drawn = this.#draw(view, alive);
      if (!drawn) continue;
      const parent = view.kind === 'capture' ? this.#layers.screen : view.frame
        ? this.#layers[view.anchor === 'content' ? 'content' : 'screen']
        : view.kind === 'banner' || view.kind === 'badge' ? this.#top : this.#bottom;
      places.get(parent)?.push(drawn.element);
    }
    for (const [parent, children] of places) arrange(parent, children);
    for (const [id, drawn] of this.#drawn) {
      if (alive.has(id)) continue;
      drawn.end?.();
      drawn.element.remove();
      this.#drawn.delete(id);
    }
    this.#coverOthers(views.some((view) => view.kind === 'capture' && view.hidden !== true));
    this.#announcePanels(views);
  }

  /**
   * What lies under a view that fills the screen cannot be reached, by the keyboard neither.
   * @param {boolean} covers
   */
  #coverOthers(covers) {
    for (const id of ['content', 'navigation-bar', 'natives-content']) byId(id).inert = covers;
    for (const each of this.#layers.screen.children) {
      if (each instanceof HTMLElement && !each.classList.contains('n-capture')) each.inert = covers;
    }
  }

  /**
   * @param {View} view @param {Set<string>} alive
   * @returns {Drawn | null}
   */
  #draw(view, alive) {
    if (typeof view?.id !== 'string' || alive.has(view.id)) return null;
    const make = MAKERS[view.kind];
    if (!make) return null;
    let drawn = this.#drawn.get(view.id);
    if (!drawn || drawn.kind !== view.kind) {
      drawn?.end?.();
      drawn?.element.remove();
      drawn = { kind: view.kind, ...make(view.id, (id, action, value) => this.onaction(id, action, value)) };
      drawn.element.dataset.view = view.id;
      this.#drawn.set(view.id, drawn);
    }
    alive.add(view.id);
    const { element } = drawn;
    element.hidden = view.hidden === true;
    element.classList.toggle('n-framed', view.frame !== undefined);
    for (const [name, value] of /** @type {const} */ ([['left', view.frame?.x], ['top', view.frame?.y], ['width', view.frame?.width], ['height', view.frame?.height]])) {
      element.style[name] = value === undefined ? '' : `${value}px`;
    }
    set(element, 'role', view.role);
    set(element, 'tone', view.tone);
    drawn.update(view);
    const children = view.children ?? [];
    /** @type {Map<HTMLElement, HTMLElement[]>} */
    const places = new Map();
    for (const part of element.querySelectorAll('[data-holds]')) {
      if (part.closest('[data-view]') === element) places.set(/** @type {HTMLElement} */ (part), []);
    }
    if (element.dataset.holds !== undefined) places.set(element, []);
    for (const child of children) {
      const inside = drawn.inside(child);
      const made = inside && this.#draw(child, alive);
      if (made && inside) places.get(inside)?.push(made.element);
    }
    for (const [parent, elements] of places) arrange(parent, elements);
    return drawn;
  }

  /** @param {readonly View[]} views */
  #announcePanels(views) {
    const visible = new Set();
    for (const view of views) {
      if (view.kind !== 'panel' && view.kind !== 'banner') continue;
      if (view.hidden) continue;
      visible.add(view.id);
      if (!this.#visiblePanels.has(view.id)) announce([view.title, view.text].filter(Boolean).join(': ') || 'A panel appeared');
    }
    this.#visiblePanels = visible;
  }
}

/**
 * Puts the children in this order, moving only those that are elsewhere: a moved element loses its focus.
 * @param {HTMLElement} parent
 * @param {HTMLElement[]} children
 */
function arrange(parent, children) {
  let place = parent.firstElementChild;
  for (const child of children) {
    if (place === child) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
}

/**
 * @param {HTMLElement} element
 * @param {string} name
 * @param {string | undefined} value
 */
function set(element, name, value) {
  if (value === undefined) delete element.dataset[name];
  else element.dataset[name] = value;
}

/**
 * @param {Node} node
 * @param {string} text
 */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @type {Record<Kind, (id: string, act: Action) => {element: HTMLElement, update: (view: View) => void, inside: (child: View) => HTMLElement | null, end?: () => void}>} */
const MAKERS = {
  panel() {
    const title = make('div', 'n-panel-title');
    const body = make('div', 'n-panel-body');
    const foot = make('div', 'n-panel-foot');
    const text = make('div', 'n-label');
    body.dataset.holds = '';
    foot.dataset.holds = '';
    const element = make('section', 'n-panel', [title, body, foot]);
    /** @type {View | undefined} */
    let last;
    return {
      element,
      update(view) {
        title.hidden = !view.title;
        write(title, view.title ?? '');
        element.setAttribute('aria-label', view.title ?? 'Panel');
        if (view.text) {
          write(text, view.text);
          if (text.parentElement !== element) element.insertBefore(text, body);
          text.style.padding = '10px 16px 0';
        } else {
          text.remove();
        }
        last = view.children?.at(-1);
      },
      // A closing row of buttons stays in sight while the rest scrolls.
      inside: (child) => (child === last && child.kind === 'row' && child.children?.every((view) => view.kind === 'button') ? foot : body),
    };
  },
  row() {
    const element = make('div', 'n-row');
    element.dataset.holds = '';
    return { element, update() {}, inside: () => element };
  },
  column() {
    const element = make('div', 'n-column');
    element.dataset.holds = '';
    return { element, update() {}, inside: () => element };
  },
  label() {
    const title = make('span', 'n-label-title');
    const text = make('span');
    const element = make('div', 'n-label', [title, text]);
    return {
      element,
      update(view) {
        title.hidden = !view.title || view.text === undefined;
        write(title, view.title ?? '');
        write(text, view.text ?? view.title ?? '');
      },
      inside: () => null,
    };
  },
  button(id, act) {
    const element = make('button', 'n-button');
    element.type = 'button';
    element.addEventListener('click', () => act(id, 'press'));
    return {
      element,
      update(view) {
        write(element, view.title ?? view.text ?? '');
        element.disabled = view.disabled === true;
      },
      inside: () => null,
    };
  },
  textField(id, act) {
    const title = make('span');
    const input = make('input');
    input.type = 'text';
    input.autocomplete = 'off';
    const element = make('label', 'n-field', [title, input]);
    /**
     * What was typed and not yet told back by the host; such an echo must not overwrite what was typed since.
     * @type {string[]}
     */
    let sent = [];
    input.addEventListener('input', () => {
      sent.push(input.value);
      act(id, 'change', input.value);
    });
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) act(id, 'submit', input.value);
    });
    return {
      element,
      update(view) {
        title.hidden = !view.title;
        write(title, view.title ?? '');
        input.placeholder = view.placeholder ?? '';
        input.disabled = view.disabled === true;
        if (!view.title) input.setAttribute('aria-label', view.placeholder ?? 'Text');
        if (view.value === undefined) return;
        const echo = sent.indexOf(view.value);
        if (echo >= 0) sent = sent.slice(echo + 1);
        else if (view.value !== input.value) {
          input.value = view.value;
          sent = [];
        }
      },
      inside: () => null,
    };
  },
  spinner() {
    const text = make('span');
    const element = make('div', 'n-spinner', [make('i'), text]);
    element.setAttribute('role', 'status');
    return {
      element,
      update(view) {
        const words = view.text ?? view.title ?? '';
        write(text, words);
        element.setAttribute('aria-label', words || 'In progress');
      },
      inside: () => null,
    };
  },
  progress() {
    const bar = make('i');
    const element = make('div', 'n-progress', [bar]);
    element.setAttribute('role', 'progressbar');
    element.setAttribute('aria-label', 'Progress');
    return {
      element,
      update(view) {
        const percent = Math.round(Math.min(Math.max(Number(view.value) || 0, 0), 1) * 100);
        bar.style.width = `${percent}%`;
        element.setAttribute('aria-valuenow', String(percent));
      },
      inside: () => null,
    };
  },
  banner() {
    const title = make('strong');
    const text = make('span');
    const held = make('div', 'n-column');
    held.dataset.holds = '';
    const element = make('div', 'n-banner', [make('div', 'n-banner-text', [title, text]), held]);
    return {
      element,
      update(view) {
        title.hidden = !view.title;
        write(title, view.title ?? '');
        write(text, view.text ?? '');
        held.hidden = !view.children?.length;
      },
      inside: () => held,
    };
  },
  badge() {
    const element = make('span', 'n-badge');
    return { element, update: (view) => write(element, view.text ?? view.title ?? ''), inside: () => null };
  },
  capture: makeCapture,
};
