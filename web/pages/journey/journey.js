// The identity journey: asks the app for photos and the chip, shows what came of it, and what the app tells.
// @ts-check
(() => {
  'use strict';

  /** How many events are listed. */
  const LISTED = 8;

  /** @typedef {{code: string, message: string, recoverable: boolean}} Failure */

  const bridge = /** @type {any} */ (window).GBGBridge;

  /** @param {string} id @returns {HTMLElement} */
  const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

  /**
   * @param {string} tag @param {string} text @param {Record<string, string>} [data]
   */
  const make = (tag, text, data = {}) => {
    const made = document.createElement(tag);
    made.textContent = text;
    Object.assign(made.dataset, data);
    return made;
  };

  // MARK: Errors

  /**
   * Words for each code; the app's own message stands below.
   * @type {Record<string, string>}
   */
  const TITLES = {
    UNSUPPORTED: 'The app cannot do this',
    PERMISSION_DENIED: 'The camera may not be used',
    CANCELLED: 'Cancelled',
    TIMEOUT: 'The app did not answer',
    BUSY: 'Something else is running',
    INVALID_REQUEST: 'The app did not understand the page',
    INTERNAL_ERROR: 'The app failed',
    VERSION_MISMATCH: 'App and page do not fit together',
  };

  /** @type {(() => void) | null} */
  let retry = null;

  /** @param {Failure} error @param {() => void} again */
  const alertOf = (error, again) => {
    retry = again;
    const alert = find('alert');
    alert.hidden = false;
    alert.dataset.code = error.code;
    alert.dataset.recoverable = String(error.recoverable);
    find('alert-title').textContent = TITLES[error.code] ?? error.code;
    find('alert-text').textContent = `${error.message} (${error.code})`;
    find('alert-retry').hidden = !error.recoverable;
    alert.scrollIntoView({ block: 'nearest' });
  };

  const dismiss = () => {
    find('alert').hidden = true;
    retry = null;
  };

  find('alert-dismiss').addEventListener('click', dismiss);
  find('alert-retry').addEventListener('click', () => {
    const again = retry;
    dismiss();
    again?.();
  });

  // MARK: Steps

  /** @type {Record<string, string>} */
  const STATES = { open: 'To do', busy: 'In the app', done: 'Done', failed: 'Not done', off: 'Not offered' };

  const steps = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.step')]);

  /** @param {HTMLElement} step @param {string} state */
  const setState = (step, state) => {
    step.dataset.state = state;
    const shown = step.querySelector('.state');
    if (shown) shown.textContent = STATES[state] ?? state;
    const button = buttonOf(step);
    if (button) button.disabled = state === 'busy' || state === 'off';
    const isDone = steps.filter((each) => each.dataset.state !== 'off').every((each) => each.dataset.state === 'done') && steps.some((each) => each.dataset.state === 'done');
    find('finish').setAttribute('aria-disabled', String(!isDone));
    find('finish').classList.toggle('button--primary', isDone);
  };

  /** @param {HTMLElement} step @returns {HTMLButtonElement | null} */
  const buttonOf = (step) => step.querySelector(':scope > .button, .row > .button');

  /**
   * What a step's request holds.
   * @param {HTMLElement} step
   */
  const dataOf = (step) => {
    if (step.id === 'step-document') {
      const side = /** @type {HTMLInputElement | null} */ (step.querySelector('input[name="side"]:checked'))?.value ?? 'front';
      return { documentType: 'passport', side };
    }
    if (step.id === 'step-selfie') return {};
    return Object.fromEntries([...step.querySelectorAll('input')].map((input) => [input.name, input.value]));
  };

  /** @param {HTMLElement} step @param {Record<string, any>} result */
  const showPhoto = async (step, result) => {
    const figure = step.querySelector('figure');
    const picture = figure?.querySelector('img');
    const base64 = result.imageData ?? result.previewImageData;
    if (!figure || !picture || typeof base64 !== 'string') return;
    if (picture.src.startsWith('blob:')) URL.revokeObjectURL(picture.src);
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    picture.src = URL.createObjectURL(new Blob([bytes], { type: result.mimeType }));
    const caption = figure.querySelector('figcaption');
    if (caption) caption.textContent = `${result.width} × ${result.height}, ${(bytes.length / 1_048_576).toFixed(1)} MB`;
    figure.hidden = false;
    await picture.decode().catch(() => undefined);
    figure.dataset.length = String(base64.length);
  };

  /** @param {HTMLElement} step */
  const run = async (step) => {
    dismiss();
    setState(step, 'busy');
    try {
      const result = await bridge.request(step.dataset.action, dataOf(step));
      await showPhoto(step, result);
      setState(step, 'done');
      const button = buttonOf(step);
      if (button && step.querySelector('figure')) button.textContent = 'Take again';
    } catch (error) {
      setState(step, 'failed');
      alertOf(/** @type {Failure} */ (error), () => run(step));
    }
  };

  for (const step of steps) buttonOf(step)?.addEventListener('click', () => void run(step));

  find('finish').addEventListener('click', (event) => {
    if (find('finish').getAttribute('aria-disabled') === 'true') event.preventDefault();
  });

  // MARK: What the app offers

  /** @param {string} id @param {{supported: boolean, version?: string, permissionState?: string}} capability */
  const offerRow = (id, capability) => {
    const row = document.createElement('tr');
    row.dataset.capability = id;
    row.dataset.supported = String(capability.supported);
    const words = [capability.version && `version ${capability.version}`, capability.permissionState === 'notDetermined' ? 'not asked yet' : capability.permissionState];
    row.append(make('th', id), make('td', capability.supported ? 'Yes' : 'No'), make('td', words.filter(Boolean).join(', ')));
    return row;
  };

  const ask = async () => {
    if (!bridge.isEmbedded) {
      find('offers').replaceChildren(make('tr', 'This page is not inside an app, so nothing here does anything. Open it in the viewer.'));
      return;
    }
    try {
      const { hostVersion, capabilities } = await bridge.capabilities();
      const ids = Object.keys(capabilities).sort();
      find('offers').replaceChildren(...ids.map((id) => offerRow(id, capabilities[id])));
      find('host-version').textContent = `App version ${hostVersion}, protocol ${bridge.protocolVersion}`;
      for (const step of steps) {
        const isOffered = capabilities[step.dataset.capability ?? '']?.supported === true;
        if (!isOffered && step.dataset.state !== 'done' && step.dataset.state !== 'busy') setState(step, 'off');
        else if (isOffered && step.dataset.state === 'off') setState(step, 'open');
      }
    } catch (error) {
      alertOf(/** @type {Failure} */ (error), ask);
    }
  };

  find('ask').addEventListener('click', () => void ask());

  // MARK: Events

  let count = 0;
  bridge.on('*', (/** @type {Record<string, unknown>} */ data, /** @type {{payload: {action: string}}} */ envelope) => {
    count += 1;
    const list = find('events');
    const item = make('li', '');
    item.dataset.action = envelope.payload.action;
    item.append(make('b', envelope.payload.action), make('code', JSON.stringify(data)));
    list.prepend(item);
    while (list.childElementCount > LISTED) list.lastElementChild?.remove();
    find('events-count').textContent = count === 1 ? '1 event' : `${count} events`;
    find('events-count').dataset.count = String(count);
  });

  bridge.on('journey.cancel', (/** @type {{reason?: string}} */ data) => {
    alertOf({ code: 'CANCELLED', message: data.reason ?? 'The app ended the journey', recoverable: false }, () => undefined);
  });
  // A host that has just come may offer other things.
  bridge.on('host.ready', () => void ask());

  find('event-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const input = /** @type {HTMLInputElement | null} */ (document.querySelector('#event-form input'));
    bridge.send('page.note', { text: input?.value ?? '' });
  });

  find('unknown').addEventListener('click', () => {
    const button = /** @type {HTMLButtonElement} */ (find('unknown'));
    button.disabled = true;
    bridge.request('biometrics.palm')
      .then((/** @type {object} */ answer) => { button.textContent = `Answered: ${JSON.stringify(answer)}`; })
      .catch((/** @type {Failure} */ error) => alertOf(error, () => find('unknown').click()))
      .finally(() => { button.disabled = false; });
  });

  // MARK: Where the page is

  /** @type {Record<string, string>} */
  const PLACES = { ios: 'In the app', android: 'In the app', iframe: 'In a frame', standalone: 'No app' };
  const pill = find('environment');
  pill.textContent = PLACES[bridge.environment] ?? bridge.environment;
  pill.dataset.on = String(bridge.isEmbedded);
  pill.dataset.environment = bridge.environment;
  if (!bridge.isEmbedded) {
    for (const step of steps) setState(step, 'off');
    void ask();
  }
})();
