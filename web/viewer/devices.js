// The devices the viewer can be, with their metrics in points.
// @ts-check
'use strict';

/** @typedef {'phone-island' | 'phone-notch' | 'phone' | 'tablet' | 'window'} DeviceId */
/** @typedef {'portrait' | 'landscape-left' | 'landscape-right'} Orientation  the side names where the top of the device is */
/** @typedef {{top: number, left: number, bottom: number, right: number}} Insets */
/**
 * @typedef {object} Device
 * @property {DeviceId} id
 * @property {string} name
 * @property {number} width    upright
 * @property {number} height   upright
 * @property {number} corner   radius of the screen
 * @property {number} bezelX   from the screen to the body's edge, upright
 * @property {number} bezelY
 * @property {Insets} safeArea        upright
 * @property {Insets} safeAreaOnSide  lying on its right side (its top at the left)
 * @property {number} statusHeight
 * @property {number} barTop          where the navigation bar begins, upright, when the status bar shows
 * @property {number} barTopBare      the same when the status bar is hidden
 * @property {number} barHeight       upright
 * @property {number} barHeightOnSide
 */

/** @type {readonly Device[]} */
export const DEVICES = [
  {
    id: 'phone-island', name: 'Phone with island', width: 393, height: 852, corner: 55, bezelX: 14, bezelY: 14,
    safeArea: { top: 59, left: 0, bottom: 34, right: 0 }, safeAreaOnSide: { top: 0, left: 59, bottom: 21, right: 59 },
    statusHeight: 54, barTop: 54, barTopBare: 54, barHeight: 44, barHeightOnSide: 32,
  },
  {
    id: 'phone-notch', name: 'Phone with notch', width: 390, height: 844, corner: 47, bezelX: 16, bezelY: 16,
    safeArea: { top: 47, left: 0, bottom: 34, right: 0 }, safeAreaOnSide: { top: 0, left: 47, bottom: 21, right: 47 },
    statusHeight: 47, barTop: 47, barTopBare: 47, barHeight: 44, barHeightOnSide: 32,
  },
  {
    id: 'phone', name: 'Phone without notch', width: 375, height: 667, corner: 2, bezelX: 20, bezelY: 92,
    safeArea: { top: 20, left: 0, bottom: 0, right: 0 }, safeAreaOnSide: { top: 0, left: 0, bottom: 0, right: 0 },
    statusHeight: 20, barTop: 20, barTopBare: 0, barHeight: 44, barHeightOnSide: 32,
  },
  {
    id: 'tablet', name: 'Tablet', width: 820, height: 1180, corner: 18, bezelX: 40, bezelY: 40,
    safeArea: { top: 24, left: 0, bottom: 20, right: 0 }, safeAreaOnSide: { top: 24, left: 0, bottom: 20, right: 0 },
    statusHeight: 24, barTop: 24, barTopBare: 0, barHeight: 50, barHeightOnSide: 50,
  },
  {
    id: 'window', name: 'Plain window', width: 0, height: 0, corner: 0, bezelX: 0, bezelY: 0,
    safeArea: { top: 0, left: 0, bottom: 0, right: 0 }, safeAreaOnSide: { top: 0, left: 0, bottom: 0, right: 0 },
    statusHeight: 0, barTop: 0, barTopBare: 0, barHeight: 0, barHeightOnSide: 0,
  },
];

/**
 * The device of this id, or the first one.
 * @param {string | null} id
 * @returns {Device}
 */
export function deviceOf(id) {
  return DEVICES.find((device) => device.id === id) ?? /** @type {Device} */ (DEVICES[0]);
}

/**
 * Degrees by which the hardware is turned.
 * @param {Orientation} orientation
 */
export function turnOf(orientation) {
  return orientation === 'portrait' ? 0 : orientation === 'landscape-left' ? -90 : 90;
}

/**
 * How an orientation is told to people.
 * @param {Device} device
 * @param {Orientation} orientation
 */
export function describe(device, orientation) {
  if (orientation === 'portrait') return 'portrait';
  if (device.id === 'window') return 'landscape';
  const side = orientation === 'landscape-left' ? 'left' : 'right';
  return device.id === 'phone-island' ? `landscape, island ${side}` : device.id === 'phone-notch' ? `landscape, notch ${side}` : `landscape, top at the ${side}`;
}
