// The drawn device: which one it is, how it lies, how large it is on the stage.
// @ts-check
'use strict';

import { DEVICES, describe, deviceOf, turnOf } from './devices.js';
import { announce, byId, remember, remembered } from '../style/dom.js';

/** @typedef {import('./devices.js').Orientation} Orientation */
/** @typedef {import('./devices.js').Insets} Insets */
/** @typedef {{device: string, width: number, height: number, orientation: Orientation, safeArea: Insets}} Metrics */

const TURN_MILLISECONDS = 420;

export class DeviceFrame {
  #stage = byId('stage');
  #element = byId('device');
  #screen = byId('screen');
  #caption = byId('caption');
  #device = deviceOf(remembered('device') ?? (window.innerWidth < 600 ? 'window' : null));
  /** @type {Orientation} */
  #orientation = 'portrait';
  #statusHidden = false;
  #reported = '';

  /**
   * Called with the new metrics after each change of them.
   * @type {(metrics: Metrics) => void}
   */
  onchange = () => {};

  constructor() {
    if (this.#device.id !== 'window') {
      const kept = orientationOfThisTab();
      if (kept === 'landscape-left' || kept === 'landscape-right') this.#orientation = kept;
    }
    this.#layout();
    // A first layout without movement; from now on turning and scaling are animated.
    requestAnimationFrame(() => requestAnimationFrame(() => this.#element.setAttribute('data-settled', '')));
    new ResizeObserver(() => this.#layout()).observe(this.#stage);
  }

  get device() { return this.#device; }
  get orientation() { return this.#orientation; }
  get isWindow() { return this.#device.id === 'window'; }

  /** @returns {Metrics} */
  get metrics() {
    const { width, height } = this.#size();
    return { device: this.#device.id, width, height, orientation: this.#orientation, safeArea: this.#safeArea() };
  }

  /** @param {string} id */
  choose(id) {
    const device = deviceOf(id);
    if (device === this.#device) return;
    this.#device = device;
    remember('device', device.id);
    if (this.isWindow) this.#orientation = 'portrait';
    this.#element.removeAttribute('data-settled');
    this.#layout();
    requestAnimationFrame(() => this.#element.setAttribute('data-settled', ''));
    announce(`${device.name}, ${describe(device, this.#orientation)}`);
  }

  chooseNext() {
    const next = DEVICES[(DEVICES.indexOf(this.#device) + 1) % DEVICES.length];
    if (next) this.choose(next.id);
  }

  /**
   * Turns the device; a window cannot be turned.
   * @param {Orientation} orientation
   */
  turn(orientation) {
    if (this.isWindow || orientation === this.#orientation) return;
    const from = turnOf(this.#orientation) - turnOf(orientation);
    this.#orientation = orientation;
    keepOrientationOfThisTab(orientation);
    this.#layout();
    if (!window.matchMedia('(prefers-reduced-motion: reduce)').matches) {
      // The screen already has its new size; it is shown lying as the hardware still lies and turns along with it.
      this.#screen.animate([{ transform: `rotate(${from}deg)` }, { transform: 'rotate(0deg)' }],
        { duration: TURN_MILLISECONDS, easing: 'cubic-bezier(0.4, 0.1, 0.2, 1)' });
      byId('app').animate([{ opacity: 0.2 }, { opacity: 1 }], { duration: TURN_MILLISECONDS, easing: 'ease-in' });
    }
    announce(describe(this.#device, orientation));
  }

  /**
   * Lays the device on this side, or upright again when it lies so.
   * @param {'landscape-left' | 'landscape-right'} side
   */
  toggle(side) {
    this.turn(this.#orientation === side ? 'portrait' : side);
  }

  /**
   * Phones have no status bar while they lie on their side.
   * @param {boolean} hidden what the host asked for
   */
  setStatusHidden(hidden) {
    this.#statusHidden = hidden;
    this.#layout();
  }

  #size() {
    if (this.isWindow) return { width: this.#stage.clientWidth, height: this.#stage.clientHeight };
    const { width, height } = this.#device;
    return this.#orientation === 'portrait' ? { width, height } : { width: height, height: width };
  }

  /** @returns {Insets} */
  #safeArea() {
    return this.#orientation === 'portrait' ? this.#device.safeArea : this.#device.safeAreaOnSide;
  }

  #layout() {
    const device = this.#device;
    const { width, height } = this.#size();
    if (width === 0 || height === 0) return;
    if (this.isWindow) this.#orientation = width > height ? 'landscape-left' : 'portrait';
    const upright = this.#orientation === 'portrait';
    const stageWidth = this.#stage.clientWidth;
    const stageHeight = this.#stage.clientHeight;
    const outerWidth = width + 2 * (upright ? device.bezelX : device.bezelY) + 16;
    const outerHeight = height + 2 * (upright ? device.bezelY : device.bezelX) + 16;
    const margin = Math.min(stageWidth, stageHeight) < 520 ? 8 : 24;
    const captionHeight = 24;
    const scale = this.isWindow ? 1 : Math.min(1, (stageWidth - 2 * margin) / outerWidth, (stageHeight - 2 * margin - captionHeight) / outerHeight);
    const safe = this.#safeArea();
    const statusHidden = this.#statusHidden || (!upright && device.id !== 'tablet');

    const style = this.#element.style;
    /** @type {[string, string][]} */
    const properties = [
      ['--upright-width', `${this.isWindow ? width : device.width}px`], ['--upright-height', `${this.isWindow ? height : device.height}px`],
      ['--width', `${width}px`], ['--height', `${height}px`],
      ['--bezel-x', `${device.bezelX}px`], ['--bezel-y', `${device.bezelY}px`], ['--corner', `${device.corner}px`],
      ['--safe-top', `${safe.top}px`], ['--safe-left', `${safe.left}px`], ['--safe-bottom', `${safe.bottom}px`], ['--safe-right', `${safe.right}px`],
      ['--status-height', `${device.statusHeight}px`],
      ['--bar-top', `${!upright && device.id !== 'tablet' ? 0 : statusHidden ? device.barTopBare : device.barTop}px`],
      ['--bar-height', `${upright ? device.barHeight : device.barHeightOnSide}px`],
      ['--turn', `${turnOf(this.isWindow ? 'portrait' : this.#orientation)}deg`],
      ['--scale', scale.toFixed(4)],
      // The screen's corner falls on a whole pixel, so that text at full size stays sharp.
      ['--x', `${this.isWindow ? width / 2 : Math.round((stageWidth - width) / 2) + width / 2}px`],
      ['--y', `${this.isWindow ? height / 2 : Math.round((stageHeight - captionHeight - height) / 2) + height / 2}px`],
    ];
    for (const [name, value] of properties) if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
    this.#element.dataset.device = device.id;
    this.#element.dataset.orientation = this.#orientation;
    byId('status-bar').dataset.hidden = String(statusHidden);
    this.#caption.hidden = this.isWindow;
    this.#caption.textContent = `${device.name} · ${width} × ${height} · ${Math.round(scale * 100)} %`;
    this.#report();
  }

  #report() {
    const metrics = this.metrics;
    const text = JSON.stringify(metrics);
    if (text === this.#reported) return;
    this.#reported = text;
    this.onchange(metrics);
  }
}

// A reload finds the device as it lay, a new visit finds it upright.

function orientationOfThisTab() {
  try {
    return window.sessionStorage.getItem('pagebridge:viewer:orientation');
  } catch {
    return null;
  }
}

/** @param {Orientation} orientation */
function keepOrientationOfThisTab(orientation) {
  try {
    window.sessionStorage.setItem('pagebridge:viewer:orientation', orientation);
  } catch {
    // Nothing is kept; the next load begins upright.
  }
}
