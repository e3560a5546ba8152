// The stand-in for the vendor's live video widget: the same surface towards page and app, its own code and its own clip.
//
// Loaded as `widget.js?customerId=..&fixtureId=..&containerId=geniusLive&width=..&height=..&controlsEnabled=..
// &audioEnabled=..&allowFullScreen=..&bufferLength=..&autoplayEnabled=..`. Missing sizes are 600px and 300px, missing
// switches are true, except autoplay (false). A `%` in a size has to be written `%25`, `auto` is not a size: either falls
// back to the default and says so in the console.
//
// What it does, in order: builds `.video-container` in the container; after the window's load event posts `{type:"init"}`
// on `webkit.messageHandlers.gsVideoPlayerBridge`; dispatches `player_ready` on the bus (`geniussportsmessagebus` on window);
// waits for `GeniusLivePlayer.player.start({url, expiresAt, token, drm})`; then shows the betting overlay, dispatches
// `requestUserBets`, and reports the overlay's betslip area as `betslip-container-dimensions` each time it changes.
// Without a bridge it throws nothing: the fullscreen button then switches the class itself.
//
// A fixture id can select a behaviour by its first part:
//   blocked-1001 (..1004, several as blocked-1002-1004)  player_not_ready with these codes, never ready
//   blocked-malformed   player_not_ready whose `error` is text instead of an array
//   silent              init, then neither player_ready nor player_not_ready: a viewer who is blocked without a word
//   noinit              player_ready, but init is left to the page (or the tester)
//   failover            a second player_ready with another deliveryId as soon as the first stream plays or fails
//   nostream            the operator's answer for it is empty (operator/empty.json)
//   denied              the operator's answer for it is an ErrorMessage (operator/error.json)
//   nobetting           no betting overlay: no market buttons, no requestUserBets, no betslip-container-dimensions
//   live                prices move every few seconds
// Any other id is an ordinary fixture; one of digits only is reported as a number.
//
// To watch it from outside: `.video-container` carries data-state (building, ready, playing, closed, unavailable),
// data-start-count, data-close-count, data-delivery-id, data-user-bets and data-user-bets-lost; market buttons
// (`.gs-market`) carry the fields they send as data attributes.
(() => {
  'use strict';

  const BUS = 'geniussportsmessagebus';
  const script = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  const source = new URL(script ? script.src : 'widget.js', document.baseURI);

  // MARK: Configuration

  /**
   * @param {string} text
   * @returns {URLSearchParams}
   */
  const parameters = (text) => new URLSearchParams(text);

  const query = parameters(source.search);

  /**
   * @param {string} name
   * @param {boolean} fallback
   */
  const flag = (name, fallback) => {
    const value = query.get(name);
    return value === null || value === '' ? fallback : value !== 'false';
  };

  /**
   * A size as CSS: a length in the query's own spelling, or the default when it is none.
   * @param {string} name @param {string} fallback
   */
  const size = (name, fallback) => {
    const raw = source.search.slice(1).split('&').find((part) => part.startsWith(`${name}=`));
    const value = query.get(name);
    if (raw === undefined || value === null || value === '') return fallback;
    const escaped = !/%(?!25)/.test(raw.replace(/%2E/gi, '.'));
    if (escaped && /^\d+(\.\d+)?(px|%|vw|vh|dvw|dvh|em|rem)$/.test(value)) return value;
    console.error(`widget.js: ${name}=${value} is not a usable size ("%" is written "%25", "auto" is not allowed); ${fallback} is used.`);
    return fallback;
  };

  const settings = {
    customerId: query.get('customerId') ?? '',
    fixtureId: query.get('fixtureId') ?? '',
    containerId: query.get('containerId') || 'geniusLive',
    width: size('width', '600px'),
    height: size('height', '300px'),
    controls: flag('controlsEnabled', true),
    audio: flag('audioEnabled', true),
    fullScreen: flag('allowFullScreen', true),
    bufferSeconds: Number(query.get('bufferLength')) || 0,
    autoplay: flag('autoplayEnabled', false),
  };

  const [behaviour = '', ...details] = settings.fixtureId.split('-');
  const hasBetting = behaviour !== 'nobetting';
  const fixture = /^\d{1,15}$/.test(settings.fixtureId) ? Number(settings.fixtureId) : settings.fixtureId;

  // MARK: Bus and bridge

  const correlation = () => (window.crypto?.randomUUID
    ? window.crypto.randomUUID()
    : `${Date.now().toString(16)}-${Math.random().toString(16).slice(2)}`);

  /**
   * @param {string} type
   * @param {unknown} body
   */
  const dispatch = (type, body) => {
    window.dispatchEvent(new CustomEvent(BUS, { detail: { correlationId: correlation(), routingKey: {}, type, body } }));
  };

  /**
   * Posts on the app's bridge. False when there is none.
   * @param {{type: string, payload?: unknown}} message
   */
  const post = (message) => {
    const handler = /** @type {any} */ (window).webkit?.messageHandlers?.gsVideoPlayerBridge;
    if (!handler) return false;
    try {
      Promise.resolve(handler.postMessage(message)).catch((error) => console.warn('widget.js: the bridge refused a message:', error));
    } catch (error) {
      console.warn('widget.js: the bridge refused a message:', error);
    }
    return true;
  };

  // MARK: Elements

  /**
   * @param {string} tag @param {string} className @param {Record<string, string>} [attributes] @param {(Node | string)[]} [children]
   * @returns {HTMLElement}
   */
  const element = (tag, className, attributes = {}, children = []) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };

  const SVG = 'http://www.w3.org/2000/svg';
  /**
   * @param {string} path
   * @param {string} [style]
   */
  const glyph = (path, style = 'gs-glyph') => {
    const made = document.createElementNS(SVG, 'svg');
    made.setAttribute('viewBox', '0 0 24 24');
    made.setAttribute('class', style);
    made.setAttribute('aria-hidden', 'true');
    const line = document.createElementNS(SVG, 'path');
    line.setAttribute('d', path);
    made.append(line);
    return made;
  };

  const GLYPHS = {
    play: 'M7 4.500v15l12.5-7.500z',
    pause: 'M8 5v14M16 5v14',
    sound: 'M4 9.500v5h3.500L12 18.500v-13L7.5 9.500zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.500a7.8 7.8 0 0 1 0 11',
    muted: 'M4 9.500v5h3.500L12 18.500v-13L7.5 9.500zM16 9.500l5 5M21 9.500l-5 5',
    enter: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
    leave: 'M9 4v5H4M15 4v5h5M9 20v-5H4M15 20v-5h5',
  };

  /**
   * @param {string} className
   * @param {string} label
   * @param {string} path
   */
  const control = (className, label, path) =>
    /** @type {HTMLButtonElement} */ (element('button', `gs-control ${className}`, { type: 'button', 'aria-label': label, title: label }, [glyph(path)]));

  /**
   * @param {HTMLElement} button
   * @param {string} label
   * @param {string} path
   */
  const relabel = (button, label, path) => {
    button.setAttribute('aria-label', label);
    button.title = label;
    button.replaceChildren(glyph(path));
  };

  const video = /** @type {HTMLVideoElement} */ (element('video', 'gs-video', { playsinline: '', loop: '', preload: 'auto', disablepictureinpicture: '', 'aria-label': 'Match video' }));
  const message = element('div', 'gs-message', { role: 'status' });
  const time = element('span', 'gs-time', {}, ['00:00']);
  const progress = element('div', 'gs-progress', { 'aria-hidden': 'true' }, [element('div', 'gs-progress-bar')]);
  const playButton = control('gs-play', 'Play', GLYPHS.play);
  const muteButton = control('gs-mute', 'Mute', GLYPHS.sound);
  const fullScreenButton = control('gs-fullscreen full-screen-btn', 'Full screen', GLYPHS.enter);
  const liveBadge = element('span', 'gs-live', {}, ['Live']);
  const delay = element('span', 'gs-delay', {}, settings.bufferSeconds > 0 ? [`${settings.bufferSeconds} s behind`] : []);
  const controls = element('div', 'gs-controls', { role: 'group', 'aria-label': 'Player controls' }, [
    progress,
    element('div', 'gs-controls-row', {}, [playButton, liveBadge, time, delay, element('span', 'gs-gap'), muteButton, fullScreenButton]),
  ]);
  const watchlist = element('ul', 'gs-watchlist', { 'aria-label': 'My bets' });
  const stage = element('div', 'gs-stage', {}, [video, watchlist, message, controls]);

  const marketList = element('div', 'gs-market-list');
  const slipButton = element('button', 'gs-slip', { type: 'button', 'aria-pressed': 'false' }, ['Open slip']);
  const placeButton = /** @type {HTMLButtonElement} */ (element('button', 'gs-place', { type: 'button' }, ['Bet 10']));
  const betslipArea = element('div', 'gs-betslip-area', { 'aria-hidden': 'true' });
  const overlay = element('section', 'gs-betvision', { 'aria-label': 'BetVision markets' }, [
    element('header', 'gs-betvision-head', {}, [element('h2', '', {}, ['BetVision']), element('span', 'gs-gap'), placeButton, slipButton]),
    marketList,
  ]);

  const container = element('div', 'video-container', {
    'data-state': 'building', 'data-start-count': '0', 'data-close-count': '0', 'data-user-bets': '0', 'data-user-bets-lost': '0',
  }, [stage]);
  container.style.setProperty('--gs-width', settings.width);
  container.style.setProperty('--gs-height', settings.height);

  /**
   * @param {'building' | 'ready' | 'playing' | 'closed' | 'unavailable'} state
   * @param {string} title
   * @param {string} [detail]
   */
  const show = (state, title, detail = '') => {
    container.dataset.state = state;
    message.replaceChildren(...(title === '' ? [] : [
      ...(state === 'building' || state === 'ready' ? [element('span', 'gs-spinner', { 'aria-hidden': 'true' })] : []),
      element('strong', '', {}, [title]),
      ...(detail === '' ? [] : [element('span', '', {}, [detail])]),
    ]));
    message.hidden = title === '';
  };

  /** @param {string} name */
  const count = (name) => {
    container.dataset[name] = String(Number(container.dataset[name] ?? '0') + 1);
  };

  // MARK: Playback

  const clock = () => {
    const seconds = Math.floor(video.currentTime);
    time.textContent = `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
    const share = video.duration > 0 ? video.currentTime / video.duration : 0;
    /** @type {HTMLElement} */ (progress.firstElementChild).style.transform = `scaleX(${share.toFixed(4)})`;
  };

  const showPlayback = () => {
    relabel(playButton, video.paused ? 'Play' : 'Pause', video.paused ? GLYPHS.play : GLYPHS.pause);
    relabel(muteButton, video.muted ? 'Unmute' : 'Mute', video.muted ? GLYPHS.muted : GLYPHS.sound);
  };

  /** Plays with sound where the browser allows it unasked, else muted. */
  const play = async () => {
    try {
      await video.play();
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'NotAllowedError' || video.muted) return;
      video.muted = true;
      await video.play().catch(() => undefined);
    }
  };

  /**
   * The same clip in the other container format, for engines without the first one's codec.
   * @param {string} url
   */
  const alternatives = (url) => {
    const twin = url.replace(/\.(webm|mp4)(?=$|[?#])/, (ending) => (ending === '.webm' ? '.mp4' : '.webm'));
    return twin === url ? [url] : [url, twin];
  };

  const unload = () => {
    video.pause();
    video.removeAttribute('src');
    video.replaceChildren();
    video.load();
  };

  let isOpen = false;

  const player = {
    /**
     * Begins to play the stream; a second call replaces the first one's stream.
     * @param {{url?: string, expiresAt?: unknown, token?: unknown, drm?: unknown}} stream
     */
    start(stream) {
      count('startCount');
      if (!stream || typeof stream.url !== 'string' || stream.url === '') {
        show('unavailable', 'Video not available', 'The stream has no address.');
        return;
      }
      isOpen = true;
      container.dataset.streamUrl = stream.url;
      unload();
      for (const url of alternatives(new URL(stream.url, source).href)) {
        video.append(element('source', '', { src: url, type: /\.mp4($|[?#])/.test(url) ? 'video/mp4' : 'video/webm' }));
      }
      video.lastElementChild?.addEventListener('error', () => {
        if (isOpen) show('unavailable', 'Video cannot be played', 'This browser has no codec for the clip.');
      });
      video.muted = !settings.audio;
      video.load();
      show('playing', '');
      showBetting();
      if (settings.autoplay) void play();
    },
    /** Stops playing and loading. */
    close() {
      count('closeCount');
      isOpen = false;
      unload();
      clock();
      showPlayback();
      show('closed', 'Stream closed', 'The app has closed the player.');
    },
  };

  playButton.addEventListener('click', () => {
    if (!isOpen) return;
    if (video.paused) void play();
    else video.pause();
  });
  muteButton.addEventListener('click', () => { video.muted = !video.muted; });
  video.addEventListener('timeupdate', clock);
  for (const name of ['play', 'pause', 'volumechange', 'emptied']) video.addEventListener(name, showPlayback);

  // MARK: Full screen

  const isFullScreen = () => container.classList.contains('full-screen');

  fullScreenButton.addEventListener('click', () => {
    if (!post({ type: 'toggleFullscreen' })) container.classList.toggle('full-screen');
  });

  // Embedded in a frame, the vendor's player tells its embedder over the bus and names the wanted state; passed on as it is.
  window.addEventListener(BUS, (event) => {
    const detail = /** @type {CustomEvent} */ (event).detail;
    if (detail?.type === 'toggleFullscreen' && typeof detail.body?.isFullscreen === 'boolean') {
      post({ type: 'toggleFullscreen', payload: { isFullscreen: detail.body.isFullscreen } });
    }
  });

  new MutationObserver(() => {
    const full = isFullScreen();
    relabel(fullScreenButton, full ? 'Leave full screen' : 'Full screen', full ? GLYPHS.leave : GLYPHS.enter);
    reportBetslipArea();
  }).observe(container, { attributes: true, attributeFilter: ['class'] });

  // MARK: Betting

  /** @typedef {{name: string, selection: string, price: number}} Outcome */
  /** @type {{title: string, market: string, sportsbookMarket: string, context: string, outcomes: Outcome[]}[]} */
  const MARKETS = [
    { title: 'Next score', market: 'GM-93', sportsbookMarket: 'M-15', context: 'drive=7', outcomes: [
      { name: 'Touchdown', selection: 'S-5', price: 2.35 }, { name: 'Field goal', selection: 'S-6', price: 3.1 }] },
    { title: 'Total points', market: 'GM-88', sportsbookMarket: 'M-12', context: 'period=match', outcomes: [
      { name: 'Over 45.5', selection: 'S-3', price: 1.9 }, { name: 'Under 45.5', selection: 'S-4', price: 1.95 }] },
    { title: 'Winner', market: 'GM-81', sportsbookMarket: 'M-10', context: 'period=match', outcomes: [
      { name: 'Herons', selection: 'S-1', price: 1.72 }, { name: 'Foxes', selection: 'S-2', price: 2.15 }] },
  ];

  /**
   * The fields a market button stands for.
   * @param {HTMLElement} button
   */
  const betOf = (button) => ({
    sportsbookFixtureId: button.dataset.sportsbookFixtureId,
    sportsbookSelectionId: button.dataset.sportsbookSelectionId,
    sportsbookMarketId: button.dataset.sportsbookMarketId,
    sportsbookMarketContext: button.dataset.sportsbookMarketContext,
    marketId: button.dataset.marketId,
    decimalPrice: Number(button.dataset.decimalPrice),
    stake: 10,
  });

  /** @type {HTMLElement | null} */
  let chosen = null;

  /** @param {'addToBetslip' | 'placeBet' | 'openBetslip' | 'closeBetslip'} command */
  const bet = (command) => {
    slipButton.setAttribute('aria-pressed', String(command !== 'closeBetslip'));
    slipButton.textContent = command === 'closeBetslip' ? 'Open slip' : 'Close slip';
    dispatch('multibet-event', command === 'closeBetslip' || chosen === null ? { command } : { command, ...betOf(chosen) });
  };

  /** @param {HTMLElement} button */
  const choose = (button) => {
    chosen?.setAttribute('aria-pressed', 'false');
    button.setAttribute('aria-pressed', 'true');
    chosen = button;
    placeButton.disabled = false;
  };

  for (const market of MARKETS) {
    marketList.append(element('div', 'gs-market-group', { role: 'group', 'aria-label': market.title }, [
      element('h3', '', {}, [market.title]),
      ...market.outcomes.map((outcome) => {
        const button = element('button', 'gs-market', {
          type: 'button',
          'aria-pressed': 'false',
          'data-sportsbook-fixture-id': 'F-9001',
          'data-sportsbook-selection-id': outcome.selection,
          'data-sportsbook-market-id': market.sportsbookMarket,
          'data-sportsbook-market-context': market.context,
          'data-market-id': market.market,
          'data-decimal-price': String(outcome.price),
        }, [element('span', 'gs-market-name', {}, [outcome.name]), element('span', 'gs-market-price', {}, [outcome.price.toFixed(2)])]);
        button.addEventListener('click', () => { choose(button); bet('addToBetslip'); });
        return button;
      }),
    ]));
  }
  placeButton.disabled = true;
  placeButton.addEventListener('click', () => bet('placeBet'));
  slipButton.addEventListener('click', () => bet(slipButton.getAttribute('aria-pressed') === 'true' ? 'closeBetslip' : 'openBetslip'));

  let asksForBets = false;
  let showsBetting = false;

  /** Shows the overlay with the first stream and asks for the user's bets. */
  function showBetting() {
    if (!hasBetting || showsBetting) return;
    showsBetting = true;
    container.append(overlay, betslipArea);
    container.classList.add('gs-has-betting');
    asksForBets = true;
    dispatch('requestUserBets', null);
    const observer = new ResizeObserver(reportBetslipArea);
    observer.observe(betslipArea);
    observer.observe(container);
    window.addEventListener('resize', reportBetslipArea);
    reportBetslipArea();
    if (behaviour === 'live') window.setInterval(movePrices, 3000);
  }

  let reported = '';

  function reportBetslipArea() {
    if (!showsBetting) return;
    const box = betslipArea.getBoundingClientRect();
    const area = { top: box.top, left: box.left, width: box.width, height: box.height };
    const text = JSON.stringify(area);
    if (text === reported) return;
    reported = text;
    dispatch('betslip-container-dimensions', area);
  }

  function movePrices() {
    if (video.paused) return;
    const buttons = /** @type {NodeListOf<HTMLElement>} */ (marketList.querySelectorAll('.gs-market'));
    const button = buttons[Math.floor(Math.random() * buttons.length)];
    if (!button) return;
    const old = Number(button.dataset.decimalPrice);
    const price = Math.max(1.05, Math.round((old + (Math.random() < 0.5 ? -0.05 : 0.05)) * 100) / 100);
    button.dataset.decimalPrice = String(price);
    button.dataset.moved = price < old ? 'down' : 'up';
    const label = button.querySelector('.gs-market-price');
    if (label) label.textContent = price.toFixed(2);
  }

  /**
   * Shows exactly the given bets: what was shown before is gone.
   * @param {unknown} bets
   */
  const showUserBets = (bets) => {
    if (!Array.isArray(bets)) {
      console.warn('widget.js: setUserBets needs an array.');
      return;
    }
    const items = [];
    for (const entry of bets) {
      if (typeof entry?.id !== 'string') continue;
      const selections = Array.isArray(entry.selections) ? entry.selections : [];
      const names = selections.map((/** @type {any} */ selection) => String(selection?.selectionName ?? '')).filter((/** @type {string} */ name) => name !== '');
      const price = selections.length === 1 ? Number(selections[0]?.price?.decimal) : NaN;
      items.push(element('li', 'gs-watch', { 'data-bet-id': entry.id, 'data-status': String(entry.status ?? '') }, [
        element('strong', '', {}, [names.join(' + ') || entry.id]),
        ...(Number.isFinite(price) ? [element('span', '', {}, [price.toFixed(2)])] : []),
        ...(Number.isFinite(entry.payout) ? [element('span', 'gs-watch-payout', {}, [`${entry.currency ?? ''} ${Number(entry.payout).toFixed(2)}`.trim()])] : []),
      ]));
    }
    watchlist.replaceChildren(...items);
    container.dataset.userBets = String(items.length);
  };

  window.addEventListener(BUS, (event) => {
    const detail = /** @type {CustomEvent} */ (event).detail;
    if (detail?.type !== 'setUserBets') return;
    // As documented by the vendor: bets given before the player has asked for them are lost without an error.
    if (asksForBets) showUserBets(detail.body);
    else count('userBetsLost');
  });

  // MARK: Start

  /** @param {string} deliveryId */
  const announce = (deliveryId) => {
    container.dataset.deliveryId = deliveryId;
    dispatch('player_ready', {
      streamId: 'st-1', streamType: 'LIVE', deliveryType: 'HLS', deliveryId, geniusSportsFixtureId: fixture, device: 'MOBILE', region: 'GB',
    });
  };

  const REASONS = /** @type {Record<string, string>} */ ({
    1001: 'Region or device not allowed', 1002: 'DMA zone not allowed', 1003: 'No deliveries found', 1004: 'Video cannot be played',
  });

  const refuse = () => {
    if (details[0] === 'malformed') {
      show('unavailable', 'Video not available');
      dispatch('player_not_ready', { error: '1003' });
      return;
    }
    const error = details.map((code) => ({ code: Number(code), message: REASONS[code] ?? 'Not available', details: `fixture ${settings.fixtureId}` }));
    show('unavailable', 'Video not available', error.map((item) => `${item.code}: ${item.message}`).join(' · '));
    dispatch('player_not_ready', { error });
  };

  const begin = () => {
    if (behaviour !== 'noinit') post({ type: 'init' });
    if (behaviour === 'silent') return;
    if (behaviour === 'blocked') { refuse(); return; }
    if (behaviour === 'failover') {
      const again = () => {
        video.removeEventListener('playing', again);
        video.removeEventListener('error', again, true);
        announce('dl-10');
      };
      video.addEventListener('playing', again);
      video.addEventListener('error', again, true);
    }
    announce('dl-9');
  };

  const build = () => {
    const place = document.getElementById(settings.containerId);
    if (!place) {
      console.error(`widget.js: the page has no element #${settings.containerId}.`);
      return;
    }
    place.append(container);
    controls.hidden = !settings.controls;
    muteButton.hidden = !settings.audio;
    fullScreenButton.hidden = !settings.fullScreen;
    show('ready', 'Waiting for the stream');
    showPlayback();
    /** @type {any} */ (window).GeniusLivePlayer = { player };
    // The page installs its bus listener on load, so the first events wait until every load listener has run.
    const soon = () => window.setTimeout(begin, 0);
    if (document.readyState === 'complete') soon();
    else window.addEventListener('load', soon, { once: true });
  };

  const styles = element('link', '', { rel: 'stylesheet', href: new URL('player.css', source).href });
  document.head.append(styles);
  if (document.getElementById(settings.containerId) || document.readyState !== 'loading') build();
  else document.addEventListener('DOMContentLoaded', build, { once: true });
})();
