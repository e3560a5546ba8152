// The page template's own part: the operator's glue between the widget's bus, the operator's backend and the app.
//
// - forwards `multibet-event` and `betslip-container-dimensions` to `webkit.messageHandlers.gsVideoPlayerBridge` as {type, payload};
// - answers `player_ready` with stream data of the operator's backend (here: files beside this script) and starts the player,
//   or hides `#container-video` when the answer is empty or an ErrorMessage;
// - `window.playerPage.setUserBets(bets)` gives the user's bets; they wait until the player asks for them, because the player
//   loses what comes earlier;
// - tells the app's own channel `webkit.messageHandlers.playerPage`, where the app has registered it, of `player_ready`,
//   `player_not_ready`, `requestUserBets` (payload = the bus body) and of `streamData` ({result: started|empty|error, message?}).
(() => {
  'use strict';

  const BUS = 'geniussportsmessagebus';
  const script = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  const source = new URL(script ? script.src : 'template.js', document.baseURI);

  /**
   * @param {string} handler
   * @param {unknown} message
   */
  const post = (handler, message) => {
    try {
      Promise.resolve(/** @type {any} */ (window).webkit?.messageHandlers?.[handler]?.postMessage(message))
        .catch((error) => console.warn(`template.js: ${handler} refused a message:`, error));
    } catch (error) {
      console.warn(`template.js: ${handler} refused a message:`, error);
    }
  };

  /**
   * @param {string} type
   * @param {unknown} body
   */
  const dispatch = (type, body) => {
    const correlationId = window.crypto?.randomUUID ? window.crypto.randomUUID() : `${Date.now().toString(16)}-${Math.random().toString(16).slice(2)}`;
    window.dispatchEvent(new CustomEvent(BUS, { detail: { correlationId, routingKey: {}, type, body } }));
  };

  // MARK: Stream data

  /**
   * Asks the operator's backend. It is a set of files here, so the fixture selects the file.
   * @param {any} ready
   */
  const askForStream = async (ready) => {
    const kind = String(ready.geniusSportsFixtureId).split('-')[0];
    const url = new URL(`operator/${kind === 'nostream' ? 'empty' : kind === 'denied' ? 'error' : 'stream'}.json`, source);
    for (const name of ['streamId', 'streamType', 'deliveryType', 'deliveryId', 'geniusSportsFixtureId', 'device', 'region']) {
      if (ready[name] !== undefined) url.searchParams.set(name, String(ready[name]));
    }
    const answer = await fetch(url, { headers: { Accept: 'application/json' } });
    if (!answer.ok) throw new Error(`the operator answered ${answer.status}`);
    return answer.json();
  };

  const hide = () => {
    const video = document.getElementById('container-video');
    if (video) video.style.display = 'none';
  };

  /** @param {any} ready */
  const startStream = async (ready) => {
    if (typeof ready !== 'object' || ready === null) return;
    try {
      const data = await askForStream(ready);
      if (!data || Object.keys(data).length === 0 || data.ErrorMessage) {
        hide();
        post('playerPage', { type: 'streamData', payload: data?.ErrorMessage ? { result: 'error', message: String(data.ErrorMessage) } : { result: 'empty' } });
        return;
      }
      const { url, expiresAt, token, drm } = data;
      /** @type {any} */ (window).GeniusLivePlayer?.player?.start({ url: new URL(url, source).href, expiresAt, token, drm });
      post('playerPage', { type: 'streamData', payload: { result: 'started' } });
    } catch (error) {
      hide();
      post('playerPage', { type: 'streamData', payload: { result: 'error', message: error instanceof Error ? error.message : String(error) } });
    }
  };

  // MARK: User bets

  /** @type {unknown} */
  let waitingBets;
  let playerAsked = false;

  const page = {
    /**
     * Shows these bets in the player, instead of those shown before.
     * @param {unknown} bets an array of customer markets
     */
    setUserBets(bets) {
      if (playerAsked) dispatch('setUserBets', bets);
      else waitingBets = bets;
    },
  };
  Object.defineProperty(window, 'playerPage', { value: Object.freeze(page) });

  const releaseBets = () => {
    playerAsked = true;
    if (waitingBets === undefined) return;
    const bets = waitingBets;
    waitingBets = undefined;
    // The player asks in the middle of its own event; it is served after that event is over.
    queueMicrotask(() => dispatch('setUserBets', bets));
  };

  // MARK: The bus

  /** @param {Event} event */
  const heard = (event) => {
    const { type, body } = /** @type {CustomEvent} */ (event).detail ?? {};
    switch (type) {
      case 'multibet-event':
      case 'betslip-container-dimensions':
        post('gsVideoPlayerBridge', { type, payload: body });
        break;
      case 'player_ready':
        post('playerPage', { type, payload: body });
        void startStream(body);
        break;
      case 'player_not_ready':
        post('playerPage', { type, payload: body });
        break;
      case 'requestUserBets':
      case 'requestBetVisionUIEvent':
        releaseBets();
        post('playerPage', { type: 'requestUserBets', payload: body });
        break;
    }
  };

  window.addEventListener('load', () => window.addEventListener(BUS, heard), { once: true });
})();
