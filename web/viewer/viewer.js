// The viewer: shows the session of one app in a device. It is a page of the bridge itself, with the client kind "screen":
// it tells the host the screen's metrics and what people do, and draws what the host asks for.
// @ts-check
'use strict';

import { KeepAwake } from './awake.js';
import { Content } from './content.js';
import { DeviceFrame } from './device.js';
import { announce, byId, hueOf, toast } from '../style/dom.js';
import { NativeViews } from './natives.js';
import { Notice } from './notice.js';
import { TrafficPanel } from './traffic.js';

/** @typedef {import('./notice.js').ConnectionState} ConnectionState */
/**
 * @typedef {object} Bridge
 * @property {ConnectionState} state
 * @property {(type: 'state', listener: () => void) => void} addEventListener
 * @property {((message: any) => void) | null} onscreen
 */

const bridge = /** @type {Bridge | undefined} */ (/** @type {any} */ (window).pagebridge);
const appName = decodeURIComponent(location.pathname.split('/').filter(Boolean).pop() ?? '');

/**
 * Tells the host. Before a session exists there is nobody to tell; all that matters is told again when it is there.
 * @param {Record<string, unknown>} message
 */
function tell(message) {
  const handler = /** @type {any} */ (window).webkit?.messageHandlers?.pagebridgeScreen;
  if (!handler) return;
  try {
    Promise.resolve(handler.postMessage(message)).catch((error) => console.warn('viewer: a message to the host was refused:', error));
  } catch (error) {
    console.warn('viewer: a message to the host was refused:', error);
  }
}

// MARK: Parts

const device = new DeviceFrame();
const content = new Content();
const natives = new NativeViews();
const traffic = new TrafficPanel();
const notice = new Notice(appName);
const awake = new KeepAwake();

/** Points below the content from which on native views have a place there. */
const ROOM_FOR_VIEWS = 160;

let isHome = false;

/** @param {import('./device.js').Metrics} metrics */
device.onchange = (metrics) => {
  content.fill(device.isWindow);
  content.onlayout();
  showControls();
  tell({ type: 'metrics', ...metrics });
};

/**
 * @param {string} id
 * @param {'loaded' | 'failed'} state
 */
content.onstate = (id, state) => tell({ type: 'contentState', id, state });
content.onlayout = () => {
  const frame = content.frontFrame;
  const layer = byId('natives-content');
  layer.style.left = `${frame?.x ?? 0}px`;
  layer.style.top = `${frame?.y ?? 0}px`;
  natives.placeUnder(frame && device.metrics.height - frame.y - frame.height > ROOM_FOR_VIEWS ? frame.y + frame.height : null);
  showOrHideNotice();
};

/** @type {import('./natives.js').Action} */
natives.onaction = (view, action, value) => tell({ type: 'action', view, action, ...(value === undefined ? {} : { value }) });
/** @param {number} entry */
traffic.onbody = (entry) => tell({ type: 'trafficBody', entry });
/** @param {boolean} paused */
traffic.onpause = (paused) => tell({ type: 'trafficPause', paused });

/** Anything that the host has drawn counts: an app may begin with native views alone. */
function showOrHideNotice() {
  notice.setHasContent(!content.isEmpty || !natives.isEmpty);
}

// MARK: Host to viewer

const screen = byId('screen');
const navigationBar = byId('navigation-bar');
const colorScheme = window.matchMedia('(prefers-color-scheme: dark)');
/** @type {'light' | 'dark' | null} */
let statusStyle = null;
let statusHidden = false;

/** The style names the colour of the status bar's text; over a navigation bar that bar's own ground decides. */
function showInk() {
  const byScheme = statusStyle === null || navigationBar.dataset.hidden === 'false';
  const light = isHome || (byScheme ? colorScheme.matches : statusStyle === 'light');
  screen.dataset.ink = light ? 'light' : 'dark';
  device.setStatusHidden(statusHidden && !isHome);
}

colorScheme.addEventListener('change', showInk);

/** @param {any} message */
function receive(message) {
  switch (message?.type) {
    case 'content':
      content.show(String(message.id), typeof message.url === 'string' ? message.url : null);
      break;
    case 'frame':
      if ([message.x, message.y, message.width, message.height].every(Number.isFinite)) {
        content.place(String(message.id), { x: message.x, y: message.y, width: message.width, height: message.height }, String(message.background ?? ''));
      }
      break;
    case 'bars':
      navigationBar.dataset.hidden = String(message.navigationBar?.hidden !== false);
      byId('navigation-title').textContent = message.navigationBar?.title ?? '';
      byId('natives-screen').style.setProperty('--content-top', message.navigationBar?.hidden === false ? 'calc(var(--bar-top) + var(--bar-height))' : 'var(--safe-top)');
      statusHidden = message.statusBar?.hidden === true;
      statusStyle = message.statusBar?.style === 'light' || message.statusBar?.style === 'dark' ? message.statusBar.style : null;
      showInk();
      break;
    case 'orientation':
      if (message.value === 'portrait') device.turn('portrait');
      else if (message.value === 'landscape' && device.orientation === 'portrait') device.turn('landscape-left');
      break;
    case 'background':
      if (typeof message.color === 'string') byId('app').style.setProperty('--app-background', message.color);
      break;
    case 'keepAwake':
      awake.set(message.on === true);
      break;
    case 'views':
      if (Array.isArray(message.views)) {
        natives.show(message.views);
        showOrHideNotice();
      }
      break;
    case 'traffic':
      if (Array.isArray(message.entries)) traffic.add(message.entries);
      break;
    case 'trafficBody':
      traffic.showBody(message.entry, typeof message.body === 'string' ? message.body : JSON.stringify(message.body ?? null));
      break;
    default:
      console.info('viewer: unknown screen message', message);
  }
}

