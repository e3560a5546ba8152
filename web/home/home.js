// The list of apps that have hosts, kept fresh while the page is visible.
// @ts-check
'use strict';

import { byId, commandLine, hueOf, make } from '../style/dom.js';

/** @typedef {{app: string, hosts: number, pages: number, names?: string[]}} App */

const INTERVAL_MILLISECONDS = 2000;
const PATIENCE_MILLISECONDS = 5000;

/**
 * Apps that also have a page of their own among the relay's files.
 * @type {Record<string, string>}
 */
const PLAIN_PAGES = { player: '/pages/player/', browser: '/pages/browser/', journey: '/pages/journey/', squad: '/pages/squad/' };

const list = byId('apps');
const relay = byId('relay');
/** @type {Map<string, {element: HTMLElement, update: (app: App) => void}>} */
const cards = new Map();
let timer = 0;
let asked = 0;
let said = '';

/** @param {string} name */
function cardOf(name) {
  const tile = make('span', 'card-tile', [name.charAt(0).toUpperCase()]);
  tile.setAttribute('aria-hidden', 'true');
  tile.style.background = `linear-gradient(150deg, hsl(${hueOf(name)} 72% 46%), hsl(${(hueOf(name) + 330) % 360} 70% 32%))`;
  const names = make('p', 'card-names');
  const hosts = make('dd');
  const hostsWord = make('dt');
  const pages = make('dd');
  const pagesWord = make('dt');
  const view = make('a', 'button button--primary', ['Open in viewer']);
  view.href = `/view/${encodeURIComponent(name)}`;
  const links = make('div', 'card-links', [view]);
  const plain = PLAIN_PAGES[name];
  if (plain !== undefined) {
    const link = make('a', 'button', ['Open as plain page']);
    link.href = plain;
    links.append(link);
  }
  const element = make('li', 'card', [
    make('header', '', [tile, make('div', '', [make('h3', '', [name]), names])]),
    make('dl', '', [make('div', '', [hostsWord, hosts]), make('div', '', [pagesWord, pages])]),
    links,
  ]);
  element.dataset.app = name;
  return {
    element,
    /** @param {App} app */
    update(app) {
      names.textContent = [...new Set(app.names ?? [])].join(', ') || 'Host without a name';
      hosts.textContent = String(app.hosts);
      hostsWord.textContent = app.hosts === 1 ? 'host' : 'hosts';
      pages.textContent = String(app.pages);
      pagesWord.textContent = app.pages === 1 ? 'page' : 'pages';
    },
  };
}

/** @param {App[]} apps */
function show(apps) {
  const alive = apps.filter((app) => app.hosts > 0).sort((one, other) => one.app.localeCompare(other.app));
  for (const [name, card] of cards) {
    if (alive.some((app) => app.app === name)) continue;
    card.element.remove();
    cards.delete(name);
  }
  alive.forEach((app, index) => {
    const card = cards.get(app.app) ?? cardOf(app.app);
    cards.set(app.app, card);
    card.update(app);
    if (list.children[index] !== card.element) list.insertBefore(card.element, list.children[index] ?? null);
  });
  const count = alive.reduce((sum, app) => sum + app.hosts, 0);
  const words = count === 0 ? 'No hosts' : count === 1 ? '1 host connected' : `${count} hosts connected`;
  status(words, count === 0 ? 'warn' : 'good');
  reveal(count === 0 ? 'empty' : 'apps');
}

/**
 * @param {string} words
 * @param {'good' | 'warn' | 'bad'} tone
 */
function status(words, tone) {
  relay.textContent = words;
  relay.dataset.tone = tone;
  if (words !== said) byId('announcer').textContent = words;
  said = words;
}

/** @param {'apps' | 'empty' | 'silent'} section */
function reveal(section) {
  byId('apps-title').hidden = section !== 'apps';
  for (const id of ['apps', 'empty', 'silent']) byId(id).hidden = id !== section;
}

async function ask() {
  window.clearTimeout(timer);
  asked += 1;
  const turn = asked;
  const patience = new AbortController();
  const end = window.setTimeout(() => patience.abort(), PATIENCE_MILLISECONDS);
  try {
    const answer = await fetch('/apps', { cache: 'no-store', signal: patience.signal });
    if (!answer.ok) throw new Error(`the relay answered ${answer.status}`);
    const { apps } = await answer.json();
    if (turn === asked) show(apps);
  } catch {
    if (turn === asked && document.visibilityState === 'visible') {
      status('Relay is silent', 'bad');
      reveal('silent');
    }
  } finally {
    window.clearTimeout(end);
  }
  if (turn === asked && document.visibilityState === 'visible') timer = window.setTimeout(ask, INTERVAL_MILLISECONDS);
}

byId('empty-command').append(commandLine(`pagebridge demo --relay ${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}`));
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void ask();
  else window.clearTimeout(timer);
});
void ask();
