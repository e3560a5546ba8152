// Keeps the computer's screen on while the host asks for it, where the browser can.
// @ts-check
'use strict';

import { byId } from '../style/dom.js';

/** @typedef {{released: boolean, release: () => Promise<void>}} Sentinel  of the wake lock API */

const wakeLock = /** @type {{request: (type: 'screen') => Promise<Sentinel>} | undefined} */ (/** @type {any} */ (navigator).wakeLock);

export class KeepAwake {
  #wanted = false;
  /** @type {Sentinel | null} */
  #lock = null;
  #asking = false;
  #element = byId('awake');
  #text = byId('awake-text');

  constructor() {
    // The browser takes the lock back whenever the tab is hidden.
    document.addEventListener('visibilitychange', () => void this.#apply());
  }

  /** @param {boolean} on */
  set(on) {
    this.#wanted = on;
    void this.#apply();
  }

  /** @returns {Promise<void>} */
  async #apply() {
    if (this.#asking) return;
    if (!this.#wanted) {
      await this.#lock?.release().catch(() => undefined);
      this.#lock = null;
    } else if ((this.#lock === null || this.#lock.released) && document.visibilityState === 'visible' && wakeLock) {
      this.#asking = true;
      this.#lock = await wakeLock.request('screen').catch(() => null);
      this.#asking = false;
      if (!this.#wanted) return this.#apply();
    }
    const granted = this.#lock !== null && !this.#lock.released;
    this.#element.hidden = !this.#wanted;
    this.#element.dataset.granted = String(granted);
    const words = granted ? 'The app keeps the screen on' : 'The app asks to keep the screen on; this browser does not allow it';
    this.#element.title = words;
    this.#text.textContent = words;
  }
}