// MARK: Connection

let wasAttached = false;

function connectionChanged() {
  const state = bridge?.state ?? 'missing';
  notice.setState(state);
  if (state === 'ended' || state === 'closed') {
    content.clear();
    natives.show([]);
    awake.set(false);
  }
  if (state === 'attached' && !wasAttached) {
    // Perhaps another life of the host, which knows nothing of this screen: tell it everything.
    tell({ type: 'metrics', ...device.metrics });
    tell({ type: isHome ? 'disappear' : 'appear' });
    if (traffic.isPaused) tell({ type: 'trafficPause', paused: true });
  }
  wasAttached = state === 'attached';
}

// MARK: Home

const home = byId('home', HTMLButtonElement);

/** @param {boolean} goes */
function setHome(goes) {
  if (isHome === goes) return;
  isHome = goes;
  screen.dataset.home = String(goes);
  byId('app').inert = goes;
  byId('springboard').inert = !goes;
  home.setAttribute('aria-pressed', String(goes));
  showInk();
  tell({ type: goes ? 'disappear' : 'appear' });
  announce(goes ? 'Home screen' : `${appName} is open`);
  if (goes) byId('app-icon').focus({ preventScroll: true });
}

// MARK: Controls

const rotateLeft = byId('rotate-left', HTMLButtonElement);
const rotateRight = byId('rotate-right', HTMLButtonElement);

function showControls() {
  for (const radio of document.querySelectorAll('#devices input')) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === device.device.id;
  }
  rotateLeft.setAttribute('aria-pressed', String(device.orientation === 'landscape-left' && !device.isWindow));
  rotateRight.setAttribute('aria-pressed', String(device.orientation === 'landscape-right' && !device.isWindow));
  rotateLeft.disabled = device.isWindow;
  rotateRight.disabled = device.isWindow;
}

function warnOfMemory() {
  tell({ type: 'memoryWarning' });
  toast('Memory warning sent');
}

byId('devices').addEventListener('change', (event) => device.choose(/** @type {HTMLInputElement} */ (event.target).value));
rotateLeft.addEventListener('click', () => device.toggle('landscape-left'));
rotateRight.addEventListener('click', () => device.toggle('landscape-right'));
home.addEventListener('click', () => setHome(!isHome));
byId('home-button').addEventListener('click', () => setHome(true));
byId('app-icon').addEventListener('click', () => setHome(false));
byId('memory-warning').addEventListener('click', warnOfMemory);

const help = byId('help-dialog', HTMLDialogElement);
byId('help').addEventListener('click', () => help.showModal());
help.addEventListener('click', (event) => {
  if (event.target === help) help.close();
});

/** @type {Record<string, () => void>} */
const SHORTCUTS = {
  r: () => device.toggle('landscape-left'),
  R: () => device.toggle('landscape-right'),
  d: () => device.chooseNext(),
  h: () => setHome(!isHome),
  m: warnOfMemory,
  t: () => traffic.toggle(),
  '/': () => traffic.focusFilter(),
  p: () => traffic.togglePause(),
  C: () => traffic.clear(),
  '?': () => help.showModal(),
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || help.open) return;
  const target = /** @type {HTMLElement} */ (event.target);
  const types = target instanceof HTMLInputElement && target.type !== 'radio';
  if (event.key === 'Escape') {
    if (types && target.id === 'traffic-filter') {
      // The first press empties the field by itself, the next one leaves it.
      if (target.value === '') byId('traffic-list').focus();
      return;
    }
    if (traffic.isBodyOpen) traffic.closeBody();
    else if (window.innerWidth < 800 && traffic.isOpen) traffic.toggle(false);
    return;
  }
  if (types || target.isContentEditable) return;
  const action = SHORTCUTS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// MARK: Clock and names

function showTime() {
  const now = new Date();
  const time = now.toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' }).replace(/\s?[AP]\.?M\.?/i, '');
  byId('status-time').textContent = time;
  byId('springboard-time').textContent = time;
  byId('springboard-date').textContent = now.toLocaleDateString([], { weekday: 'long', month: 'long', day: 'numeric' });
  window.setTimeout(showTime, 60_000 - (now.getTime() % 60_000) + 20);
}

document.title = `${appName} · PageBridge`;
byId('app-name').textContent = appName;
byId('app-icon-name').textContent = appName;
byId('app-icon').setAttribute('aria-label', `Open ${appName}`);
byId('app-icon-tile').textContent = appName.charAt(0).toUpperCase();
byId('app-icon-tile').style.background = `linear-gradient(150deg, hsl(${hueOf(appName)} 72% 50%), hsl(${(hueOf(appName) + 330) % 360} 70% 34%))`;

content.fill(device.isWindow);
showTime();
showInk();
showControls();
connectionChanged();
if (bridge) {
  bridge.addEventListener('state', connectionChanged);
  bridge.onscreen = receive;
}
