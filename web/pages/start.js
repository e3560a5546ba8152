// A place-holder's words for each state of the bridge. `#start` names the app and what it shows: data-app, data-thing.
// @ts-check
'use strict';

import { byId, commandLine, make } from '../style/dom.js';

/** @typedef {'connecting' | 'waiting' | 'attached' | 'away' | 'ended' | 'closed' | 'missing'} State */

const start = byId('start');
const { app = '', thing = app } = start.dataset;
const Thing = thing.charAt(0).toUpperCase() + thing.slice(1);

/** @type {Record<State, {title: string, words: string}>} */
const WORDS = {
  connecting: { title: 'Connecting', words: `Asking the relay for the ${thing}’s host.` },
  waiting: { title: `Waiting for the ${thing}’s host`, words: `No host of the app “${app}” is connected. Start one, and the ${thing} appears here by itself.` },
  attached: { title: 'Host found', words: `The ${thing} is loading.` },
  away: { title: 'The host is away', words: `Its connection was cut. ${Thing} and host go on when it is back.` },
  ended: { title: 'The session has ended', words: `A new one begins as soon as a host of the app “${app}” connects.` },
  closed: { title: 'Closed', words: 'Another tab has taken over this session, or the relay has refused this one.' },
  missing: { title: 'The bridge did not load', words: 'bridge.js is missing or was blocked. The browser’s console says why.' },
};

const bridge = /** @type {{state: State, addEventListener: (type: 'state', listener: () => void) => void} | undefined} */ (/** @type {any} */ (window).pagebridge);

function show() {
  const state = bridge?.state ?? 'missing';
  const { title, words } = WORDS[state];
  start.dataset.state = state;
  byId('start-title').textContent = title;
  byId('start-words').textContent = words;
  byId('announcer').textContent = title;
  const more = byId('start-more');
  if (state === 'waiting' || state === 'ended') {
    more.replaceChildren(commandLine(`pagebridge demo --relay ${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}`));
  } else if (state === 'closed' || state === 'missing') {
    const button = make('button', 'button button--primary', ['Connect again']);
    button.type = 'button';
    button.addEventListener('click', () => location.reload());
    more.replaceChildren(button);
  } else {
    more.replaceChildren();
  }
}

show();
bridge?.addEventListener('state', show);
