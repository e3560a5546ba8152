// The Squad page's side of the bridge: calls, navigation and errors go to the app, and what the app says is shown.
// @ts-check
(() => {
  'use strict';

  /** @typedef {{postMessage: (message: unknown) => unknown, addListener: (listener: (message: unknown) => void) => void}} Bridge */

  const bridge = /** @type {Bridge | undefined} */ (/** @type {any} */ (window).squadBridge);

  /** How many lines of what happened are shown. */
  const LINES = 8;
  const COOKIE = 'squad_session';
  const CODES = ['API_KEY_REQUIRED', 'PARTNER_NOT_FOUND', 'PARTNER_MISMATCH', 'INVALID_TOKEN', 'RATE_LIMIT_EXCEEDED', 'Network Error'];

  /** @param {string} id @returns {HTMLElement} */
  const find = (id) => {
    const element = document.getElementById(id);
    if (!element) throw new Error(`the page has no #${id}`);
    return element;
  };

  /** @param {string} type @param {Record<string, unknown>} data */
  const post = (type, data) => bridge?.postMessage({ type, data });

  // MARK: What happened

  let lines = 0;

  /** @param {string} mark @param {string} title @param {string} [more] */
  const tell = (mark, title, more = '') => {
    const feed = find('feed');
    if (lines === 0) feed.replaceChildren();
    lines += 1;
    const item = document.createElement('li');
    const icon = document.createElement('i');
    icon.textContent = mark;
    icon.setAttribute('aria-hidden', 'true');
    icon.style.fontStyle = 'normal';
    const words = document.createElement('div');
    const strong = document.createElement('b');
    strong.textContent = title;
    strong.dir = 'auto';
    words.append(strong);
    if (more !== '') {
      const small = document.createElement('span');
      small.textContent = more;
      words.append(document.createElement('br'), small);
    }
    item.append(icon, words);
    feed.prepend(item);
    while (feed.children.length > LINES) feed.lastElementChild?.remove();
    find('feed-count').textContent = lines === 1 ? '1 event' : `${lines} events`;
  };

  // MARK: Calls

  /** @type {{id: string, title: string, phase: 'calling' | 'ringing' | 'active'} | null} */
  let call = null;
  let count = 0;

  const showCall = () => {
    const wasRinging = !find('ring').hidden;
    find('ring').hidden = call?.phase !== 'ringing';
    find('call').hidden = call === null || call.phase === 'ringing';
    find('call').dataset.phase = call?.phase ?? '';
    find('call-name').textContent = call?.title ?? '';
    find('call-state').textContent = call?.phase === 'calling' ? 'Calling' : 'Connected';
    if (call?.phase === 'ringing' && !wasRinging) find('accept').focus();
  };

  /** @param {string} emoji */
  const float = (emoji) => {
    const span = document.createElement('span');
    span.textContent = emoji;
    span.addEventListener('animationend', () => span.remove());
    find('floats').append(span);
  };

  find('call-form').addEventListener('submit', (event) => {
    event.preventDefault();
    if (call) return;
    const title = /** @type {HTMLInputElement | null} */ (document.querySelector('#call-form input'))?.value.trim() || 'Call';
    count += 1;
    call = { id: `page-${Date.now().toString(36)}-${count}`, title, phase: 'calling' };
    post('call', { action: 'start', callId: call.id, title });
    tell('📣', title, 'You called your squad');
    showCall();
  });
  find('accept').addEventListener('click', () => {
    if (!call) return;
    call.phase = 'active';
    post('call', { action: 'accept', callId: call.id });
    tell('📞', call.title, 'You are in the call');
    showCall();
  });
  find('decline').addEventListener('click', () => finish('decline', 'You declined'));
  find('end').addEventListener('click', () => finish('end', 'You ended the call'));

  /** @param {'decline' | 'end'} action @param {string} words */
  function finish(action, words) {
    if (!call) return;
    post('call', { action, callId: call.id });
    tell('👋', call.title, words);
    call = null;
    showCall();
  }

  for (const button of document.querySelectorAll('.emoji')) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.addEventListener('click', () => {
      if (!call) return;
      post('call', { action: 'emoji', callId: call.id, emoji: button.value });
      float(button.value);
    });
  }

  // MARK: From the app

  /** @param {any} data */
  const heardCall = (data) => {
    const id = String(data.callId ?? '');
    switch (data.action) {
      case 'incoming':
        call = { id, title: String(data.title ?? 'Call'), phase: 'ringing' };
        find('ring-from').textContent = String(data.from ?? 'Your squad');
        find('ring-title').textContent = call.title;
        tell('🔔', call.title, `${data.from ?? 'Your squad'} is calling`);
        break;
      case 'accept':
        if (call?.id !== id) return;
        call.phase = 'active';
        tell('📞', call.title, 'Your squad is in the call');
        break;
      case 'emoji':
        float(String(data.emoji ?? ''));
        tell(String(data.emoji ?? ''), 'Your squad reacted');
        return;
      case 'decline':
      case 'end':
        if (call?.id !== id) return;
        tell('👋', call.title, data.action === 'end' ? 'Your squad ended the call' : 'Your squad declined');
        call = null;
        break;
    }
    showCall();
  };

  /** @param {unknown} message */
  const heard = (message) => {
    const { type, data } = /** @type {{type?: unknown, data?: any}} */ (message ?? {});
    find('newest').textContent = JSON.stringify(message).slice(0, 120);
    if (data === null || typeof data !== 'object') return;
    if (type === 'call') heardCall(data);
    else if (type === 'navigation' && typeof data.route === 'string') show(data.route, false);
    else if (type === 'state' && typeof data.score === 'string') {
      find('score').textContent = data.score;
      tell('⚽', data.score, 'The score changed');
    }
  };

  // MARK: Navigation

  /** @param {string} route @param {boolean} tells */
  function show(route, tells) {
    const views = Array.from(document.querySelectorAll('.view'));
    if (!views.some((view) => view instanceof HTMLElement && view.dataset.view === route)) return;
    for (const view of views) if (view instanceof HTMLElement) view.hidden = view.dataset.view !== route;
    for (const tab of document.querySelectorAll('.tabs button')) {
      if (!(tab instanceof HTMLElement)) continue;
      if (tab.dataset.route === route) tab.setAttribute('aria-current', 'page');
      else tab.removeAttribute('aria-current');
    }
    if (tells) post('navigation', { route });
  }

  for (const tab of document.querySelectorAll('.tabs button')) {
    if (tab instanceof HTMLElement) tab.addEventListener('click', () => show(tab.dataset.route ?? '/home', true));
  }
  find('open-polls').addEventListener('click', () => post('navigation', { url: 'https://app.squadforsports.com/polls' }));

  // MARK: Poll, sign-in, errors

  const poll = find('poll');
  const pick = localStorage.getItem('squad:pick');
  for (const input of poll.querySelectorAll('input')) input.checked = input.value === pick;
  poll.addEventListener('change', (event) => localStorage.setItem('squad:pick', /** @type {HTMLInputElement} */ (event.target).value));

  const showSignIn = () => {
    const isIn = document.cookie.split('; ').some((each) => each.startsWith(`${COOKIE}=`));
    find('signed').dataset.on = String(isIn);
    find('signed').textContent = isIn ? 'Signed in' : 'Signed out';
  };
  find('sign-in').addEventListener('click', () => {
    document.cookie = `${COOKIE}=signed-in; path=/; max-age=86400; samesite=lax`;
    showSignIn();
  });
  find('sign-out').addEventListener('click', () => {
    document.cookie = `${COOKIE}=; path=/; max-age=0`;
    showSignIn();
  });
  showSignIn();

  for (const code of CODES) {
    const chip = document.createElement('button');
    chip.type = 'button';
    chip.className = 'chip';
    chip.textContent = code;
    chip.addEventListener('click', () => post('error', { code, message: `The product reported ${code}` }));
    find('errors').append(chip);
  }

  // MARK: What the page knows of itself

  let changes = 0;
  const showVisibility = () => {
    find('visibility').textContent = document.hidden ? 'hidden' : 'visible';
    find('visibility-count').textContent = String(changes);
  };
  document.addEventListener('visibilitychange', () => {
    changes += 1;
    showVisibility();
  });
  showVisibility();

  const loads = Number(sessionStorage.getItem('squad:loads')) + 1;
  sessionStorage.setItem('squad:loads', String(loads));
  find('loads').textContent = String(loads);

  const pill = find('app-state');
  pill.dataset.on = String(bridge !== undefined);
  pill.textContent = bridge === undefined ? 'No app' : 'In the app';
  bridge?.addListener(heard);
})();
