// The app's web content: one frame for each web view that the host shows, placed in points.
// The frames' documents are never touched; they speak to the host by their own bridge.
// @ts-check
'use strict';

import { byId, make } from '../style/dom.js';

const ALLOW = 'fullscreen *; autoplay *; camera *; microphone *; screen-wake-lock *; clipboard-read *; clipboard-write *';

/** @typedef {{x: number, y: number, width: number, height: number}} Frame */

export class Content {
  #element = byId('content');
  /** @type {Map<string, {element: HTMLIFrameElement | null, frame: Frame | null, background?: string}>} */
  #views = new Map();
  #fills = false;
  /** @type {string | null} */
  #front = null;
  /** The view whose frame has the plain name; the others' carry their id, so that their pages keep what they store apart.
   * @type {string | null} */
  #first = null;

  /** @type {(id: string, state: 'loaded' | 'failed') => void} */
  onstate = () => {};
  /**
   * Called after the front view's place or the number of views changed.
   * @type {() => void}
   */
  onlayout = () => {};

  get isEmpty() { return [...this.#views.values()].every((view) => view.element === null); }

  /** The place of the view that was shown last, in points; null = the whole screen. */
  get frontFrame() {
    return this.#fills || this.#front === null ? null : this.#views.get(this.#front)?.frame ?? null;
  }

  /**
   * Shows a URL in a new frame: the same element with a URL that differs only in its fragment would load nothing.
   * @param {string} id @param {string | null} url null takes the view away
   */
  show(id, url) {
    const view = this.#views.get(id) ?? { element: null, frame: null };
    view.element?.remove();
    view.element = null;
    if (url !== null && !/^https?:$/.test(new URL(url, location.href).protocol)) {
      // A script URL would run with the viewer's own rights.
      console.warn('viewer: not a page address:', url);
      this.onstate(id, 'failed');
      return;
    }
    if (url === null) {
      this.#views.delete(id);
      if (this.#front === id) this.#front = [...this.#views.keys()].pop() ?? null;
      this.onlayout();
      return;
    }
    const frame = make('iframe');
    if (this.#first === null || !this.#views.get(this.#first)?.element) this.#first = id;
    frame.name = this.#first === id ? 'pagebridge' : `pagebridge:${id}`;
    frame.title = 'Web content of the app';
    frame.allow = ALLOW;
    frame.addEventListener('load', () => this.onstate(id, 'loaded'));
    frame.addEventListener('error', () => this.onstate(id, 'failed'));
    view.element = frame;
    this.#views.set(id, view);
    this.#front = id;
    this.#place(view);
    frame.src = url;
    this.#element.append(frame);
    this.onlayout();
  }

  /**
   * @param {string} id
   * @param {Frame} frame in points of the screen
   * @param {string} background the colour behind the page
   */
  place(id, frame, background) {
    const view = this.#views.get(id) ?? { element: null, frame: null };
    view.frame = frame;
    view.background = background;
    this.#views.set(id, view);
    if (this.#front === null) this.#front = id;
    this.#place(view);
    this.onlayout();
  }

  /**
   * In a plain window the content is the screen; frames asked for are kept for a later device.
   * @param {boolean} fills
   */
  fill(fills) {
    if (this.#fills === fills) return;
    this.#fills = fills;
    for (const view of this.#views.values()) this.#place(view);
    this.onlayout();
  }

  clear() {
    for (const id of [...this.#views.keys()]) this.show(id, null);
  }

  /** @param {{element: HTMLIFrameElement | null, frame: Frame | null, background?: string}} view */
  #place(view) {
    if (!view.element) return;
    const style = view.element.style;
    style.backgroundColor = view.background ?? '';
    const frame = this.#fills ? null : view.frame;
    style.left = frame ? `${frame.x}px` : '0';
    style.top = frame ? `${frame.y}px` : '0';
    style.width = frame ? `${Math.max(0, frame.width)}px` : '100%';
    style.height = frame ? `${Math.max(0, frame.height)}px` : '100%';
  }
}
