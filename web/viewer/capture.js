// A camera over the whole screen: shows what the camera sees, takes a picture, lets people keep it or try again, and hands it
// to the host. Where there is no camera, and wherever it is preferred, a drawn picture stands in.
// @ts-check
'use strict';

import { announce, make } from '../style/dom.js';
import { drawSubject } from './specimen.js';

/** @typedef {import('./natives.js').View} View */
/** @typedef {import('./natives.js').Action} Action */
/** @typedef {'hidden' | 'starting' | 'live' | 'still' | 'sending' | 'denied'} State */

/** A picture of more bytes is encoded again with loss: base64 and the envelope have to fit into a message of 16 MiB. */
const MOST_BYTES = 8 * 1_048_576;
const QUALITIES = [0.92, 0.8, 0.6];

/**
 * @param {string} id @param {Action} act
 */
export function makeCapture(id, act) {
  const title = make('h2', 'n-capture-title');
  const text = make('p', 'n-capture-text');
  const video = make('video');
  video.muted = true;
  video.playsInline = true;
  const canvas = make('canvas');
  const outline = make('i', 'n-capture-outline');
  const note = make('p', 'n-capture-note');
  note.setAttribute('role', 'status');
  const again = button('Try again', () => void start());
  const finder = make('div', 'n-capture-finder', [video, canvas, outline, make('div', 'n-capture-words', [note, again])]);
  const cancel = button('Cancel', () => act(id, 'cancel', state === 'denied' ? 'denied' : 'cancelled'));
  const retake = button('Retake', () => void start());
  const shutter = button('', () => take());
  shutter.className = 'n-capture-shutter';
  shutter.setAttribute('aria-label', 'Take the picture');
  const test = button('Test picture', () => useDrawing());
  const use = button('Use photo', () => void hand());
  use.dataset.role = 'primary';
  const element = make('section', 'n-capture', [
    make('header', '', [title, text]), finder,
    make('footer', '', [make('div', '', [cancel, retake]), shutter, make('div', '', [test, use])]),
  ]);
  element.setAttribute('role', 'dialog');

  /** @type {State} */
  let state = 'hidden';
  /** @type {View['subject']} */
  let subject = 'document';
  /** @type {MediaStream | null} */
  let stream = null;
  let isDrawn = false;
  /** Counts starts, so that what an earlier one brings later is let go. */
  let turn = 0;
  show();

  /** @param {State} [next] @param {string} [words] */
  function show(next = state, words = '') {
    state = next;
    element.dataset.state = state;
    element.dataset.source = isDrawn ? 'generated' : 'camera';
    const isPicture = state === 'still' || state === 'sending';
    video.hidden = isPicture || isDrawn || state === 'denied';
    canvas.hidden = !isPicture && !(isDrawn && state === 'live');
    outline.hidden = isDrawn || (state !== 'live' && state !== 'starting');
    note.textContent = words;
    again.hidden = state !== 'denied';
    cancel.hidden = state === 'still';
    retake.hidden = state !== 'still';
    shutter.hidden = isPicture;
    shutter.disabled = state !== 'live';
    test.hidden = isPicture || isDrawn;
    use.hidden = !isPicture;
    use.disabled = state === 'sending';
    if (words) announce(words);
  }

  async function start() {
    turn += 1;
    const mine = turn;
    stop();
    isDrawn = false;
    show('starting', 'Starting the camera');
    let opened;
    try {
      if (!navigator.mediaDevices) throw new DOMException('no camera in this context', 'NotFoundError');
      opened = await navigator.mediaDevices.getUserMedia({
        video: { facingMode: subject === 'selfie' ? 'user' : 'environment', width: { ideal: 1920 }, height: { ideal: 1080 } },
      });
    } catch (error) {
      if (mine !== turn) return;
      const isDenied = error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'SecurityError');
      act(id, 'permission', isDenied ? 'denied' : 'none');
      if (isDenied) show('denied', 'The camera may not be used. Allow it in the browser, or use a test picture.');
      else useDrawing('No camera here: a test picture stands in.');
      return;
    }
    if (mine !== turn) {
      for (const track of opened.getTracks()) track.stop();
      return;
    }
    stream = opened;
    video.srcObject = opened;
    act(id, 'permission', 'granted');
    try {
      await video.play();
    } catch (error) {
      if (mine === turn) console.warn('viewer: the camera shows nothing:', error);
    }
    if (mine === turn) {
      show('live');
      shutter.focus({ preventScroll: true });
    }
  }

  function useDrawing(words = 'A test picture stands in for the camera.') {
    turn += 1;
    stop();
    isDrawn = true;
    drawSubject(canvas, subject ?? 'document');
    show('live', words);
    shutter.focus({ preventScroll: true });
  }

  function take() {
    if (!isDrawn) {
      canvas.width = video.videoWidth;
      canvas.height = video.videoHeight;
      canvas.getContext('2d')?.drawImage(video, 0, 0);
      stop();
    }
    show('still', 'Is everything sharp and readable?');
    use.focus({ preventScroll: true });
  }

  async function hand() {
    const mine = turn;
    show('sending', 'Handing the picture to the app');
    try {
      const blob = await encoded();
      const imageData = await base64(blob);
      if (mine !== turn || state !== 'sending') return;
      act(id, 'capture', { imageData, width: canvas.width, height: canvas.height, mimeType: blob.type, source: isDrawn ? 'generated' : 'camera' });
    } catch (error) {
      if (mine === turn) show('still', `The picture cannot be used: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Documents keep every pixel where that has room; faces need not. */
  async function encoded() {
    if (subject === 'document') {
      const exact = await blobOf('image/png');
      if (exact.size <= MOST_BYTES) return exact;
    }
    for (const quality of QUALITIES) {
      const blob = await blobOf('image/jpeg', quality);
      if (blob.size <= MOST_BYTES) return blob;
    }
    throw new Error(`it has more than ${MOST_BYTES} bytes`);
  }

  /** @param {string} type @param {number} [quality] @returns {Promise<Blob>} */
  function blobOf(type, quality) {
    return new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the browser made no picture'))), type, quality);
    });
  }

  function stop() {
    for (const track of stream?.getTracks() ?? []) track.stop();
    stream = null;
    video.srcObject = null;
  }

  function end() {
    turn += 1;
    stop();
    isDrawn = false;
    show('hidden');
    // The pixels of a picture take many megabytes.
    canvas.width = 0;
    canvas.height = 0;
  }

  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    act(id, 'cancel', state === 'denied' ? 'denied' : 'dismissed');
  });

  return {
    element,
    /** @param {View} view */
    update(view) {
      subject = view.subject ?? 'document';
      element.dataset.subject = subject;
      title.textContent = view.title ?? '';
      text.textContent = view.text ?? '';
      element.setAttribute('aria-label', view.title ?? 'Camera');
      if (view.hidden === true) {
        if (state !== 'hidden') end();
      } else if (state === 'hidden') {
        announce(view.title ?? 'Camera');
        void start();
      }
    },
    inside: () => null,
    end,
  };
}

/** @param {string} words @param {() => void} press */
function button(words, press) {
  const made = make('button', 'n-capture-button', [words]);
  made.type = 'button';
  made.addEventListener('click', press);
  return made;
}

/** @param {Blob} blob @returns {Promise<string>} */
function base64(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(blob);
  });
}
