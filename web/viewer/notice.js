// What the screen shows while there is no app to show: connecting, waiting for a host, reconnecting, ended, closed.
// @ts-check
'use strict';

import { announce, byId, commandLine, make } from '../style/dom.js';

/** @typedef {'connecting' | 'waiting' | 'attached' | 'away' | 'ended' | 'closed' | 'missing'} ConnectionState */

/** @type {Record<ConnectionState, {label: string, tone: 'good' | 'warn' | 'bad'}>} */
const LABELS = {
  connecting: { label: 'Connecting', tone: 'warn' },
  waiting: { label: 'Waiting for a host', tone: 'warn' },
  attached: { label: 'Attached', tone: 'good' },
  away: { label: 'Host is away', tone: 'warn' },
  ended: { label: 'Session ended', tone: 'bad' },
  closed: { label: 'Closed', tone: 'bad' },
  missing: { label: 'No bridge', tone: 'bad' },
};

const ART = `<svg class="notice-art" viewBox="0 0 144 72" aria-hidden="true"><rect class="line" x="8" y="10" width="30" height="52" rx="6"/><path class="line" d="M19 16h8"/>
<path class="wire" d="M44 36h22"/><circle class="line" cx="72" cy="36" r="5"/><path class="wire" d="M78 36h22"/>
<rect class="line HOST" x="106" y="18" width="30" height="36" rx="5"/><path class="line HOST" d="m114 31 5 5-5 5M123 41h6"/></svg>`;

/** How long the screen tells that the connection is back. */
const RESUMED_TIME = 2500;

export class Notice {
  #app;
  #element = byId('notice');
  #label = byId('connection');
  /** @type {ConnectionState} */
  #state = 'connecting';
  #wasAttached = false;
  #hasContent = false;
  #shown = '';
  #since = 0;
  #timer = 0;
  /** Whether the screen tells that the connection is back, for a moment. */
  #isResumed = false;

  /** @param {string} app */
  constructor(app) {
    this.#app = app;
  }

  /** @param {ConnectionState} state */
  setState(state) {
    if (state === this.#state && this.#shown !== '') return;
    this.#isResumed = state === 'attached' && this.#element.dataset.kind === 'pill' && !this.#element.hidden;
    this.#state = state;
    if (state === 'attached') this.#wasAttached = true;
    if (state === 'ended') this.#wasAttached = false;
    this.#draw(true);
  }

  /** @param {boolean} hasContent */
  setHasContent(hasContent) {
    this.#hasContent = hasContent;
    this.#draw(false);
  }

  /** @param {boolean} speaks */
  #draw(speaks) {
    const state = this.#state;
    const reconnects = this.#wasAttached && this.#hasContent && (state === 'away' || state === 'connecting');
    const { label, tone } = state === 'connecting' && this.#wasAttached ? { label: 'Reconnecting', tone: /** @type {const} */ ('warn') } : LABELS[state];
    this.#label.textContent = label;
    this.#label.title = label;
    this.#label.dataset.tone = tone;
    this.#label.dataset.state = state;
    const kind = state === 'attached' && this.#hasContent ? (this.#isResumed ? 'pill:resumed' : '') : reconnects ? `pill:${state}` : `full:${state}`;
    if (kind === this.#shown) return;
    this.#shown = kind;
    window.clearTimeout(this.#timer);
    this.#element.hidden = kind === '';
    const isPill = kind.startsWith('pill:');
    this.#element.dataset.kind = isPill ? 'pill' : 'full';
    this.#element.dataset.state = kind === 'pill:resumed' ? 'resumed' : state;
    this.#element.replaceChildren(...(kind === '' ? [] : [kind === 'pill:resumed' ? this.#resumed() : isPill ? this.#pill() : this.#card()]));
    if (speaks) announce(kind === 'pill:resumed' ? 'Resumed' : label);
  }

  /** Everything goes on where it was. */
  #resumed() {
    const seconds = Math.round((Date.now() - this.#since) / 1000);
    this.#timer = window.setTimeout(() => {
      this.#isResumed = false;
      this.#draw(false);
    }, RESUMED_TIME);
    const after = seconds > 0 ? [make('small', '', [`after ${seconds} s`])] : [];
    return make('div', 'notice-pill', [make('span', 'tick'), 'Resumed', ...after]);
  }

  #pill() {
    const words = this.#state === 'away' ? 'Host is away, waiting for it' : 'Reconnecting to the relay';
    const seconds = make('small', '', ['']);
    this.#since = Date.now();
    this.#timer = window.setInterval(() => { seconds.textContent = `${Math.round((Date.now() - this.#since) / 1000)} s`; }, 1000);
    return make('div', 'notice-pill', [make('span', 'spinner'), words, seconds]);
  }

  #card() {
    const card = make('div', 'notice-card');
    card.insertAdjacentHTML('afterbegin', ART.replaceAll(' HOST', this.#state === 'attached' || this.#state === 'connecting' ? '' : ' gone'));
    if (this.#state === 'ended' || this.#state === 'closed' || this.#state === 'missing') card.firstElementChild?.setAttribute('data-still', '');
    /** @param {string} text */
    const title = (text) => make('h2', '', [text]);
    /** @param {...(Node | string)} parts */
    const words = (...parts) => make('p', '', parts);
    const app = make('b', '', [this.#app]);
    switch (this.#state) {
      case 'connecting':
        card.append(title('Connecting'), words(`Asking the relay at ${location.host} for a host of `, app, '.'));
        break;
      case 'waiting':
        card.append(title('Waiting for a host'), words('No host is connected for ', app, '. Start one, and the app appears here by itself.'),
          commandLine(`pagebridge demo --relay ${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}`),
          make('small', '', [`Your own program: WebViewHost(app: "${this.#app}", relay: URL(string: "${location.origin}")!)`]));
        break;
      case 'attached':
        card.append(title('Host attached'), words('Waiting for the first page of ', app, '.'));
        break;
      case 'away':
        card.append(title('Host is away'), words('Its connection was cut. The session is kept for a while and goes on when the host is back.'));
        break;
      case 'ended':
        card.append(title('Session ended'), words('The host has ended this session. As soon as a host of ', app, ' connects, this page starts a new one.'), reload('Start now'));
        break;
      case 'closed':
        card.append(title('Closed'), words('Another tab has taken over this session, or the relay has refused this one.'), reload('Connect again'));
        break;
      case 'missing':
        card.append(title('The bridge did not load'), words('bridge.js is missing or was blocked. The browser’s console says why.'), reload('Reload'));
        break;
    }
    return card;
  }
}

/** @param {string} text */
function reload(text) {
  const button = make('button', 'button button--primary', [text]);
  button.type = 'button';
  button.addEventListener('click', () => location.reload());
  return button;
}
