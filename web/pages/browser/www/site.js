// The websites' side of the two-way bridge: `valueGotFromIOS` takes the app's values, `iOSNative` takes the page's.
// @ts-check
(() => {
  'use strict';

  /** How many values are kept beside the newest. */
  const EARLIER = 3;

  /** @param {string} id */
  const find = (id) => document.getElementById(id);

  // MARK: From the app

  let count = 0;

  /**
   * What the app calls, with one text.
   * @param {unknown} value
   */
  const valueGotFromIOS = (value) => {
    const shown = find('received');
    if (!shown) return;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (count > 0) {
      const item = document.createElement('li');
      item.textContent = shown.textContent;
      find('earlier')?.prepend(item);
      while ((find('earlier')?.children.length ?? 0) > EARLIER) find('earlier')?.lastElementChild?.remove();
    }
    count += 1;
    shown.textContent = text === '' ? '(empty text)' : text;
    shown.dataset.value = text;
    shown.dataset.count = String(count);
    shown.dataset.empty = 'false';
    shown.dataset.new = 'false';
    // The animation of an earlier value ends before that of this one begins.
    void shown.offsetWidth;
    shown.dataset.new = 'true';
    const words = find('received-count');
    if (words) words.textContent = count === 1 ? '1 value' : `${count} values`;
  };
  Object.assign(window, { valueGotFromIOS });

  // MARK: To the app

  /** @param {unknown} body */
  const send = async (body) => {
    const line = find('sent');
    const handler = /** @type {any} */ (window).webkit?.messageHandlers?.iOSNative;
    /** @param {string} words @param {boolean} failed */
    const tell = (words, failed) => {
      if (!line) return;
      line.textContent = words;
      line.dataset.failed = String(failed);
    };
    if (!handler) return tell('Not sent: no app is here', true);
    try {
      await handler.postMessage(body);
      tell(`Sent: ${JSON.stringify(body)}`, false);
    } catch (error) {
      tell(`Not sent: ${error instanceof Error ? error.message : String(error)}`, true);
    }
  };

  /** @param {string} name */
  const field = (name) => /** @type {HTMLInputElement | null} */ (document.querySelector(`#object-form input[name="${name}"]`))?.value ?? '';

  /** What the form's three fields make; an empty note is null. */
  const object = () => ({ name: field('name'), score: Number(field('score')), note: field('note') || null });

  const preview = () => {
    const place = find('preview');
    if (place) place.textContent = JSON.stringify(object());
  };

  find('text-form')?.addEventListener('submit', (event) => {
    event.preventDefault();
    const input = /** @type {HTMLInputElement | null} */ (document.querySelector('#text-form input[name="text"]'));
    void send(input?.value ?? '');
  });

  const objectForm = find('object-form');
  objectForm?.addEventListener('input', preview);
  objectForm?.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(object());
  });
  preview();

  for (const chip of document.querySelectorAll('.chip')) {
    if (chip instanceof HTMLButtonElement) chip.addEventListener('click', () => void send(JSON.parse(chip.value)));
  }

  // MARK: What the page knows of itself

  const bridge = /** @type {{state: string, addEventListener: (type: 'state', listener: () => void) => void} | undefined} */ (/** @type {any} */ (window).pagebridge);
  const showBridge = () => {
    const pill = find('bridge');
    if (!pill) return;
    const isOn = bridge?.state === 'attached';
    pill.dataset.on = String(isOn);
    pill.textContent = isOn ? 'In the app' : 'No app';
  };
  bridge?.addEventListener('state', showBridge);
  showBridge();

  const loads = find('loads');
  if (loads) {
    try {
      const key = `loads:${location.pathname}`;
      const number = Number(sessionStorage.getItem(key)) + 1;
      sessionStorage.setItem(key, String(number));
      loads.dataset.count = String(number);
      loads.textContent = number === 1 ? 'Loaded once in this tab.' : `Loaded ${number} times in this tab.`;
    } catch {
      loads.textContent = '';
    }
  }

  // MARK: The app's files

  /** @param {string} path @returns {Promise<string | null>} */
  const read = async (path) => {
    try {
      const answer = await fetch(path);
      return answer.ok ? await answer.text() : null;
    } catch {
      return null;
    }
  };

  find('read-files')?.addEventListener('click', () => {
    for (const [id, path] of [['sibling', 'sibling.txt'], ['parent', '../index.html']]) {
      void read(path ?? '').then((text) => {
        const place = find(id ?? '');
        if (place) place.textContent = text === null ? 'Not readable' : text.trim();
      });
    }
  });
})();
