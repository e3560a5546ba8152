// The journey's last page: it tells the app, and shows that the bridge has come along.
// @ts-check
(() => {
  'use strict';
  const bridge = /** @type {any} */ (window).GBGBridge;
  const shown = /** @type {HTMLElement} */ (document.getElementById('host-version'));
  bridge.send('journey.finished');
  bridge.capabilities().then(
    (/** @type {{hostVersion: string}} */ answer) => { shown.textContent = `App version ${answer.hostVersion}`; },
    (/** @type {{code: string}} */ error) => { shown.textContent = bridge.isEmbedded ? `The app did not answer (${error.code})` : 'Open this page in the app'; },
  );
})();
