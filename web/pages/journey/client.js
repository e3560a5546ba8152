// The page's half of the journey bridge: requests with time-outs, events, and the transports of the environments that a page
// may find itself in. It completes `window.GBGBridge`, which the app's bootstrap has made, or makes it where there is no app.
// @ts-check
(() => {
  'use strict';

  /** @typedef {'ios' | 'android' | 'iframe' | 'standalone'} Environment */
  /** @typedef {{code: string, message: string, recoverable: boolean}} WireError */
  /** @typedef {{action: string, data?: Record<string, unknown>, status?: string, error?: Partial<WireError>}} Payload */
  /** @typedef {{version?: string | null, type: string, correlationId?: string, payload: Payload, timestamp?: number}} Envelope */
  /** @typedef {{resolve: (data: Record<string, unknown>) => void, reject: (error: BridgeError) => void, timer: number, action: string}} Pending */
  /** @typedef {(data: Record<string, unknown>, envelope: Envelope) => void} Listener */
  /**
   * @typedef {object} Native what an app's bootstrap, or Android's runtime, has put there
   * @property {string} [platform]
   * @property {(message: unknown) => unknown} [postMessage]
   * @property {(listener: (envelope: Envelope) => void) => void} [connect]
   */

  const VERSION = '1.0';

  /** How long the page waits for an answer, in milliseconds: for the query, for cameras, for everything else. */
  const TIMEOUTS = { discovery: 5000, capture: 120_000, request: 30_000 };

  /**
   * The codes that exist, and whether trying again may help.
   * @type {Record<string, boolean>}
   */
  const RECOVERABLE = {
    UNSUPPORTED: false, PERMISSION_DENIED: true, CANCELLED: true, TIMEOUT: true,
    BUSY: true, INVALID_REQUEST: false, INTERNAL_ERROR: false, VERSION_MISMATCH: false,
  };

  const QUERY = 'capability.query';

  class BridgeError extends Error {
    /**
     * @param {string} code @param {string} message
     * @param {{recoverable?: unknown, correlationId?: string}} [more]
     */
    constructor(code, message, more = {}) {
      super(message);
      this.name = 'BridgeError';
      const isKnown = Object.hasOwn(RECOVERABLE, code);
      this.code = isKnown ? code : 'INTERNAL_ERROR';
      const stated = isKnown && typeof more.recoverable === 'boolean' ? more.recoverable : undefined;
      this.recoverable = stated ?? RECOVERABLE[this.code] ?? false;
      this.correlationId = more.correlationId ?? null;
    }
  }

  const native = /** @type {Native | undefined} */ (/** @type {any} */ (window).GBGBridge);
  const timeouts = { ...TIMEOUTS };
  /**
   * Origins whose messages an iframe takes; none named: all of them.
   * @type {string[]}
   */
  let allowedOrigins = [];
  /** Where an iframe's messages go. */
  let targetOrigin = location.origin;
  /** @type {Map<string, Pending>} */
  const pending = new Map();
  /** @type {Map<string, Set<Listener>>} */
  const listeners = new Map();

  /** @returns {Environment} */
  function detect() {
    const handlers = /** @type {any} */ (window).webkit?.messageHandlers;
    if (native?.platform === 'ios' || handlers?.gbgBridge) return 'ios';
    if (typeof native?.postMessage === 'function') return 'android';
    return window.parent !== window ? 'iframe' : 'standalone';
  }

  const environment = detect();

  function newId() {
    if (typeof crypto.randomUUID === 'function') return `web-${crypto.randomUUID()}`;
    return `web-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }

  /** @param {Envelope} envelope */
  function transmit(envelope) {
    switch (environment) {
      case 'ios':
        if (native?.postMessage) return native.postMessage(envelope);
        return /** @type {any} */ (window).webkit?.messageHandlers?.gbgBridge?.postMessage(envelope);
      case 'android': return native?.postMessage?.(JSON.stringify(envelope));
      case 'iframe': return window.parent.postMessage(envelope, targetOrigin);
      case 'standalone': return undefined;
    }
  }

  /** @param {string} action */
  function timeoutOf(action) {
    if (action === QUERY) return timeouts.discovery;
    return /^camera\..*\.capture$/.test(action) ? timeouts.capture : timeouts.request;
  }

  /**
   * Asks the app for something and waits for its answer.
   *
   * In the standalone environment the message goes nowhere, as every message there, so the time-out ends it.
   * @param {string} action @param {Record<string, unknown>} [data]
   * @param {{timeout?: number}} [options] in milliseconds
   * @returns {Promise<Record<string, unknown>>} rejected with a BridgeError
   */
  function request(action, data, options = {}) {
    const correlationId = newId();
    const timeout = options.timeout ?? timeoutOf(action);
    return new Promise((resolve, reject) => {
      const timer = window.setTimeout(() => {
        settle(correlationId, (each) => each.reject(new BridgeError('TIMEOUT', `No answer to ${action} within ${timeout} ms`, { correlationId })));
      }, timeout);
      pending.set(correlationId, { resolve, reject, timer, action });
      const payload = data === undefined ? { action } : { action, data };
      // A message that cannot be sent, because the data do not cross, ends the request at once.
      const failed = (/** @type {unknown} */ error) => {
        settle(correlationId, (each) => each.reject(new BridgeError('INVALID_REQUEST', error instanceof Error ? error.message : String(error), { correlationId })));
      };
      try {
        const sent = transmit({ version: VERSION, type: 'request', correlationId, payload });
        if (sent instanceof Promise) sent.catch(failed);
      } catch (error) {
        failed(error);
      }
    });
  }

  /**
   * Tells the app something.
   * @param {string} action @param {Record<string, unknown>} [data]
   * @returns {string} the event's correlation id
   */
  function send(action, data) {
    const correlationId = newId();
    const payload = data === undefined ? { action } : { action, data };
    const sent = transmit({ version: VERSION, type: 'event', correlationId, payload });
    if (sent instanceof Promise) sent.catch((error) => console.warn('GBGBridge: an event was not sent:', error));
    return correlationId;
  }

  /**
   * Calls the listener for events of the app with this action, or for all of them with `*`.
   * @param {string} action @param {Listener} listener
   * @returns {() => void} ends that
   */
  function on(action, listener) {
    const those = listeners.get(action) ?? new Set();
    those.add(listener);
    listeners.set(action, those);
    return () => { those.delete(listener); };
  }

  /** @param {string} correlationId @param {(pending: Pending) => void} end */
  function settle(correlationId, end) {
    const each = pending.get(correlationId);
    // Nobody waits: it was answered already, or its time is over.
    if (!each) return;
    pending.delete(correlationId);
    window.clearTimeout(each.timer);
    end(each);
  }

  /** @param {unknown} envelope */
  function receive(envelope) {
    const message = /** @type {Partial<Envelope> | null} */ (typeof envelope === 'string' ? parsed(envelope) : envelope);
    const payload = message?.payload;
    if (typeof message !== 'object' || message === null || typeof payload !== 'object' || payload === null) return;
    if (message.type === 'event') dispatch(/** @type {Envelope} */ (message));
    else if (message.type === 'response' && typeof message.correlationId === 'string') {
      settle(message.correlationId, (each) => answered(each, /** @type {Envelope} */ (message)));
    }
  }

  /** @param {string} text */
  function parsed(text) {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  }

  /** @param {Envelope} message */
  function isOfOtherVersion({ version }) {
    return version !== undefined && version !== null && String(version).split('.')[0] !== VERSION.split('.')[0];
  }

  /** @param {Pending} each @param {Envelope} message */
  function answered(each, message) {
    const { payload, correlationId } = message;
    /** @param {string} code @param {string} text @param {unknown} [recoverable] */
    const fail = (code, text, recoverable) => each.reject(new BridgeError(code, text, { recoverable, correlationId: correlationId ?? '' }));
    if (isOfOtherVersion(message)) return fail('VERSION_MISMATCH', `The app speaks version ${message.version}, the page ${VERSION}`);
    const data = payload.data ?? {};
    const { code, message: text, recoverable } = payload.error ?? {};
    switch (payload.status) {
      case 'success': return each.resolve(data);
      case 'cancelled': return fail('CANCELLED', String(data['reason'] ?? text ?? 'Cancelled'));
      case 'unsupported': return fail('UNSUPPORTED', String(text ?? `The app does not offer ${each.action}`), recoverable);
      case 'error': return fail(String(code), String(text ?? 'The app failed'), recoverable);
      default: return fail('INTERNAL_ERROR', `The answer has the unknown status ${payload.status}`);
    }
  }

  /** @param {Envelope} message */
  function dispatch(message) {
    if (isOfOtherVersion(message)) return;
    for (const action of [message.payload.action, '*']) {
      for (const listener of [...(listeners.get(action) ?? [])]) {
        try {
          listener(message.payload.data ?? {}, message);
        } catch (error) {
          // One listener's fault must not keep the others, nor the app, from anything.
          window.reportError(error);
        }
      }
    }
  }

  /**
   * Changes time-outs (milliseconds) and, for the iframe environment, whose messages are taken and who gets the page's own.
   * @param {{timeouts?: Partial<typeof TIMEOUTS>, allowedOrigins?: string[], targetOrigin?: string}} options
   */
  function configure(options) {
    Object.assign(timeouts, options.timeouts);
    if (options.allowedOrigins) allowedOrigins = [...options.allowedOrigins];
    if (options.targetOrigin !== undefined) targetOrigin = options.targetOrigin;
  }

  if (environment === 'iframe') {
    window.addEventListener('message', (event) => {
      if (event.source !== window.parent) return;
      if (allowedOrigins.length === 0 || allowedOrigins.includes(event.origin)) receive(event.data);
    });
  }

  const bridge = Object.assign(native ?? {}, {
    environment,
    isEmbedded: environment !== 'standalone',
    protocolVersion: VERSION,
    BridgeError,
    request,
    /**
     * What the app can do: `{hostVersion, capabilities}`.
     * @param {{timeout?: number}} [options]
     */
    capabilities: (options) => request(QUERY, undefined, options),
    send,
    on,
    configure,
  });
  if (native?.connect) native.connect(receive);
  else Object.assign(bridge, { receive });
  Object.assign(window, { GBGBridge: bridge });
})();
