// PageBridge: makes this page the web view of a native host. Served by the relay; goes first in <head>:
//
//   <script src="http://127.0.0.1:8080/bridge.js" data-app="player"></script>
//
// Attributes: data-app, data-client (page, screen), data-blank, data-late (reload, keep),
// data-evaluate (any, registered, none), data-relay. The wire (`pagebridge.v1`) is described in the package's article "Protocol".
//
// The page may replace any global after this script has run, so everything needed later is captured here first, and
// nothing below depends on a method that is looked up on an object of the page: no spread, no for-of, no array growth,
// JSON text is written by hand, and parsed objects are read by their own members only.
//
// Frames of the page's origin that have no such tag are given this script by the document around them.

/** What a frame without a tag is given in its place.
 * @typedef {{ app: string, relay: string, address: string, nonce: string, evaluate: string }} Given */

(function bridge(/** @type {Given | null} */ given) {
  'use strict';

  const VERSION = '1';

  // ---- limits and codes

  const SUBPROTOCOL = 'pagebridge.v1';
  /** Bytes of a wire message that are left for its text, after counters, the document that a carried one comes from, and
   * the host side's wrapping. */
  const BODY_BYTES = 32768 - 47 - 160;
  /** Bytes that are left for the escaped text of a part. */
  const PART_BYTES = BODY_BYTES - 64;
  /** Room for a text of 16 MiB with an escape of two bytes for each of its bytes, and for what stands around it. */
  const MESSAGE_BYTES = 2 * 16777216 + 65536;
  const WINDOW_BYTES = 1048576;
  const WINDOW_MESSAGES = 1024;
  const RETENTION_BYTES = 67108864;
  /** How much of its unhandled messages a document leaves to the next one of its tab: well below the quota of the storage,
   * which is the page's too. The newest are lost beyond it, and the host is told how many. */
  const CARRY_CHARACTERS = 2000000;
  /** Where the storage takes less: down to this. */
  const CARRY_MINIMUM = 1000;
  const ACK_MESSAGES = 16;
  const ACK_BYTES = 32768;
  const ACK_DELAY = 250;
  const VALUE_DEPTH = 40000;
  const SILENCE = 18000;
  const PROBE_WAIT = 4000;
  const CONNECT_WAIT = 10000;
  const LOAD_PROBE_WAIT = 10000;
  const VIOLATION_WAIT = 100;
  /** A script that the relay serves is asked for so often, with growing pauses, and waited for so long each time. */
  const SCRIPT_TRIES = 6;
  const SCRIPT_PAUSE = 250;
  const SCRIPT_WAIT = 40000;
  const REGISTERED_NAME = 256;
  const PASS_TIME = 2000;
  /** Seconds without progress after which a document counts as broken off, unless the host says otherwise. */
  const LOAD_TIMEOUT = 60;
  const RECONNECT_CAP = 10000;
  /** Bytes of a dialog's text, and of what its field holds at first, as JSON. Longer ones are cut. */
  const DIALOG_TEXT_BYTES = 16384;
  const DIALOG_DEFAULT_BYTES = 8192;
  /** Characters of the address that a dialog names as its frame's. */
  const DIALOG_URL_LENGTH = 2048;
  /** Bytes of the address of a new window, and of what is asked of it, as JSON. Longer ones are refused, and cut. */
  const WINDOW_URL_BYTES = 16384;
  const WINDOW_FEATURES_BYTES = 4096;
  /** A host that is there this soon after the relay's welcome is the one that this document was reloaded for. */
  const SAME_ARRIVAL = 1500;

  /** The close codes that decide what this end does; any other one is a cut, answered by a new socket. */
  const CLOSE = {
    __proto__: null,
    leaving: 4001,
    replaced: 4002,
    subprotocolMissing: 4003,
    expectedHello: 4004,
    malformedHello: 4005,
    helloTooLarge: 4006,
    unknownRole: 4007,
    wrongApp: 4008,
    wrongSession: 4009,
    wrongKey: 4010,
    sessionInUse: 4013,
  };

  /** The codes of errors in answers to the host, and of failed navigations. */
  const CODE = {
    __proto__: null,
    other: 1,
    ended: 2,
    exception: 4,
    unsupportedType: 5,
    invalidFrame: 12,
    unknownMethod: -32601,
    badParams: -32602,
    scriptsRefused: -32001,
    blockedByPolicy: -32002,
    onlyRegistered: -32003,
    notRegistered: -32004,
    notFetched: -32005,
    worldNeedsEval: -32006,
    unsupportedURL: -1002,
    cannotConnect: -1004,
    notConnected: -1009,
    timedOut: -1001,
    connectionLost: -1005,
  };

  // ---- captured globals

  const win = window;
  /** The parts of the platform that TypeScript's library does not know yet. */
  const modern = /** @type {any} */ (win);
  // From here on these names mean what they meant when this script began.
  const { Date, DOMException, Error, Event, HTMLFormElement, HTMLAnchorElement, Map, MutationObserver, Promise, Proxy, RangeError, Set, String, SyntaxError, TypeError, URL, WeakMap, WeakSet, WebSocket, XMLHttpRequest } =
    win;
  const { document, history, location } = win;
  const { freeze, getPrototypeOf, getOwnPropertyDescriptor, defineProperty, keys: objectKeys, getOwnPropertyNames, prototype: ObjectPrototype } = Object;
  const { apply, get: reflectGet, set: reflectSet } = Reflect;
  const { stringify, parse } = JSON;
  const { isArray } = Array;
  const { abs, floor, random } = Math;
  const { now, prototype: DatePrototype } = Date;
  const globalEval = eval;
  const clone = win.structuredClone;
  const report = win.reportError;

  /** Makes `method(self, ...)` of a method: captured, whatever becomes of the prototype it came from.
   * @type {(method: Function) => (self: any, ...rest: any[]) => any} */
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  /** The getter of a prototype's accessor, as a function of the object.
   * @param {object} prototype @param {string} name @returns {(self: any) => any} */
  const getter = (prototype, name) => {
    const found = getOwnPropertyDescriptor(prototype, name);
    return found && found.get ? uncurry(found.get) : (self) => self[name];
  };

  /** The setter of a prototype's accessor, as a function of the object and the value.
   * @param {object} prototype @param {string} name @returns {(self: any, value: any) => void} */
  function setter(prototype, name) {
    const found = getOwnPropertyDescriptor(prototype, name);
    return uncurry(/** @type {Function} */ (found && found.set));
  }

  /** Defines an own property whatever `Object.prototype` holds by now: for the page to change or not.
   * @param {object} object @param {PropertyKey} name @param {any} value @param {boolean} open */
  const define = (object, name, value, open) => {
    /** @type {any} */
    const descriptor = { __proto__: null, value, writable: open, enumerable: open, configurable: open };
    defineProperty(object, name, descriptor);
  };
  const hasOwn = uncurry(ObjectPrototype.hasOwnProperty);
  /** `value instanceof constructor`, whatever the page has told the constructor to say.
   * @type {(constructor: Function, value: any) => boolean} */
  const isInstance = uncurry(Function.prototype[Symbol.hasInstance]);
  const tagOf = uncurry(ObjectPrototype.toString);
  const tagSymbol = Symbol.toStringTag;
  const indexOf = uncurry(String.prototype.indexOf);
  const slice = uncurry(String.prototype.slice);
  const lowerCase = uncurry(String.prototype.toLowerCase);
  const unitAt = uncurry(String.prototype.charCodeAt);
  const getTime = uncurry(DatePrototype.getTime);
  /** The language's namespaces that look like plain objects.
   * @type {any} */
  const namespaces = { __proto__: null, length: 5, 0: Math, 1: JSON, 2: Reflect, 3: modern.Intl, 4: modern.Atomics };
  const trim = uncurry(String.prototype.trim);
  const bind = uncurry(Function.prototype.bind);
  const stepOf = uncurry(getPrototypeOf(function* () {}).prototype.next);
  const resolvePromise = uncurry(Promise.resolve);
  const rejectPromise = uncurry(Promise.reject);
  /** A promise of the browser that `await` takes as it is, whatever the page has made of `Promise.prototype`.
   * @template T @param {T} promise @returns {T} */
  const pinned = (promise) => {
    try {
      define(/** @type {any} */ (promise), 'constructor', Promise, false);
    } catch (_) {
      // One that the page has frozen is awaited as the page has made it.
    }
    return promise;
  };
  const mapGet = uncurry(Map.prototype.get);
  const mapSet = uncurry(Map.prototype.set);
  const mapDelete = uncurry(Map.prototype.delete);
  const mapSize = getter(Map.prototype, 'size');
  const weakGet = uncurry(WeakMap.prototype.get);
  const weakSet = uncurry(WeakMap.prototype.set);
  const weakHas = uncurry(WeakSet.prototype.has);
  const weakAdd = uncurry(WeakSet.prototype.add);
  const setAdd = uncurry(Set.prototype.add);
  const setHas = uncurry(Set.prototype.has);
  const setForEach = uncurry(Set.prototype.forEach);
  const setDelete = uncurry(Set.prototype.delete);
  const exceptionName = getter(DOMException.prototype, 'name');
  const randomValues = crypto.getRandomValues.bind(crypto);
  const setTimer = win.setTimeout.bind(win);
  const clearTimer = win.clearTimeout.bind(win);
  const encodeInto = uncurry(TextEncoder.prototype.encodeInto);
  const encoder = new TextEncoder();
  const scratch = new Uint8Array(32768);

  const socketSend = uncurry(WebSocket.prototype.send);
  const socketClose = uncurry(WebSocket.prototype.close);
  const socketState = getter(WebSocket.prototype, 'readyState');
  const messageData = getter(MessageEvent.prototype, 'data');
  const closeCode = getter(CloseEvent.prototype, 'code');
  const closeReason = getter(CloseEvent.prototype, 'reason');
  const listen = uncurry(EventTarget.prototype.addEventListener);
  const dispatch = uncurry(EventTarget.prototype.dispatchEvent);
  const NewEvent = Event;
  const stopEvent = uncurry(Event.prototype.stopImmediatePropagation);
  const preventEvent = uncurry(Event.prototype.preventDefault);
  const eventError = getter(ErrorEvent.prototype, 'error');
  const eventLine = getter(ErrorEvent.prototype, 'lineno');
  const eventColumn = getter(ErrorEvent.prototype, 'colno');
  const blockedAddress = getter(SecurityPolicyViolationEvent.prototype, 'blockedURI');
  const channel = new MessageChannel();
  const postToPort = channel.port2.postMessage.bind(channel.port2);
  const eventPersisted = getter(PageTransitionEvent.prototype, 'persisted');

  const openRequest = uncurry(XMLHttpRequest.prototype.open);
  const setRequestHeader = uncurry(XMLHttpRequest.prototype.setRequestHeader);
  const sendRequest = uncurry(XMLHttpRequest.prototype.send);
  const requestStatus = getter(XMLHttpRequest.prototype, 'status');
  const responseText = getter(XMLHttpRequest.prototype, 'responseText');
  const showAlert = win.alert.bind(win);
  const showConfirm = win.confirm.bind(win);
  const showPrompt = win.prompt.bind(win);
  const openWindow = win.open.bind(win);
  const closeWindow = win.close.bind(win);
  const userActivation = modern.navigator.userActivation;
  const isActivated = modern.UserActivation ? getter(modern.UserActivation.prototype, 'isActive') : () => true;
  /** Where the content comes from: a frame of an address like `about:srcdoc` has the origin of its page. */
  const { origin } = win;
  const closestFrames = document.getElementsByTagName('iframe');

  const createElement = document.createElement.bind(document);
  const appendChild = uncurry(Node.prototype.appendChild);
  const removeElement = uncurry(Element.prototype.remove);
  const firstElement = getter(Element.prototype, 'firstElementChild');
  const nextElement = getter(Element.prototype, 'nextElementSibling');
  const nodeType = getter(Node.prototype, 'nodeType');
  const localName = getter(Element.prototype, 'localName');
  const findIn = uncurry(Element.prototype.querySelectorAll);
  const nodeCount = getter(NodeList.prototype, 'length');
  const observe = uncurry(MutationObserver.prototype.observe);
  const stopObserving = uncurry(MutationObserver.prototype.disconnect);
  const addedNodes = getter(MutationRecord.prototype, 'addedNodes');
  const removedNodes = getter(MutationRecord.prototype, 'removedNodes');
  const iframeDocument = getter(HTMLIFrameElement.prototype, 'contentDocument');
  const framesetDocument = getter(HTMLFrameElement.prototype, 'contentDocument');
  const objectDocument = getter(HTMLObjectElement.prototype, 'contentDocument');
  const windowOf = getter(Document.prototype, 'defaultView');
  const documentURL = getter(Document.prototype, 'URL');
  const createElementIn = uncurry(Document.prototype.createElementNS);
  const functionText = uncurry(Function.prototype.toString);
  const hrefOf = getter(URL.prototype, 'href');
  const requestURL = getter(Request.prototype, 'url');
  const getAttribute = uncurry(Element.prototype.getAttribute);
  const setAttribute = uncurry(Element.prototype.setAttribute);
  const setTextOf = setter(HTMLScriptElement.prototype, 'text');
  const currentScriptOf = getter(Document.prototype, 'currentScript');
  const rootOf = getter(Document.prototype, 'documentElement');
  const writeDocument = document.write.bind(document);
  const titleOf = getter(Document.prototype, 'title');
  const baseURI = getter(Node.prototype, 'baseURI');
  const readyStateOf = getter(Document.prototype, 'readyState');
  const visibilityOf = getter(Document.prototype, 'visibilityState');
  const reloadPage = location.reload.bind(location);
  const assignPage = location.assign.bind(location);
  const replacePage = location.replace.bind(location);
  const submitForm = uncurry(HTMLFormElement.prototype.submit);
  const requestSubmit = uncurry(HTMLFormElement.prototype.requestSubmit);
  const goHistory = history.go.bind(history);
  const replaceState = history.replaceState.bind(history);
  const stopPage = win.stop.bind(win);
  const fetchURL = win.fetch.bind(win);
  const navigation = modern.navigation;
  const canGoBack = navigation && getter(getPrototypeOf(navigation), 'canGoBack');
  const canGoForward = navigation && getter(getPrototypeOf(navigation), 'canGoForward');
  const historyLength = getter(History.prototype, 'length');
  const widthOf = getter(win, 'innerWidth');
  const heightOf = getter(win, 'innerHeight');
  const addressOf = getter(URL.prototype, 'href');
  const protocolOf = getter(URL.prototype, 'protocol');
  const fragmentOf = getter(URL.prototype, 'hash');
  const isOnline = getter(Navigator.prototype, 'onLine');

  const cookiesOf = getter(Document.prototype, 'cookie');
  const setCookies = uncurry(/** @type {any} */ (getOwnPropertyDescriptor(Document.prototype, 'cookie')).set);
  const storageLength = getter(Storage.prototype, 'length');
  const storageKey = uncurry(Storage.prototype.key);
  const storageDrop = uncurry(Storage.prototype.removeItem);
  const { cookieStore, caches, indexedDB } = modern;
  const allCookies = cookieStore && cookieStore.getAll.bind(cookieStore);
  const deleteCookie = cookieStore && cookieStore.delete.bind(cookieStore);
  const cacheNames = caches && caches.keys.bind(caches);
  const deleteCache = caches && caches.delete.bind(caches);
  const databases = indexedDB && indexedDB.databases && indexedDB.databases.bind(indexedDB);
  const deleteDatabase = indexedDB && indexedDB.deleteDatabase.bind(indexedDB);
  const workers = modern.navigator.serviceWorker;
  const registrations = workers && workers.getRegistrations.bind(workers);
  const unregister = workers && uncurry(modern.ServiceWorkerRegistration.prototype.unregister);
  const disk = modern.navigator.storage;
  const rootFolder = disk && disk.getDirectory && disk.getDirectory.bind(disk);
  const folderType = modern.FileSystemDirectoryHandle;
  const folderKeys = folderType && folderType.prototype.keys && uncurry(folderType.prototype.keys);
  const removeEntry = folderType && uncurry(folderType.prototype.removeEntry);

  const logWarning = console.warn.bind(console);
  const logError = console.error.bind(console);

  // ---- small tools

  /** JSON text of a string. `stringify` looks up no `toJSON` on strings.
   * @type {(text: string) => string} */
  const quote = stringify;

  /** An own member of a parsed object: what the page adds to `Object.prototype` is not seen.
   * @param {any} object @param {string} name @returns {any} */
  const own = (object, name) =>
    object !== null && typeof object === 'object' && hasOwn(object, name) ? object[name] : undefined;

  /** @param {any} object @param {string} name @returns {string} */
  const ownText = (object, name) => {
    const value = own(object, name);
    return typeof value === 'string' ? value : '';
  };

  /** @param {any} object @param {string} name @returns {number} a count, 0 if there is none */
  const ownCount = (object, name) => {
    const value = own(object, name);
    return typeof value === 'number' && value > 0 ? value : 0;
  };

  /** First in, first out, without an array's methods. */
  class Queue {
    // Fields, for an assignment in a constructor would meet what the page has put on `Object.prototype`.
    /** @type {any} */
    first = null;
    /** @type {any} */
    last = null;
    /** @param {any} value */
    put(value) {
      const entry = { value, next: null };
      if (this.first === null) this.first = entry;
      else this.last.next = entry;
      this.last = entry;
    }
    /** @returns {any} the oldest value of a queue that is not empty */
    take() {
      const entry = this.first;
      this.first = entry.next;
      return entry.value;
    }
  }

  const tasks = new Queue();
  channel.port1.onmessage = () => tasks.take()();

  /** Acts in a task of its own, soon: the browser delays timers of hidden pages, but not message channels.
   * @param {() => void} action */
  const later = (action) => {
    tasks.put(action);
    postToPort(0);
  };

  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

  /** @param {number} length @returns {string} random base64url text */
  const randomText = (length) => {
    const bytes = randomValues(new Uint8Array(length));
    let text = '';
    for (let i = 0; i < length; i++) text += ALPHABET[bytes[i] & 63];
    return text;
  };

  /** @param {string} text @param {number} length */
  const isBase64URL = (text, length) => {
    if (text.length < length) return false;
    for (let i = 0; i < text.length; i++) if (indexOf(ALPHABET, text[i]) < 0) return false;
    return true;
  };

  // ---- the own tag

  const currentScript =
    given === null && document.currentScript instanceof HTMLScriptElement ? document.currentScript : null;
  const tag =
    given !== null ? null : currentScript || /** @type {HTMLScriptElement | null} */ (document.querySelector('script[src*="bridge.js"]'));
  const nonce = given !== null ? given.nonce : (tag && tag.nonce) || '';

  /** @param {string} name @returns {string} */
  const setting = (name) => (tag && getAttribute(tag, 'data-' + name)) || '';

  const kind = setting('client') === 'screen' ? 'screen' : 'page';
  const blank = tag !== null && getAttribute(tag, 'data-blank') !== null;
  const lateSetting = setting('late') === 'keep' ? 'keep' : 'reload';
  let evaluateSetting = (() => {
    const wanted = (given !== null ? given.evaluate : setting('evaluate')) || 'any';
    if (wanted === 'any' || wanted === 'registered' || wanted === 'none') return wanted;
    logError('PageBridge: data-evaluate must be any, registered or none, not "' + wanted + '"; the page refuses scripts.');
    return 'none';
  })();
  const lastSegment = slice(location.pathname, location.pathname.lastIndexOf('/') + 1);
  const app = given !== null ? given.app : setting('app') || (kind === 'screen' ? decodeURIComponent(lastSegment) : '');
  const relay = given !== null ? given.relay : originOf(setting('relay') || (tag && tag.src) || '');
  /** Where this script is. */
  const address = given !== null ? given.address : (tag && tag.src) || relay + '/bridge.js';
  const relayHost = (() => {
    try {
      return new URL(relay).hostname;
    } catch (_) {
      return '';
    }
  })();
  const isMainFrame = win === win.top || win.name === 'pagebridge' || slice(win.name, 0, 11) === 'pagebridge:';
  const isOwnOrigin = given !== null || (tag !== null && originOf(tag.src) === location.origin);

  /** @param {string} url */
  function originOf(url) {
    try {
      return new URL(url, location.href).origin;
    } catch (_) {
      return location.origin;
    }
  }

  // A document has one bridge, and a bridge needs to know its app. What is a page of its own waits for its own tag.
  if (given !== null && isMainFrame) return;
  if (hasOwn(win, '__pagebridge__')) {
    const earlier = /** @type {any} */ (win).__pagebridge__.tagged;
    if (typeof earlier === 'function') earlier(app, evaluateSetting);
    return;
  }
  if (!app) {
    logError('PageBridge: the script tag names no app: <script src="' + relay + '/bridge.js" data-app="NAME"></script>');
    return;
  }

  /** Texts that outlive the document in this tab. A sandboxed frame has no storage: then each document is a new page. What a
   * viewer shows in its frame is another session than that of a plain page which later opens in the same tab. */
  const storagePrefix = 'pagebridge:' + relay + ':' + app + ':' + (kind === 'page' && win !== win.top ? 'frame' + slice(win.name, 10) : kind) + ':';
  const storage = (() => {
    try {
      return win.sessionStorage;
    } catch (_) {
      return null;
    }
  })();
  const storageGet = storage && storage.getItem.bind(storage);
  const storageSet = storage && storage.setItem.bind(storage);
  const storageRemove = storage && storage.removeItem.bind(storage);

  /** @param {string} name @returns {string} */
  function recall(name) {
    try {
      return (storageGet && storageGet(storagePrefix + name)) || '';
    } catch (_) {
      return '';
    }
  }

  /** @param {string} name @param {string} value the empty text forgets */
  function remember(name, value) {
    try {
      if (value && storageSet) storageSet(storagePrefix + name, value);
      if (!value && storageRemove) storageRemove(storagePrefix + name);
    } catch (_) {
      // A full storage costs the session on the next document, not this one.
    }
  }

  /** @param {string} name @param {string} value @returns {boolean} whether the storage took it */
  function store(name, value) {
    try {
      if (!storageSet) return false;
      storageSet(storagePrefix + name, value);
      return true;
    } catch (_) {
      return false;
    }
  }

  /** What Trusted Types want to see, where they are enforced. */
  const policy = (() => {
    try {
      const identity = (/** @type {string} */ text) => text;
      const rules = { createHTML: identity, createScript: identity, createScriptURL: identity };
      return modern.trustedTypes ? modern.trustedTypes.createPolicy('pagebridge', rules) : null;
    } catch (_) {
      return null;
    }
  })();
  const trustedHTML = policy ? policy.createHTML.bind(policy) : String;
  const trustedScript = policy ? policy.createScript.bind(policy) : String;
  const trustedURL = policy ? policy.createScriptURL.bind(policy) : String;

  // ---- values

  const UNDEFINED = '{"$":["undefined"]}';

  /** Why a value does not cross; thrown by `encode` only. */
  class Refusal {
    cause = '';
    text = '';
    /** @param {'type' | 'size'} cause @param {string} text */
    constructor(cause, text) {
      this.cause = cause;
      this.text = text;
    }
  }

  const refuseType = (/** @type {string} */ what) => new Refusal('type', what + ' could not be cloned.');
  const sizeText = (/** @type {number} */ bytes) =>
    'the message has ' + bytes + ' bytes; the limit is ' + MESSAGE_BYTES + ' bytes';

  /** @param {any} object @returns {string} */
  function describe(object) {
    try {
      return tagOf(object);
    } catch (_) {
      return '[object Object]';
    }
  }

  /** Whether structuredClone takes the value, or why not: "" yes, "type" no, "other" a getter threw or it is too deep.
   * It knows all platform objects that must not cross, and alone it knows a proxy.
   * @param {any} value */
  function cloneProblem(value) {
    try {
      clone(value);
      return '';
    } catch (error) {
      try {
        return exceptionName(error) === 'DataCloneError' ? 'type' : 'other';
      } catch (_) {
        return 'other';
      }
    }
  }

  /** A getter that throws on all objects but those of one platform class, and what such an object is on the wire.
   * @typedef {{ text: string, brand: ((object: any) => any) | null }} PlatformValue */

  /** @type {PlatformValue} */
  const noPlatformValue = { text: '', brand: null };
  /** The platform's objects that cross as null, or as nothing, by their tags, which an object of the page may have too. */
  const platformValues = (() => {
    /** @type {any} */
    const values = { __proto__: null };
    /** @param {string} text @param {string} name @param {string} member @param {string[]} kin with the same member */
    const add = (text, name, member, kin) => {
      const type = modern[name];
      if (type === undefined) return;
      const value = { text, brand: getter(type.prototype, member) };
      values['[object ' + name + ']'] = value;
      for (let i = 0; i < kin.length; i++) values['[object ' + kin[i] + ']'] = value;
    };
    add('null', 'Blob', 'size', ['File']);
    add('null', 'FileList', 'length', []);
    add('null', 'ImageData', 'width', []);
    add(UNDEFINED, 'DOMRectReadOnly', 'x', ['DOMRect']);
    add(UNDEFINED, 'DOMPointReadOnly', 'x', ['DOMPoint']);
    add(UNDEFINED, 'DOMMatrixReadOnly', 'a', ['DOMMatrix']);
    add(UNDEFINED, 'DOMQuad', 'p1', []);
    add(UNDEFINED, 'DOMException', 'code', []);
    return values;
  })();

  /** @param {(object: any) => any} brand @param {any} value */
  function isBranded(brand, value) {
    try {
      brand(value);
      return true;
    } catch (_) {
      return false;
    }
  }

  /** The wire's text of a value that has no members to visit, or "" for one that has.
   * @param {any} value @returns {string} @throws {Refusal} */
  function encodeLeaf(value) {
    switch (typeof value) {
      case 'string':
        if (value.length > MESSAGE_BYTES) throw new Refusal('size', sizeText(value.length));
        return quote(value);
      case 'number':
        if (value - value !== 0) return '{"$":["number","' + value + '"]}';
        return value === 0 && 1 / value < 0 ? '{"$":["number","-0"]}' : '' + value;
      case 'boolean':
        return value ? 'true' : 'false';
      case 'object':
        break;
      case 'function':
        throw refuseType('A function');
      case 'undefined':
        // `document.all` says that it is none.
        if (value !== undefined) throw refuseType(describe(value));
        return UNDEFINED;
      default:
        return UNDEFINED;
    }
    if (value === null) return 'null';
    const prototype = getPrototypeOf(value);
    if (prototype === null || prototype === ObjectPrototype) {
      for (let i = 0; i < namespaces.length; i++) if (value === namespaces[i]) throw refuseType(describe(value));
      return '';
    }
    if (isArray(value)) return '';
    const shape = prototype === DatePrototype ? '[object Date]' : describe(value);
    switch (shape) {
      case '[object Date]':
        try {
          const time = getTime(value);
          return time === time ? '{"$":["date",' + time + ']}' : '{"$":["date","NaN"]}';
        } catch (_) {
          return '';
        }
      case '[object Object]':
      case '[object Error]':
      case '[object RegExp]':
      case '[object Map]':
      case '[object Set]':
        return '';
      case '[object FormData]':
      case '[object UserMessageHandler]':
        throw refuseType(shape);
      case '[object Math]':
      case '[object JSON]':
      case '[object Reflect]':
      case '[object Intl]':
      case '[object Atomics]':
        // Those of a frame.
        if (hasOwn(value, tagSymbol)) throw refuseType(describe(value));
        return '';
      default: {
        const { text, brand } = platformValues[shape] || noPlatformValue;
        if (brand !== null && isBranded(brand, value)) return text;
        if (cloneProblem(value) === 'type') throw refuseType(shape);
        return '';
      }
    }
  }

  /** @typedef {{ parent: Frame | null, source: any, keys: any, count: number, index: number, empty: boolean }} Frame */

  /** The keys that for-in gives, without what the page has put on `Object.prototype` and without inherited functions.
   * @param {any} object @param {any} keys filled by index @returns {number} how many */
  function collectKeys(object, keys) {
    let count = 0;
    for (const key in object) {
      if (!hasOwn(object, key)) {
        if (hasOwn(ObjectPrototype, key)) continue;
        try {
          if (typeof object[key] === 'function') continue;
        } catch (_) {
          continue;
        }
      }
      keys[count++] = key;
    }
    return count;
  }

  /** A key as the wire has it: one that consists of `$` only gets one more, for `$` marks the tags.
   * @param {string} key */
  function encodeKey(key) {
    let i = 0;
    while (i < key.length && key[i] === '$') i++;
    return i > 0 && i === key.length ? quote('$' + key) : quote(key);
  }

  /** Writes a value as the wire has it, by the conversion table of WebKit's current value copier.
   *
   * @param {any} root @returns {string} @throws {Refusal} */
  function encode(root) {
    try {
      return encodeTree(root);
    } catch (refusal) {
      // A proxy may throw whatever it likes as soon as it is looked at.
      throw refusal instanceof Refusal ? refusal : refuseType('A proxy or another exotic object');
    }
  }

  /** It walks without recursion, for values may be deep. Shared objects are copied, cycles refused.
   * @param {any} root @returns {string} */
  function encodeTree(root) {
    const leaf = encodeLeaf(root);
    if (leaf !== '') return leaf;
    // Whether there is something that structuredClone refuses and the table allows.
    let excused = false;
    const path = new Set();
    /** @type {Frame | null} */
    let frame = null;
    let out = '';
    let depth = 0;
    let next = root;
    let opening = true;
    for (;;) {
      if (opening) {
        opening = false;
        if (setHas(path, next)) throw refuseType('A cyclic object');
        if (++depth > VALUE_DEPTH) throw refuseType('An object deeper than ' + VALUE_DEPTH + ' levels');
        setAdd(path, next);
        if (isArray(next)) {
          frame = { parent: frame, source: next, keys: null, count: next.length, index: 0, empty: true };
          out += '[';
        } else {
          const keys = { __proto__: null };
          const count = collectKeys(next, keys);
          frame = { parent: frame, source: next, keys, count, index: 0, empty: true };
          out += '{';
        }
      }
      if (frame === null) break;
      if (frame.index === frame.count) {
        out += frame.keys === null ? ']' : '}';
        setDelete(path, frame.source);
        frame = frame.parent;
        depth--;
        continue;
      }
      const key = frame.keys === null ? frame.index : frame.keys[frame.index];
      frame.index++;
      let member;
      try {
        member = frame.source[key];
      } catch (_) {
        excused = true;
      }
      const text = encodeLeaf(member);
      if (typeof member === 'symbol') excused = true;
      if (frame.keys !== null && text === UNDEFINED) continue;
      if (!frame.empty) out += ',';
      frame.empty = false;
      if (frame.keys !== null) out += encodeKey(key) + ':';
      if (text === '') {
        next = member;
        opening = true;
      } else {
        out += text;
      }
      if (out.length > MESSAGE_BYTES) throw new Refusal('size', sizeText(out.length));
    }
    // The walk cannot see a proxy; structuredClone can.
    if (!excused && cloneProblem(root) === 'type') throw refuseType('A proxy or another exotic object');
    return out;
  }

  /** Turns a parsed wire value into what it stands for, in place and without recursion.
   * @param {any} wire @returns {any} */
  function decode(wire) {
    const holder = { __proto__: null, value: wire };
    /** @type {{ target: any, next: any } | null} */
    let todo = { target: holder, next: null };
    while (todo !== null) {
      const target = todo.target;
      todo = todo.next;
      const keys = isArray(target) ? null : objectKeys(target);
      const count = keys === null ? target.length : keys.length;
      for (let i = 0; i < count; i++) {
        const key = keys === null ? i : keys[i];
        const member = target[key];
        if (member !== null && typeof member === 'object') {
          if (!isArray(member) && hasOwn(member, '$')) target[key] = decodeTag(member.$);
          else todo = { target: member, next: todo };
        }
        if (typeof key === 'string' && key[0] === '$') unescapeKey(target, key);
      }
    }
    return holder.value;
  }

  /** @param {any} target @param {string} key */
  function unescapeKey(target, key) {
    for (let i = 1; i < key.length; i++) if (key[i] !== '$') return;
    const value = target[key];
    delete target[key];
    define(target, slice(key, 1), value, true);
  }

  /** @param {any} tagged @returns {any} */
  function decodeTag(tagged) {
    const name = own(tagged, '0');
    const value = own(tagged, '1');
    if (name === 'number') return value === 'NaN' ? NaN : value === '-0' ? -0 : value === 'Infinity' ? Infinity : -Infinity;
    if (name === 'date') return new Date(typeof value === 'number' ? value : NaN);
    return undefined;
  }

  // ---- numbered messages out

  const documentId = randomText(8);

  /** A numbered wire message, kept until the host has done it. `epoch` is the one under which it was first sent, or left.
   * What an earlier document of the tab left has that one's `origin`; `last` ends a bridge message.
   * `at` is when it was queued.
   * @typedef {{ n: number, body: string, size: number, last: boolean, epoch: string, origin: Origin | null, at: number,
   *   next: Entry | null }} Entry
   * @typedef {{ document: string, n: number }} Origin */

  const outbox = {
    lastNumber: 0,
    heldBytes: 0,
    flightBytes: 0,
    flightMessages: 0,
    /** @type {Entry | null} the oldest that is held */
    oldest: null,
    /** @type {Entry | null} */
    newest: null,
    /** @type {Entry | null} the oldest that was sent and not acknowledged */
    flying: null,
    /** @type {Entry | null} the next to send */
    unsent: null,
    /** The last number that carries a message of an earlier document. */
    carried: 0,
  };

  const inbox = {
    /** The highest number received without a gap, and the highest one done. */
    received: 0,
    done: 0,
    owedMessages: 0,
    owedBytes: 0,
    /** The last number behind a gap, 0 while there is none. */
    gapAt: 0,
    partNext: 0,
    partText: '',
    /** What came while another message was being handled. */
    waiting: new Queue(),
    busy: false,
  };

  /** What became of the wire messages, as numbers that only grow. */
  const delivery = { syncs: 0, gaps: 0, doubles: 0, redeliveries: 0 };

  /** How the messages of this document stand, for the page to look at. */
  function deliveryState() {
    const held = outbox.oldest === null ? 0 : outbox.lastNumber - outbox.oldest.n + 1;
    const unsent = outbox.unsent === null ? 0 : outbox.lastNumber - outbox.unsent.n + 1;
    return freeze({
      __proto__: null,
      held,
      inFlight: outbox.flightMessages,
      waiting: unsent,
      bytes: outbox.heldBytes,
      oldestUnacknowledged: outbox.oldest === null ? null : now() - outbox.oldest.at,
      resumes: delivery.syncs > 0 ? delivery.syncs - 1 : 0,
      gaps: delivery.gaps,
      doubles: delivery.doubles,
      redeliveries: delivery.redeliveries,
    });
  }

  /** The attachment: both ends exchange syncs that name it before numbered messages count. */
  const link = {
    attach: 0,
    synced: false,
    /** The host's life, as its last sync named it. */
    epoch: '',
    /** Whether the configuration has come, or will not: before, the host is kept waiting. */
    ready: false,
    /** @type {any} the host's sync, where it came before that */
    early: null,
  };

  /** The UTF-8 length of a text if that is below the scratch buffer's, else -1.
   * @param {string} text */
  function shortLength(text) {
    if (text.length > BODY_BYTES) return -1;
    const result = encodeInto(encoder, text, scratch);
    return result.read === text.length && result.written <= BODY_BYTES ? result.written : -1;
  }

  /** @param {string} text @returns {number} bytes of UTF-8 */
  function longLength(text) {
    let bytes = 0;
    for (let at = 0; at < text.length; ) {
      // A pair of surrogates that the slice would part is left to the next one.
      const end = at + 32768 - ((unitAt(text, at + 32767) & 0xfc00) === 0xd800 ? 1 : 0);
      const result = encodeInto(encoder, slice(text, at, end), scratch);
      at += result.read;
      bytes += result.written;
    }
    return bytes;
  }

  /** Queues a bridge message, in order.
   * @param {string} body its text behind the counters, with the closing brace
   * @param {boolean} forced whether it goes in although retention is full: what a call's one end depends on
   * @returns {string} why it was refused, else "" */
  function enqueue(body, forced) {
    const size = shortLength(body);
    const bytes = size >= 0 ? size : body.length > MESSAGE_BYTES ? body.length : longLength(body);
    if (bytes + 1 > MESSAGE_BYTES) return sizeText(bytes + 1);
    if (!forced && outbox.heldBytes + bytes > RETENTION_BYTES) {
      return (
        'the host has not taken ' + outbox.heldBytes + ' bytes yet, this message has ' + bytes + ' more; ' +
        RETENTION_BYTES + ' bytes can wait'
      );
    }
    if (size >= 0) append(body, size, true, '', null);
    else appendParts('{' + body);
    pump();
    if (leaving) leaveMessages();
    return '';
  }

  /** @param {string} body @param {number} size @param {boolean} last @param {string} epoch @param {Origin | null} origin */
  function append(body, size, last, epoch, origin) {
    /** @type {Entry} */
    const entry = { n: ++outbox.lastNumber, body, size, last, epoch, origin, at: now(), next: null };
    if (outbox.newest === null) outbox.oldest = entry;
    else outbox.newest.next = entry;
    outbox.newest = entry;
    if (outbox.unsent === null) outbox.unsent = entry;
    if (outbox.flying === null) outbox.flying = entry;
    outbox.heldBytes += size;
  }

  /** Cuts a long message between Unicode scalars, so that each part fits a wire message once it is escaped again.
   * @param {string} text */
  function appendParts(text) {
    const pieces = new Queue();
    let count = 0;
    let ratio = 1.25;
    for (let at = 0; at < text.length; ) {
      let units = floor(PART_BYTES / ratio);
      let escaped = '';
      for (;;) {
        if (units >= text.length - at) units = text.length - at;
        else if ((unitAt(text, at + units - 1) & 0xfc00) === 0xd800) units--;
        escaped = quote(slice(text, at, at + units));
        if (escaped.length <= PART_BYTES) {
          const result = encodeInto(encoder, escaped, scratch);
          if (result.read === escaped.length && result.written <= PART_BYTES) {
            ratio = result.written / units + 0.02;
            break;
          }
        }
        units = floor(units * 0.7);
      }
      pieces.put(escaped);
      count++;
      at += units;
    }
    let index = 0;
    while (pieces.first !== null) {
      const body = '"part":[' + ++index + ',' + count + '],"text":' + pieces.take() + '}';
      append(body, longLength(body), index === count, '', null);
    }
  }

  /** Sends what the window allows, which does not count when the document is left: this is its last chance then. Each
   * message carries both counters, so that nothing is owed afterwards. */
  function pump() {
    while (outbox.unsent !== null && link.synced && isOpen()) {
      const entry = outbox.unsent;
      if (
        !leaving && outbox.flightMessages > 0 &&
        (outbox.flightBytes + entry.size > WINDOW_BYTES || outbox.flightMessages >= WINDOW_MESSAGES)
      ) {
        return;
      }
      const again = entry.epoch !== '' && entry.epoch !== link.epoch;
      if (again) delivery.redeliveries++;
      if (entry.epoch === '') entry.epoch = link.epoch;
      outbox.unsent = entry.next;
      outbox.flightBytes += entry.size;
      outbox.flightMessages++;
      inbox.owedMessages = 0;
      inbox.owedBytes = 0;
      const from = entry.origin === null ? '' : fromText(entry.origin);
      send('{"n":' + entry.n + counters() + (again ? ',"again":true,' : ',') + from + entry.body);
    }
  }

  /** @param {Origin} origin */
  const fromText = (origin) => '"from":{"document":"' + origin.document + '","n":' + origin.n + '},';

  function counters() {
    return ',"a":' + inbox.received + ',"d":' + inbox.done;
  }

  /** @param {number} received @param {number} done the host's counters */
  function acknowledged(received, done) {
    while (outbox.flying !== null && outbox.flying !== outbox.unsent && outbox.flying.n <= received) {
      outbox.flightBytes -= outbox.flying.size;
      outbox.flightMessages--;
      outbox.flying = outbox.flying.next;
    }
    while (outbox.oldest !== null && outbox.oldest !== outbox.flying && outbox.oldest.n <= done) {
      outbox.heldBytes -= outbox.oldest.size;
      outbox.oldest = outbox.oldest.next;
    }
    if (outbox.oldest === null) outbox.newest = null;
    pump();
  }

  /** Goes back to what the host has not received.
   * @param {number} received */
  function resendAfter(received) {
    let entry = outbox.oldest;
    while (entry !== null && entry.n <= received) entry = entry.next;
    outbox.flying = entry;
    outbox.unsent = entry;
    outbox.flightBytes = 0;
    outbox.flightMessages = 0;
  }

  // ---- what the next document of the tab sends on
  //
  // Texts in the tab's storage, each `{"session","lost","entries":[[document,n,epoch,last,body],...]}`: one for what waits
  // when the document is left, and one for each message that its last handlers post. Only the heir of a session takes them.

  const carry = {
    /** How many texts have been left. */
    texts: 0,
    /** The last number in them. */
    through: 0,
    /** How many characters of messages may follow. */
    room: CARRY_CHARACTERS,
    /** How many messages had no room. What follows them has none either, or it would be out of order. */
    lost: 0,
  };

  /** Leaves what the host has not handled yet, oldest first, as far as there is room for whole messages. */
  function leaveMessages() {
    if (session === '') return;
    let first = outbox.oldest;
    while (first !== null && first.n <= carry.through) first = first.next;
    if (first === null) return;
    carry.through = outbox.lastNumber;
    for (;;) {
      const { entries, room, lost } = carriedEntries(first, carry.lost > 0 ? 0 : carry.room);
      const text = '{"session":' + quote(session) + ',"lost":' + lost + ',"entries":[' + entries + ']}';
      if (store('carry' + carry.texts, text)) {
        carry.texts++;
        carry.room = room;
        carry.lost += lost;
        // Should this document return, the next one may have sent them to a host that is another by then.
        markLeft(first);
        return;
      }
      if (entries === '') {
        logError('PageBridge: messages of this page are lost: its storage is full, or there is none.');
        return;
      }
      // The page has filled the storage: less of it.
      carry.room = carry.room < CARRY_MINIMUM ? 0 : floor(carry.room / 2);
    }
  }

  /** @param {Entry | null} entry */
  function markLeft(entry) {
    for (; entry !== null; entry = entry.next) if (entry.epoch === '') entry.epoch = link.epoch || '-';
  }

  /** @param {Entry} first @param {number} room characters */
  function carriedEntries(first, room) {
    let entries = '';
    let message = '';
    let size = 0;
    let lost = 0;
    /** @type {Entry | null} */
    let entry = null;
    for (entry = first; entry !== null; entry = entry.next) {
      size += entry.body.length;
      if (size > room) lost += entry.last ? 1 : 0;
      if (size > room || lost > 0) continue;
      const { document: from, n } = entry.origin || { document: documentId, n: entry.n };
      message +=
        (entries === '' && message === '' ? '["' : ',["') + from + '",' + n + ',' + quote(entry.epoch) + ',' + entry.last +
        ',' + quote(entry.body) + ']';
      if (!entry.last) continue;
      entries += message;
      message = '';
      room -= size;
      size = 0;
    }
    return { entries, room, lost };
  }

  /** Sends on what the document before left, if it was one of this session. What comes back to a document that holds it
   * already is passed over; the host drops other doubles. */
  function takeMessages() {
    let lost = 0;
    let ended = 0;
    const held = new Set();
    for (let entry = outbox.oldest; entry !== null; entry = entry.next) {
      if (entry.origin !== null) setAdd(held, entry.origin.document + entry.origin.n);
    }
    for (let i = 0; ; i++) {
      const text = recall('carry' + i);
      if (text === '') break;
      remember('carry' + i, '');
      let left;
      try {
        left = parse(text);
      } catch (_) {
        logError('PageBridge: what the page before left in the storage was changed, and is lost.');
        continue;
      }
      const entries = own(left, 'entries');
      const count = isArray(entries) ? entries.length : 0;
      lost += ownCount(left, 'lost');
      for (let j = 0; j < count; j++) {
        if (own(left, 'session') !== session) ended++;
        else appendCarried(entries[j], held);
      }
    }
    if (ended > 0) logWarning('PageBridge: ' + ended + ' messages of the page before are lost, for its session is over.');
    if (lost > 0) {
      logWarning('PageBridge: ' + lost + ' messages of the page before are lost: no room for them in the storage.');
      enqueue('"method":"state","params":{"lost":' + lost + '}}', true);
    }
  }

  /** @param {any} left @param {Set<string>} held */
  function appendCarried(left, held) {
    const from = ownText(left, '0');
    const n = ownCount(left, '1');
    const body = ownText(left, '4');
    if (!isBase64URL(from, 8) || from.length !== 8 || n === 0 || body === '') return;
    if (from === documentId || setHas(held, from + n)) return;
    const size = longLength(body);
    if (size > BODY_BYTES) return;
    append(body, size, own(left, '3') === true, ownText(left, '2'), { document: from, n });
    outbox.carried = outbox.lastNumber;
  }

  /** What was left is nobody's any more. */
  function forgetMessages() {
    for (let i = 0; recall('carry' + i) !== ''; i++) remember('carry' + i, '');
  }

  // ---- numbered messages in

  function sendSync() {
    if (link.attach === 0 || !link.ready || !isOpen()) return;
    const base = outbox.oldest === null ? outbox.lastNumber + 1 : outbox.oldest.n;
    send(
      '{"sync":{"attach":' + link.attach + ',"document":' + quote(documentId) + ',"epoch":' + quote(link.epoch) +
      ',"base":' + base + ',"received":' + inbox.received + ',"carried":' + outbox.carried + '}}'
    );
  }

  /** The configuration is in, or will not come: the host may talk. */
  function ready() {
    const early = link.early;
    begin();
    link.ready = true;
    link.early = null;
    watchFrames();
    sendSync();
    if (early !== null) receiveSync(early);
  }

  /** @param {number} attach 0 if no host is there */
  function attachTo(attach) {
    link.attach = attach;
    link.synced = false;
    link.early = null;
    inbox.gapAt = 0;
    setState(attach === 0 ? 'away' : 'connecting');
    sendSync();
  }

  /** @param {any} sync */
  function receiveSync(sync) {
    if (own(sync, 'attach') !== link.attach || own(sync, 'document') !== documentId) return;
    if (!link.ready) {
      link.early = sync;
      return;
    }
    const epoch = ownText(sync, 'epoch');
    const base = ownCount(sync, 'base');
    if (epoch !== link.epoch) {
      link.epoch = epoch;
      inbox.received = 0;
      inbox.done = 0;
      inbox.partNext = 0;
      inbox.partText = '';
    }
    if (base > inbox.received + 1) {
      inbox.received = base - 1;
      inbox.done = base - 1;
    }
    inbox.gapAt = 0;
    // One that is repeated for a gap begins nothing.
    if (!link.synced) delivery.syncs++;
    link.synced = true;
    socketSynced = true;
    resendAfter(ownCount(sync, 'received'));
    setState('attached');
    flushState();
    pump();
    if (base > 0 && base <= inbox.done) {
      // The host still holds what was handled: that acknowledgement died with a socket.
      inbox.owedMessages++;
      owe();
    }
    while (syncWaiters.first !== null) later(syncWaiters.take());
  }

  /** A bridge message of the host. Messages are handled one after the other, also where the engine dispatches socket
   * events inside a handler (Firefox does, during synchronous requests).
   * @param {string} text */
  function receiveMessage(text) {
    let message;
    try {
      message = parse(text);
    } catch (_) {
      logError('PageBridge: the host sent a message that is not JSON');
      return;
    }
    inbox.waiting.put({ message, text });
    if (inbox.busy) return;
    inbox.busy = true;
    try {
      while (inbox.waiting.first !== null) {
        const next = inbox.waiting.take();
        handleWire(next.message, next.text);
      }
    } finally {
      inbox.busy = false;
    }
  }

  /** @param {any} message @param {string} text what it was parsed from */
  function handleWire(message, text) {
    const sync = own(message, 'sync');
    if (sync !== undefined) return receiveSync(sync);
    if (!link.synced) return;
    acknowledged(ownCount(message, 'a'), ownCount(message, 'd'));
    const n = ownCount(message, 'n');
    if (n === 0) return;
    if (n > inbox.received + 1) {
      // Something was lost on the way: the sync says from where the host sends again. Numbers that go back are what it
      // sends again, with the same gap.
      if (inbox.gapAt === 0 || n <= inbox.gapAt) {
        delivery.gaps++;
        sendSync();
      }
      inbox.gapAt = n;
      return;
    }
    if (n === inbox.received + 1) {
      inbox.gapAt = 0;
      inbox.received = n;
      const part = own(message, 'part');
      if (part === undefined) {
        performInTurn(message, text, n);
      } else {
        receivePart(n, own(part, '0'), own(part, '1'), ownText(message, 'text'));
      }
    } else {
      delivery.doubles++;
    }
    inbox.owedMessages++;
    inbox.owedBytes += text.length;
    if (inbox.owedMessages >= ACK_MESSAGES || inbox.owedBytes >= ACK_BYTES) sendAcknowledgement();
    else owe();
  }

  /** @param {number} n @param {any} index @param {any} count @param {string} text */
  function receivePart(n, index, count, text) {
    if (index === 1) {
      inbox.partText = '';
      inbox.partNext = 1;
    }
    if (index !== inbox.partNext) return;
    inbox.partText += text;
    inbox.partNext++;
    if (index !== count) return;
    const whole = inbox.partText;
    inbox.partText = '';
    inbox.partNext = 0;
    let message;
    try {
      message = parse(whole);
    } catch (_) {
      logError('PageBridge: the host sent parts that do not make a message');
      inbox.done = n;
      return;
    }
    performInTurn(message, whole, n);
  }

  /** What waits for the host to be there and heard. */
  const syncWaiters = new Queue();

  /** Acts after a pause, or as soon as the host is there again.
   * @param {number} pause @param {() => void} action */
  function whenSynced(pause, action) {
    if (joined !== null) joined.whenSynced(pause, action);
    else if (link.synced) setTimer(action, pause);
    else syncWaiters.put(action);
  }

  function sendAcknowledgement() {
    if (inbox.owedMessages === 0 || !link.synced || !isOpen()) return;
    inbox.owedMessages = 0;
    inbox.owedBytes = 0;
    send('{' + slice(counters(), 1) + '}');
  }

  let owing = 0;

  /** A late acknowledgement only lets the host forget; nothing waits for this timer. */
  function owe() {
    if (owing !== 0) return;
    owing = setTimer(() => {
      owing = 0;
      sendAcknowledgement();
    }, ACK_DELAY);
  }

  // ---- session

  let session = '';
  let sessionKey = '';
  /** Why the next hello may take the session's place, once. */
  let takes = '';
  let late = lateSetting;
  let reloading = false;
  /** @type {PageBridgeState} */
  let state = 'connecting';
  /** @type {any} */
  let stateListeners = null;

  /** @param {PageBridgeState} next */
  function setState(next) {
    if (state === next || (state === 'closed' && next !== 'connecting')) return;
    state = next;
    const event = freeze({ __proto__: null, type: 'state', state });
    for (let each = stateListeners; each !== null; each = each.next) callSafely(each.listener, event);
  }

  /** @param {any} callback @param {any} argument */
  function callSafely(callback, argument) {
    try {
      if (typeof callback === 'function') callback(argument);
    } catch (error) {
      reportException(error);
    }
  }

  /** @param {string} id @param {string} key */
  function keepSession(id, key) {
    session = id;
    sessionKey = key;
    remember('session', id);
    remember('key', key);
  }

  function forgetSession() {
    session = '';
    sessionKey = '';
    remember('session', '');
    remember('key', '');
    remember('leave', '');
  }

  /** Whether the document is content of its session's host, whose address ends with the session. */
  const isHostContent = location.origin === relay && /^\/s\/[\w-]{33}\//.test(location.pathname);

  /** Starts the page anew, at most once until a session is there: the note survives the reload, the welcome removes it.
   * Without storage the kind of navigation tells. Content of a host that is gone is gone too, so the tab goes back to the
   * page that it was loaded over.
   * @param {string} why @returns {boolean} */
  function reloadOnce(why) {
    if (reloading) return true;
    if (recall('reload') || (storage === null && navigationType() === 'reload')) return false;
    remember('reload', why);
    reloading = true;
    const start = isHostContent ? recall('start') : '';
    if (start !== '') replacePage(start);
    else reloadPage();
    return true;
  }

  // ---- socket

  /** @type {WebSocket | null} */
  let socket = null;
  let socketOpened = false;
  let socketSynced = false;
  let attempts = 0;
  let retryTimer = 0;
  let connectTimer = 0;
  let probeTimer = 0;
  let lastHeard = now();
  let lastTick = now();
  let welcomedAt = 0;
  let explained = false;
  let leaving = false;

  function isOpen() {
    return socket !== null && socketState(socket) === 1;
  }

  /** A text that a closing socket would silently lose is sent again after the next sync.
   * @param {string} text */
  function send(text) {
    if (socket !== null) socketSend(socket, text);
  }

  function clientText() {
    return (
      '{"kind":"' + kind + '"' + (blank ? ',"blank":true' : '') +
      ',"userAgent":' + quote(slice(userAgent, 0, 512)) +
      ',"title":' + quote(slice(titleOf(document), 0, 512)) + '}'
    );
  }

  function helloText() {
    const start = '{"hello":{"role":"page","app":' + quote(app) + ',"document":' + quote(documentId);
    const taking = takes === '' ? '' : ',"takes":"' + takes + '"';
    const wish =
      session === ''
        ? ',"late":"' + late + '"'
        : ',"session":' + quote(session) + ',"key":' + quote(sessionKey) + taking;
    // A host that was started anew knows nothing of the page but what this says.
    return start + wish + ',"url":' + quote(slice(location.href, 0, 2048)) + ',"client":' + clientText() + '}}';
  }

  function connect() {
    if (retryTimer !== 0) clearTimer(retryTimer);
    retryTimer = 0;
    dropSocket();
    if (leaving || state === 'closed') return;
    let opened;
    try {
      opened = new WebSocket('ws' + slice(relay, 4) + '/ws/' + app, SUBPROTOCOL);
    } catch (error) {
      logError('PageBridge: this page may not open a WebSocket to ' + relay, error);
      return;
    }
    const mine = opened;
    socket = mine;
    socketOpened = false;
    socketSynced = false;
    lastHeard = now();
    connectTimer = setTimer(() => mine === socket && cut(), CONNECT_WAIT);
    listen(mine, 'open', () => {
      if (mine !== socket) return;
      socketOpened = true;
      lastHeard = now();
      send(helloText());
    });
    listen(mine, 'message', (/** @type {MessageEvent} */ event) => {
      if (mine !== socket) return;
      lastHeard = now();
      const text = messageData(event);
      if (standing === 0 && missed.first === null) receive(text);
      else missed.put({ from: mine, text });
    });
    listen(mine, 'close', (/** @type {CloseEvent} */ event) => {
      if (mine === socket) closed(closeCode(event), closeReason(event));
    });
  }

  /** @param {string} text */
  function receive(text) {
    if (text[0] === '{') receiveMessage(text);
    else receiveControl(text);
  }

  /** Takes what came while a script stood still, unless its socket is gone: then it is sent again. */
  function receiveMissed() {
    while (standing === 0 && missed.first !== null) {
      const { from, text } = missed.take();
      if (from === socket) receive(text);
    }
  }

  /** Forgets the socket; its later events mean nothing. */
  function dropSocket() {
    if (connectTimer !== 0) clearTimer(connectTimer);
    if (probeTimer !== 0) clearTimer(probeTimer);
    connectTimer = 0;
    probeTimer = 0;
    const old = socket;
    socket = null;
    link.attach = 0;
    link.synced = false;
    if (old !== null && socketState(old) < 2) socketClose(old);
  }

  function cut() {
    dropSocket();
    retry();
  }

  /** The first try comes at once, later ones after a random part of a growing time (full jitter). */
  function retry() {
    if (leaving || state === 'closed') return;
    setState(session === '' ? 'waiting' : 'connecting');
    if (socketSynced) attempts = now() - welcomedAt > 1000 ? 0 : 1;
    const wait = attempts === 0 ? 0 : random() * (attempts > 5 ? RECONNECT_CAP : 250 << attempts);
    attempts++;
    if (wait === 0) connect();
    else retryTimer = setTimer(connect, wait < RECONNECT_CAP ? wait : RECONNECT_CAP);
  }

  /** @param {number} code @param {string} reason */
  function closed(code, reason) {
    const opened = socketOpened;
    dropSocket();
    switch (code) {
      case CLOSE.replaced:
        setState('closed');
        return;
      case CLOSE.wrongSession:
      case CLOSE.wrongKey:
      case CLOSE.sessionInUse:
        forgetSession();
        if (!reloadOnce('refused')) {
          setState('closed');
          logError('PageBridge: the relay refused this page twice: ' + code + ' ' + reason);
        }
        return;
    }
    if (code >= CLOSE.subprotocolMissing && code <= CLOSE.wrongApp) {
      setState('closed');
      logError('PageBridge: the relay refused this page: ' + code + ' ' + reason);
      return;
    }
    if (!opened) explainRefusal();
    retry();
  }

  /** Says once in the console why a loopback socket may fail without a word. */
  async function explainRefusal() {
    const host = relayHost;
    if (explained || !(host === 'localhost' || host === '[::1]' || slice(host, 0, 4) === '127.')) return;
    explained = true;
    try {
      const found = await win.navigator.permissions.query(/** @type {any} */ ({ name: 'loopback-network' }));
      if (found.state === 'granted') return;
      logWarning(
        'PageBridge: no connection to ' + relay + '. The browser asks before a page from another network may reach this ' +
        'computer (permission "loopback-network", now "' + found.state + '"): allow it for this site, or check that the ' +
        'relay runs.'
      );
    } catch (_) {
      // Engines without the permission do not ask.
    }
  }

  /** @param {string} text */
  function receiveControl(text) {
    const control = parse(text);
    const name = own(control, '0');
    const value = own(control, '1');
    switch (name) {
      case 'welcome':
        return welcomed(value);
      case 'host':
        return hostChanged(value, ownCount(own(control, '2'), 'attach'));
      case 'replaced':
        return setState('closed');
      case 'error':
        return logWarning('PageBridge: ' + ownText(value, 'message'));
    }
  }

  /** @param {any} welcome */
  function welcomed(welcome) {
    if (connectTimer !== 0) clearTimer(connectTimer);
    connectTimer = 0;
    welcomedAt = now();
    takes = '';
    const id = ownText(welcome, 'session');
    if (id === '') {
      setState('waiting');
      return;
    }
    keepSession(id, ownText(welcome, 'key') || sessionKey);
    // The mark of a leaving document must not make a later copy of this tab the heir, and what it left comes here: it may
    // have left after this one was shown again.
    remember('leave', '');
    takeMessages();
    remember('reload', '');
    if (!isHostContent) remember('start', location.href);
    const config = own(welcome, 'config');
    if (config !== undefined) configure(config);
    const script = ownText(welcome, 'script');
    if (script !== '') insertScript(script);
    else if (config !== undefined) ready();
    attachTo(ownCount(welcome, 'attach'));
  }

  /** @param {any} what @param {number} attach */
  function hostChanged(what, attach) {
    if (what === 'away') return attachTo(0);
    if (what === 'ended') {
      forgetSession();
      // A tab that a page has opened goes with its web view.
      if (own(settings, 'openedByScript') === true && win === win.top) closeWindow();
      link.attach = 0;
      link.synced = false;
      setState('ended');
      return;
    }
    if (what !== 'attached') return;
    if (session !== '') return attachTo(attach);
    if (state !== 'ended' && late === 'keep') return;
    // No session yet, or none any more, and a host is there: the page starts anew.
    if (reloadOnce('arrival')) return;
    if (now() - welcomedAt < SAME_ARRIVAL) {
      logWarning('PageBridge: the page was reloaded for its host and still cannot attach; it goes on without a reload.');
      late = 'keep';
      connect();
    } else {
      remember('reload', '');
      reloadOnce('arrival');
    }
  }

  /** Asks the relay for a sign of life, for a socket may look open long after it died. */
  function probe() {
    if (leaving || state === 'closed') return;
    if (socket === null) return connect();
    if (!isOpen() || probeTimer !== 0) return;
    const mine = socket;
    const asked = now();
    send('{"probe":{}}');
    probeTimer = setTimer(() => {
      probeTimer = 0;
      if (mine === socket && lastHeard < asked) cut();
    }, PROBE_WAIT);
  }

  function watch() {
    const time = now();
    const slept = time - lastTick > 8000;
    lastTick = time;
    if (isOpen() && visibilityOf(document) === 'visible' && time - lastHeard > SILENCE) {
      if (slept) probe();
      else cut();
    }
    watchLoading(time);
    setTimer(watch, 3000);
  }

  // ---- the host's calls

  /** Calls that came while a script of an earlier one is on its way: they are made in their order. */
  const turns = new Queue();
  /** Whether such a script is on its way, here or in a frame of this page. */
  let scriptPending = false;
  /** Tells the page that this frame is through with its scripts; nothing in the page itself. */
  let tellIdle = () => {};

  /** @param {any} message @param {string} text what it was parsed from @param {number} n its number, 0 in a frame */
  function performInTurn(message, text, n) {
    if (scriptPending) turns.put({ message, text, n, epoch: link.epoch });
    else performNumbered(message, text, n, link.epoch);
  }

  /** @param {any} message @param {string} text @param {number} n @param {string} epoch the life of the host that sent it */
  function performNumbered(message, text, n, epoch) {
    if (n > inbox.done && epoch === link.epoch) inbox.done = n;
    perform(message, text);
  }

  /** A script has come to its end: what waited for it goes on. */
  function scriptIsOver() {
    scriptPending = false;
    while (!scriptPending && turns.first !== null) {
      const next = turns.take();
      performNumbered(next.message, next.text, next.n, next.epoch);
      inbox.owedMessages++;
    }
    if (inbox.owedMessages >= ACK_MESSAGES) sendAcknowledgement();
    else if (inbox.owedMessages > 0) owe();
    if (!scriptPending) tellIdle();
  }

  /** @param {any} message @param {string} text what it was parsed from */
  function perform(message, text) {
    const method = own(message, 'method');
    const id = own(message, 'id');
    const params = own(message, 'params');
    if (typeof method !== 'string') return answered(id, message, text);
    const frame = own(params, 'frame');
    if (frame !== undefined && frame !== documentId) return performInFrame(id, frame, text);
    switch (method) {
      case 'evaluate':
        return evaluate(id, own(params, 'source'), worldNamed(own(params, 'world')));
      case 'callRegistered':
        return void callRegistered(id, own(params, 'name'), own(params, 'arguments'));
      case 'callAsync':
        return callAsync(id, own(params, 'source'), own(params, 'arguments'), worldNamed(own(params, 'world')));
      case 'configure':
        return configure(params);
      case 'load':
        return void load(params, ownCount(params, 'navigation'));
      case 'reload':
        return reload(ownCount(params, 'navigation'));
      case 'stop':
        return stopLoading();
      case 'go':
        return goHistory(own(params, 'delta') || 0);
      case 'screen':
        return screenMessage(params);
      case 'windowClosed':
        return windowClosed(ownText(params, 'window'));
      case 'websiteData':
        return void websiteData(id, params);
    }
    if (id !== undefined) replyError(id, CODE.unknownMethod, 'unknown method ' + method);
  }

  /** @type {Map<string, (message: any, text: string) => void>} calls of this page that wait for the host's answer */
  const pending = new Map();
  let asked = 0;

  /** @param {string} method @param {string} params JSON text of an object, not closed @param {(message: any) => void} then */
  function ask(method, params, then) {
    const id = 'p' + ++asked;
    mapSet(pending, id, then);
    enqueue('"id":"' + id + '","method":"' + method + '","params":' + params + '}', true);
  }

  /** @param {any} id @param {any} message @param {string} text what it was parsed from */
  function answered(id, message, text) {
    const then = mapGet(pending, id);
    mapDelete(pending, id);
    if (then) then(message, text);
  }

  /** @param {any} id */
  const idText = (id) => (typeof id === 'number' ? '' + id : quote(String(id)));

  /** Sends the answer to a call, which for a frame goes through the page's own bridge.
   * @param {any} id @param {string} body @returns {string} why it was refused, else "" */
  const answer = (id, body) => (joined === null ? enqueue(body, true) : joined.answer(id, body));

  /** @param {any} id @param {string} value JSON text */
  function reply(id, value) {
    const problem = answer(id, '"id":' + idText(id) + ',"result":' + value + '}');
    if (problem) replyError(id, CODE.other, problem);
  }

  /** @param {any} id @param {number} code @param {string} message @param {string} [data] JSON text */
  function replyError(id, code, message, data) {
    const start = '"id":' + idText(id) + ',"error":{"code":' + code + ',"message":';
    const end = (data ? ',"data":' + data : '') + '}}';
    const problem = answer(id, start + quote(message) + end);
    if (problem) answer(id, start + quote(problem) + end);
  }

  /** @param {any} id @param {any} value */
  function replyValue(id, value) {
    let text;
    try {
      text = encode(value);
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.cause === 'size') return replyError(id, CODE.other, refusal.text);
      return replyError(id, CODE.unsupportedType, 'JavaScript execution returned a result of an unsupported type');
    }
    reply(id, text);
  }

  // ---- evaluation
  //
  // A script of the host runs as a script in the global scope: by indirect eval, or, where the page's policy forbids that,
  // as a script element, inline or from the relay. An element gives no completion value, so a source is tried in up to
  // three forms. Each is one script: if it does not parse, nothing of it has run, and the next form can be tried.

  /** How scripts run in the page's world: "plain" and "trusted" are eval, "inline" and "relay" are script elements.
   * @type {'' | 'plain' | 'trusted' | 'inline' | 'relay' | 'blocked'} */
  let scriptWay = '';
  /** How eval can be called: "plain", "trusted" or "blocked". */
  let evalWay = '';
  /** Names scripts, so that no two of a document have the same name. */
  let sources = 0;
  /** Refusals that this script has provoked to find the way, and that are not the page's affair. */
  let provoked = 0;

  /** How this page's policy lets eval be called. */
  function findEvalWay() {
    try {
      if (globalEval('1') === 1) return 'plain';
    } catch (_) {
      provoked++;
    }
    try {
      if (policy !== null && globalEval(trustedScript('1')) === 1) return 'trusted';
    } catch (_) {
      provoked++;
    }
    return 'blocked';
  }

  /** A page may get its policy late, by an element that a script adds: so the way is looked at before each script. */
  function mayEvaluate() {
    if (evalWay === '') {
      evalWay = findEvalWay();
    } else if (evalWay !== 'blocked') {
      try {
        if (globalEval(evalWay === 'trusted' ? trustedScript('1') : '1') !== 1) evalWay = findEvalWay();
      } catch (_) {
        provoked++;
        evalWay = findEvalWay();
      }
    }
    return evalWay !== 'blocked';
  }

  /** A script of the relay has run in this document, or may be tried: a frame knows only that its page has a bridge. */
  function mayFetch() {
    return scriptBase !== '' && (booted ? !bootLost : joined !== null);
  }

  /** Looks at the way again. */
  function findScriptWay() {
    if (mayEvaluate()) {
      scriptWay = evalWay === 'trusted' ? 'trusted' : 'plain';
    } else if (scriptWay === '' || scriptWay === 'plain' || scriptWay === 'trusted') {
      scriptWay = mayInline() ? 'inline' : mayFetch() ? 'relay' : 'blocked';
    }
    return scriptWay;
  }

  /** What the host is told of it. */
  function policyName() {
    if (evaluateSetting !== 'any') return evaluateSetting;
    switch (findScriptWay()) {
      case 'inline':
      case 'relay':
        return 'script';
      case 'blocked':
        return 'blocked';
      default:
        return 'eval';
    }
  }

  /** The first of all listeners for what policies refuse.
   * @param {any} event */
  function noteViolation(event) {
    const blocked = blockedAddress(event);
    if (provoked > 0 && (blocked === 'eval' || blocked === 'inline' || blocked === 'trusted-types-sink')) {
      provoked--;
      stopEvent(event);
    } else if (typeof blocked === 'string' && slice(blocked, 0, relay.length) === relay) {
      refusals++;
    }
  }

  /** Scripts of the relay that the policy has refused. */
  let refusals = 0;

  /** @param {string} text */
  const run = (text) => callEval(globalEval, evalWay === 'trusted' ? trustedScript(text) : text);

  /** Calls eval; a script of the page may stand in for it.
   * @param {(text: string) => any} run @param {string} text @returns {any} */
  let callEval = (run, text) => run(text);

  /** @param {any} id @param {any} source @param {World | null} world @returns {boolean} whether a script may run */
  function acceptsScript(id, source, world) {
    const before = scriptWay;
    if (evaluateSetting === 'any' && findScriptWay() !== before) stateChanged('policy');
    if (typeof source !== 'string') replyError(id, CODE.badParams, 'source must be a string');
    else if (evaluateSetting === 'none') replyError(id, CODE.scriptsRefused, 'the page refuses scripts (data-evaluate="none")');
    else if (evaluateSetting === 'registered')
      replyError(id, CODE.onlyRegistered, 'the page lets only functions be called that it has registered (data-evaluate="registered")');
    else if (scriptWay === 'blocked')
      replyError(id, CODE.blockedByPolicy, "the page's policy (script-src) blocks scripts: it allows neither eval nor " + relay);
    else if (world !== null && evalWay === 'blocked')
      replyError(id, CODE.worldNeedsEval, "a content world other than the page's needs a policy (script-src) that allows eval");
    else return true;
    return false;
  }

  /** A script on its way through the engine. `text` is what eval gets, `element` what a script element runs.
   * @typedef {{ text: string, value: any, begun: boolean, done: boolean, left: boolean, seen: boolean, quiet: boolean,
   *   shift: number, error: any, line: number, column: number, world: World | null, element: any, form: string, name: string }} Attempt */

  /** @type {Attempt | null} */
  let attempt = null;
  let attemptWay = '';
  const stage = new EventTarget();

  /** @param {string} text @param {boolean} quiet whether the page's error handlers must not hear of a failure
   * @returns {Attempt} */
  const newAttempt = (text, quiet) => ({
    text, value: undefined, begun: false, done: false, left: false, seen: false, quiet, shift: 0, error: undefined,
    line: 0, column: 0, world: null, element: null, form: '', name: '',
  });

  /** Runs a text so that the engine itself reports an exception, to the page's handlers and, before them, to ours: the
   * report has the true position, which a caught primitive has not. An event listener is the only synchronous way.
   * @param {Attempt} mine */
  function runOnStage(mine) {
    const outer = attempt;
    attempt = mine;
    try {
      dispatch(stage, new Event('run'));
    } finally {
      attempt = outer;
    }
  }

  listen(stage, 'run', () => {
    const mine = /** @type {Attempt} */ (attempt);
    try {
      mine.value = runIn(mine.world, mine.text);
      mine.done = true;
    } finally {
      mine.left = true;
    }
  });

  /** The first of all error listeners.
   * @param {any} event */
  function noteError(event) {
    const mine = attempt;
    if (mine === null || mine.done) return;
    if (mine.element !== null) {
      // It is the script's own if it ends the script: the last one before the element's end.
      if (currentScriptOf(document) !== mine.element) return;
    } else if (!mine.left || mine.seen) {
      return;
    }
    const first = !mine.seen;
    mine.seen = true;
    if (mine.element !== null || (first && mine.error === undefined)) mine.error = eventError(event);
    mine.line = eventLine(event);
    mine.column = eventColumn(event);
    if (!mine.quiet || mine.begun) return;
    stopEvent(event);
    preventEvent(event);
  }

  /** How exceptions become known: "stage" by the engine's report, "caught" by catching them. */
  function findAttemptWay() {
    if (!isOwnOrigin) {
      // Engines tell nothing of what a script of another origin runs, or only now and then: a script of the page calls eval.
      if (!mayInline()) return 'caught';
      const maker = newAttempt('', true);
      maker.form = 'expression';
      runInline('__pagebridge__.value(()=>(run,text)=>run(text))', maker);
      if (typeof maker.value !== 'function') return 'caught';
      callEval = maker.value;
    }
    const trial = newAttempt('\nthrow 7', true);
    runOnStage(trial);
    return trial.error === 7 && trial.line === 2 ? 'stage' : 'caught';
  }

  /** @param {string} source @param {string} name @param {World | null} world @returns {Attempt} */
  function attemptSource(source, name, world) {
    const start = strictStart(source);
    const mine = newAttempt(start + source + '\n//# sourceURL=' + name, false);
    mine.world = world;
    mine.shift = start.length;
    strictAttempt = start === '' ? null : mine;
    if (attemptWay === '') attemptWay = findAttemptWay();
    if (attemptWay === 'stage') {
      runOnStage(mine);
      return mine;
    }
    try {
      mine.value = runIn(world, mine.text);
      mine.done = true;
    } catch (error) {
      mine.error = error;
      mine.left = true;
      const outer = attempt;
      attempt = mine;
      reportException(error);
      attempt = outer;
      // The event says null for undefined.
      mine.error = error;
    }
    return mine;
  }

  /** Where a source does not parse, which eval does not tell in every engine, but an inline script does.
   * @param {string} source @returns {Attempt} without a line where the page's policy forbids inline scripts */
  function parsePosition(source) {
    const mine = newAttempt('', true);
    if (!mayInline()) return mine;
    const strict = isStrict(source) ? '"use strict";' : '';
    // A block keeps declarations from being made. Where it does not parse, none is made anyway, and it may have been closed.
    let start = strict + 'throw 0;{';
    runInline(start + source + '\n}', mine);
    if (mine.error !== 0) {
      const open = newAttempt('', true);
      runInline(strict + 'throw 0;' + source, open);
      if (open.error !== 0) {
        start = strict + 'throw 0;';
        mine.line = open.line;
        mine.column = open.column;
      }
    } else {
      mine.line = 0;
    }
    if (mine.line === 1 && mine.column > start.length) mine.column -= start.length;
    return mine;
  }

  // Strict scripts. The variables and functions of a strict eval end with it, those of a script do not.

  /** What an expression goes on with behind a line's end. */
  const CONTINUATIONS = '.([`+-*/%=<>&|^?,!;:';
  /** Words that are no names of variables in strict scripts. */
  const RESERVED =
    ' break case catch class const continue debugger default delete do else enum export extends false finally for function if' +
    ' implements import in instanceof interface let new null package private protected public return static super switch this' +
    ' throw true try typeof var void while with yield eval arguments ';

  /** Whether a script begins with the directive that makes it strict.
   * @param {string} source */
  function isStrict(source) {
    const at = tokenStart(source, 0);
    const directive = slice(source, at, at + 12);
    if (directive !== "'use strict'" && directive !== '"use strict"') return false;
    const next = tokenStart(source, at + 12);
    if (next >= source.length || source[next] === ';') return true;
    if (indexOf(CONTINUATIONS, source[next]) >= 0) return false;
    const word = wordAt(source, next);
    if (word === 'in' || word === 'instanceof') return false;
    for (let i = at + 12; i < next; i++) if (indexOf(LINE_ENDS, source[i]) >= 0) return true;
    return false;
  }

  /** What stands before a strict script so that its variables and functions become properties of the window: it hands over a
   * getter and a setter for each name of the script, and gives no value.
   * @param {string} source @returns {string} "" for a script that is not strict */
  function strictStart(source) {
    if (!isStrict(source)) return '';
    const known = new Set();
    let list = '';
    const words = newWords();
    for (let found = nextWord(words, source); found !== null; found = nextWord(words, source)) {
      const name = found[0];
      if (setHas(known, name) || indexOf(RESERVED, ' ' + name + ' ') >= 0 || slice(name, 0, 13) === '__pagebridge_') continue;
      setAdd(known, name);
      list += (list === '' ? '' : ',') + quote(name) + ',()=>' + name + ',(__pagebridge_1)=>{' + name + '=__pagebridge_1}';
    }
    return list === '' ? '' : '"use strict";var __pagebridge_0=__pagebridge__.keep([' + list + ']);';
  }

  const newWords = () => /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu;
  const nextWord = uncurry(RegExp.prototype.exec);

  /** The strict script that is about to run.
   * @type {Attempt | null} */
  let strictAttempt = null;
  /** The getters of the properties that strict scripts have made.
   * @type {WeakSet<any>} */
  const strictGetters = new WeakSet();

  /** Makes properties of the variables and functions that a strict script has: they differ from what the window has.
   * @param {any} list names, each followed by its getter and its setter */
  function keepVariables(list) {
    const mine = strictAttempt;
    strictAttempt = null;
    if (mine === null) return;
    const target = mine.world === null ? win : mine.world.window;
    for (let i = 0; i < list.length; i += 3) {
      const name = list[i];
      const get = list[i + 1];
      const set = list[i + 2];
      try {
        const value = get();
        if (value !== undefined && typeof value !== 'function') continue;
        const isKnown = name in target;
        if (isKnown && target[name] === value) continue;
        const before = getOwnPropertyDescriptor(target, name);
        if (before !== undefined && hasOwn(before, 'get') && !weakHas(strictGetters, before.get)) continue;
        if (isKnown && value === undefined) set(target[name]);
        /** @type {any} */
        const descriptor = { __proto__: null, get, set, enumerable: true, configurable: true };
        defineProperty(target, name, descriptor);
        weakAdd(strictGetters, get);
      } catch (_) {
        // No such variable, one of `let` or `const`, or a property that is not to be changed.
      }
    }
  }

  // Scripts as elements.

  const SPACES = ' \t\n\r\v\f\u00a0\u2028\u2029\ufeff';
  const LINE_ENDS = '\n\r\u2028\u2029';
  /** Words that begin what is no expression, or another thing as an expression. */
  const STATEMENTS =
    ' var let const function class if for while do switch try throw with return break continue debugger export ';

  /** Where the first token behind spaces and comments begins.
   * @param {string} text @param {number} at */
  function tokenStart(text, at) {
    for (;;) {
      while (at < text.length && indexOf(SPACES, text[at]) >= 0) at++;
      if (text[at] !== '/') return at;
      if (text[at + 1] === '/') {
        while (at < text.length && indexOf(LINE_ENDS, text[at]) < 0) at++;
      } else if (text[at + 1] === '*') {
        const end = indexOf(text, '*/', at + 2);
        at = end < 0 ? text.length : end + 2;
      } else {
        return at;
      }
    }
  }

  /** The word at a place, as far as it is of small letters: "" if it is no such word.
   * @param {string} text @param {number} at */
  function wordAt(text, at) {
    let end = at;
    for (; end < text.length; end++) {
      const unit = unitAt(text, end);
      if (unit >= 97 && unit <= 122) continue;
      if ((unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 36 || unit === 95 || unit === 92 || unit > 127) return '';
      break;
    }
    return slice(text, at, end);
  }

  /** Whether a text may be taken for an expression: as a statement it would not mean something else.
   * @param {string} text @param {number} from */
  function maybeExpression(text, from) {
    const at = tokenStart(text, from);
    if (at >= text.length || text[at] === '{' || text[at] === ';') return false;
    const word = wordAt(text, at);
    if (word === 'async') return wordAt(text, tokenStart(text, at + 5)) !== 'function';
    return word === '' || indexOf(STATEMENTS, ' ' + word + ' ') < 0;
  }

  /** A source and how it can be cut: `end` is where trailing semicolons begin, `cut` the semicolon before the last statement,
   * -1 if there is none that can be seen without parsing.
   * @typedef {{ source: string, cut: number, end: number }} Cutting */

  /** @param {string} source @returns {Cutting} */
  function cutting(source) {
    let end = source.length;
    while (end > 0 && (source[end - 1] === ';' || indexOf(SPACES, source[end - 1]) >= 0)) end--;
    // The last semicolon that seems to stand in no literal and no bracket. Whether it does, the parser will tell.
    let cut = end - 1;
    let depth = 0;
    const quotes = { __proto__: null, "'": 0, '"': 0, '`': 0 };
    for (; cut >= 0; cut--) {
      const sign = source[cut];
      if (sign === ';') {
        if (depth === 0 && (quotes["'"] | quotes['"'] | quotes['`']) === 0) break;
      } else if (sign === "'" || sign === '"' || sign === '`') {
        quotes[sign] ^= 1;
      } else if (sign === ')' || sign === ']' || sign === '}') {
        depth++;
      } else if (sign === '(' || sign === '[' || sign === '{') {
        depth--;
      }
    }
    if (cut < 0 || !maybeExpression(source, cut + 1)) return { source, cut: -1, end };
    // A directive must stay the first statement, and what stands behind the sign of a comment must not become code.
    const first = source[tokenStart(source, 0)];
    let line = cut;
    while (line > 0 && indexOf(LINE_ENDS, source[line - 1]) < 0) line--;
    const before = slice(source, line, cut);
    const commented = indexOf(before, '//') >= 0 || indexOf(before, '<!--') >= 0 || indexOf(before, '-->') >= 0;
    return { source, cut: commented || first === '"' || first === "'" ? -1 : cut, end };
  }

  /** The forms of a source in the order in which they are tried.
   * @param {Cutting} parts @param {string} form the last one that was tried, "" if none was @returns {string} */
  function nextForm({ source, cut }, form) {
    if (form === '' && maybeExpression(source, 0)) return 'expression';
    return (form === '' || form === 'expression') && cut >= 0 ? 'last' : 'statements';
  }

  /** The text of the script that a form of a source is. The host makes the same text where the relay serves it. The second
   * copy of an expression never runs: no source can close a round and a square bracket alike.
   * @param {Cutting} parts @param {string} form @param {number} number @param {string} list names of parameters */
  function formText({ source, cut, end }, form, number, list) {
    if (form === 'statements') return source + '\nconst __pagebridge_' + number + '=__pagebridge__.ended()';
    if (form === 'function') return '__pagebridge__.value(()=>(async function(' + list + '){' + source + '\n}))';
    const last = slice(source, form === 'last' ? cut + 1 : 0, end);
    return (
      (form === 'last' ? '__pagebridge__.began();\n' + slice(source, 0, cut) + ';\n' : '') +
      '__pagebridge__.value(()=>(' + (form === 'last' ? '' : '\n') + last + '\n));0&&(()=>[\n' + last + '\n])'
    );
  }

  /** The line of a source that a line of its script is.
   * @param {Cutting} parts @param {string} form @param {number} line */
  function sourceLine({ source, cut }, form, line) {
    if (form === 'expression') return line - 1;
    if (form !== 'last') return line;
    let lines = 1;
    for (let i = 0; i < cut; i++) {
      if (indexOf(LINE_ENDS, source[i]) >= 0 && !(source[i] === '\r' && source[i + 1] === '\n')) lines++;
    }
    return line <= lines + 1 ? line - 1 : line - 2;
  }

  /** Called by a script that is about to run its statements; what it was made for is known by its element.
   * @returns {Attempt | null} the attempt, null for whoever else calls */
  function mineNow() {
    const mine = attempt;
    return mine !== null && mine.element !== null && mine.element === currentScriptOf(document) ? mine : null;
  }

  function began() {
    const mine = mineNow();
    if (mine !== null) mine.begun = true;
  }

  function ended() {
    const mine = mineNow();
    if (mine !== null && mine.form === 'statements') mine.done = true;
  }

  /** Takes the value of an expression, once.
   * @param {() => any} expression */
  function takeValue(expression) {
    const mine = mineNow();
    if (mine === null || mine.left || mine.form === 'statements') return;
    mine.begun = true;
    try {
      mine.value = expression();
      mine.done = true;
    } finally {
      mine.left = true;
    }
  }

  /** Runs a source by script elements, now or as soon as the relay has served it.
   * @param {string} call the id of the host's call @param {Cutting} parts @param {string} form
   * @param {string} list names of parameters
   * @param {(mine: Attempt) => void} then called once, with the attempt that ended it
   * @param {(code: number, text: string) => void} fail called instead if the script could not be run at all */
  function runByElement(call, parts, form, list, then, fail) {
    const number = ++sources;
    const mine = newAttempt('', form !== 'statements');
    mine.form = form;
    if (scriptWay === 'inline') {
      mine.name = 'pagebridge-' + number + '.js';
      runInline(formText(parts, form, number, list) + '\n//# sourceURL=' + mine.name, mine);
      settle();
    } else {
      fetchScript(1);
    }

    /** The element has come to its end. */
    function settle() {
      if (mine.done || mine.begun || mine.seen && (form === 'statements' || form === 'function')) return then(mine);
      if (form !== 'statements' && form !== 'function') return runByElement(call, parts, nextForm(parts, form), list, then, fail);
      // Nothing has run and nothing was told: the policy has changed since the way was found.
      inlineWay = '';
      const before = scriptWay;
      scriptWay = '';
      const now = findScriptWay();
      if (now !== before) stateChanged('policy');
      if (before === 'inline' && now === 'relay') {
        return runByElement(call, parts, form === 'function' ? form : nextForm(parts, ''), list, then, fail);
      }
      scriptWay = 'blocked';
      stateChanged('policy');
      fail(CODE.blockedByPolicy, "the page's policy blocks scripts");
    }

    /** @param {number} tries this one included */
    function fetchScript(tries) {
      const place = form === 'expression' ? '.0.' + parts.end : form === 'last' ? '.' + parts.cut + '.' + parts.end : '';
      mine.name = form + '.' + number + '.' + tries + place + '.js';
      const element = createElement('script');
      const refused = refusals;
      const wasPending = scriptPending;
      let over = false;
      mine.element = element;
      attempt = mine;
      scriptPending = true;
      const end = () => {
        over = true;
        clearTimer(timer);
        attempt = null;
        removeElement(element);
      };
      const lost = () => {
        if (refusals > refused) {
          scriptWay = 'blocked';
          stateChanged('policy');
          fail(CODE.blockedByPolicy, "the page's policy (script-src) blocks scripts of " + relay);
        } else if (tries === SCRIPT_TRIES) {
          fail(CODE.notFetched, 'the script could not be fetched from the relay: ' + tries + ' tries failed');
        } else {
          return whenSynced(SCRIPT_PAUSE << tries, () => fetchScript(tries + 1));
        }
        scriptIsOver();
      };
      const timer = setTimer(() => {
        if (over) return;
        end();
        fail(CODE.notFetched, 'the script did not come from the relay within ' + SCRIPT_WAIT / 1000 + ' seconds');
        scriptIsOver();
      }, SCRIPT_WAIT);
      listen(element, 'load', (/** @type {any} */ event) => {
        if (over || event.isTrusted !== true) return;
        end();
        settle();
        if (attempt === null) scriptIsOver();
      });
      listen(element, 'error', (/** @type {any} */ event) => {
        if (over || event.isTrusted !== true) return;
        end();
        // What did not load has not run. The violation's event may follow the element's.
        if (refusals > refused) lost();
        else setTimer(lost, VIOLATION_WAIT);
      });
      try {
        setAttribute(element, 'crossorigin', 'anonymous');
        if (nonce !== '') setAttribute(element, 'nonce', nonce);
        setAttribute(element, 'src', trustedURL(scriptBase + call + '/' + mine.name));
        appendChild(rootOf(document) || document, element);
      } catch (_) {
        end();
        scriptWay = 'blocked';
        stateChanged('policy');
        fail(CODE.blockedByPolicy, "the page's policy (trusted-types) blocks scripts");
        if (tries > 1) scriptIsOver();
        else scriptPending = wasPending;
      }
    }
  }

  /** @param {any} id @param {any} source @param {World | null} world null for the page's */
  function evaluate(id, source, world) {
    if (!acceptsScript(id, source, world)) return;
    if (scriptWay === 'inline' || scriptWay === 'relay') {
      const parts = cutting(source);
      runByElement(
        id, parts, nextForm(parts, ''), '',
        (mine) => (mine.done ? replyValue(id, mine.value) : replyElementException(id, mine, parts)),
        (code, text) => replyError(id, code, text)
      );
      return;
    }
    const name = 'pagebridge-' + ++sources + '.js';
    const result = attemptSource(source, name, world);
    if (result.done) replyValue(id, result.value);
    else if (attemptWay === 'stage' && !result.seen) replyError(id, CODE.ended, 'The browser ended the script.');
    else replyException(id, result, source, name);
  }

  /** @param {any} id @param {any} source the body of an async function @param {any} wire its arguments by name
   * @param {World | null} world null for the page's */
  function callAsync(id, source, wire, world) {
    if (!acceptsScript(id, source, world)) return;
    const name = 'pagebridge-' + ++sources + '.js';
    const fail = (/** @type {any} */ error) =>
      replyError(id, CODE.exception, reasonText(error), '{"line":0,"column":0,"name":' + quote(nameOf(error)) + '}');
    try {
      const values = decode(wire === undefined ? {} : wire);
      const names = objectKeys(values);
      let list = '';
      /** @type {any} */
      const call = { __proto__: null, length: names.length };
      for (let i = 0; i < names.length; i++) {
        // An empty name is no name: alone it leaves an empty list, among others it must not hide behind the last comma.
        list = names[i] === '' && i > 0 ? ',' + list : list + (i > 0 ? ',' : '') + names[i];
        call[i] = values[names[i]];
      }
      if (scriptWay === 'inline' || scriptWay === 'relay') {
        runByElement(
          id, { source, cut: -1, end: 0 }, 'function', list,
          (mine) => (mine.done ? awaitCall(id, mine.value, win, call, fail) : fail(mine.error)),
          (code, text) => replyError(id, code, text)
        );
      } else {
        const body = '(async function(' + list + '){' + source + '\n})\n//# sourceURL=' + name;
        awaitCall(id, runIn(world, body), world === null ? win : world.window, call, fail);
      }
    } catch (error) {
      fail(error);
    }
  }

  /** Answers what an async function comes to.
   * @param {any} id @param {any} made the function @param {any} self @param {any} values its arguments
   * @param {(error: any) => void} fail */
  async function awaitCall(id, made, self, values, fail) {
    let value;
    try {
      value = await pinned(apply(made, self, values));
    } catch (error) {
      return fail(error);
    }
    replyValue(id, value);
  }

  // Functions that the page lets the host call, whatever its policy.

  /** @type {Map<string, Function>} */
  const registered = new Map();

  /** @param {any} name @param {any} action null withdraws what was registered */
  function register(name, action) {
    if (typeof name !== 'string' || name === '' || name.length > REGISTERED_NAME) {
      throw new TypeError('pagebridge.register: the name must be a text of 1 to ' + REGISTERED_NAME + ' characters');
    }
    if (action === null || action === undefined) mapDelete(registered, name);
    else if (typeof action === 'function') mapSet(registered, name, action);
    else throw new TypeError("pagebridge.register: '" + slice(name, 0, 64) + "' needs a function, or null");
  }

  /** @param {any} id @param {any} name @param {any} wire an array of arguments */
  async function callRegistered(id, name, wire) {
    if (typeof name !== 'string' || (wire !== undefined && !isArray(wire))) {
      return replyError(id, CODE.badParams, 'name must be a string and arguments an array');
    }
    if (evaluateSetting === 'none') {
      return replyError(id, CODE.scriptsRefused, 'the page refuses calls (data-evaluate="none")');
    }
    const action = mapGet(registered, name);
    if (action === undefined) {
      return replyError(id, CODE.notRegistered, "the page has registered no function '" + slice(name, 0, 64) + "'");
    }
    let value;
    try {
      const values = decode(wire === undefined ? [] : wire);
      const call = { __proto__: null, length: values.length };
      for (let i = 0; i < values.length; i++) define(call, i, values[i], true);
      value = apply(action, undefined, /** @type {any} */ (call));
      value = await (isInstance(Promise, value) ? pinned(value) : value);
    } catch (error) {
      return replyError(id, CODE.exception, messageOf(error), '{"line":0,"column":0,"name":' + quote(nameOf(error)) + '}');
    }
    replyValue(id, value);
  }

  // Exceptions.

  /** @param {any} object @param {string} name @returns {any} undefined where reading throws */
  function read(object, name) {
    try {
      return object[name];
    } catch (_) {
      return undefined;
    }
  }

  /** @param {any} error */
  function isError(error) {
    if (error === null || typeof error !== 'object') return false;
    try {
      const shape = tagOf(error);
      return isInstance(Error, error) || shape === '[object Error]' || shape === '[object DOMException]';
    } catch (_) {
      // A proxy that lets nobody look at it.
      return false;
    }
  }

  /** @param {any} error */
  function nameOf(error) {
    const name = isError(error) ? read(error, 'name') : '';
    return typeof name === 'string' ? name : '';
  }

  /** "name: message" of errors, else the text of the value.
   * @param {any} error @returns {string} */
  function messageOf(error) {
    if (isError(error)) {
      const name = read(error, 'name');
      const message = read(error, 'message');
      const title = name === undefined ? 'Error' : textOf(name, 'Error');
      const text = message === undefined ? '' : textOf(message, '');
      return title === '' ? text : text === '' ? title : title + ': ' + text;
    }
    return textOf(error, 'An exception that has no text');
  }

  /** What a promise was rejected with, as text: an error says it itself.
   * @param {any} reason @returns {string} */
  const reasonText = (reason) => textOf(reason, null) || messageOf(reason);

  /** The text that a value gives of itself.
   * @template {string | null} T @param {any} value @param {T} otherwise where it gives none @returns {string | T} */
  function textOf(value, otherwise) {
    try {
      return String(value);
    } catch (_) {
      return otherwise;
    }
  }

  /** Tells the page's own error handlers, as a script of the page would.
   * @param {any} error */
  function reportException(error) {
    try {
      report(error);
    } catch (_) {
      // The page's handlers are not ours to mend.
    }
  }

  /** The number behind a place of a text, and where it ends.
   * @param {string} text @param {number} at */
  function numberAt(text, at) {
    let value = 0;
    let end = at;
    for (; end < text.length; end++) {
      const digit = unitAt(text, end) - 48;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
    }
    return { value, end };
  }

  /** The place in a script that a stack names first; line 0 if it names none.
   * @param {any} error @param {string} name the script's */
  function placeInStack(error, name) {
    const stack = isError(error) ? read(error, 'stack') : undefined;
    const found = typeof stack === 'string' ? indexOf(stack, name + ':') : -1;
    if (found < 0) return { line: 0, column: 0 };
    const first = numberAt(stack, found + name.length + 1);
    return { line: first.value, column: stack[first.end] === ':' ? numberAt(stack, first.end + 1).value : 0 };
  }

  /** @param {any} id @param {any} error @param {any} line @param {any} column */
  function replyExceptionAt(id, error, line, column) {
    const data =
      '{"line":' + (countText(line) || '1') + ',"column":' + (countText(column) || '0') +
      ',"sourceURL":' + quote(location.href) + ',"name":' + quote(nameOf(error)) + '}';
    replyError(id, CODE.exception, messageOf(error), data);
  }

  /** @param {any} id @param {Attempt} failed what a script element ran @param {Cutting} parts */
  function replyElementException(id, failed, parts) {
    const found = placeInStack(failed.error, failed.name);
    const { line, column } = found.line > 0 ? found : failed;
    replyExceptionAt(id, failed.error, sourceLine(parts, failed.form, line), column);
  }

  /** @param {any} id @param {Attempt} failed @param {string} source @param {string} name */
  function replyException(id, failed, source, name) {
    const error = failed.error;
    // What a world rethrows is reported where the world is.
    let { line, column } = attemptWay === 'stage' && failed.world === null ? failed : { line: 0, column: 0 };
    const found = placeInStack(error, name);
    if (found.line > 0) {
      line = found.line;
      column = found.column;
    } else if (isError(error) && isInstance(SyntaxError, error) && typeof read(error, 'lineNumber') !== 'number') {
      // Not in the stack, so it was never parsed.
      const place = line > 0 && typeof read(error, 'line') !== 'number' ? failed : parsePosition(source);
      line = place.line || read(error, 'line');
      column = place.column || read(error, 'column');
    } else if (isError(error)) {
      const place = read(error, 'lineNumber') || read(error, 'line');
      if (typeof place === 'number') {
        line = place;
        column = read(error, 'columnNumber') || read(error, 'column');
      }
    }
    // What stands before a strict script stands in its first line.
    replyExceptionAt(id, error, line, line === 1 && column > failed.shift ? column - failed.shift : column);
  }

  /** @param {any} value */
  const countText = (value) => (typeof value === 'number' && value >= 1 && value < 1e9 ? '' + floor(value) : '');

  // ---- handlers

  /** The handlers of a world by name. An object says whether its messages wait for a reply.
   * @typedef {Map<string, { handler: any, replies: boolean }>} Handlers */

  /** @type {Handlers} the page's */
  const handlers = new Map();
  let configVersion = 0;
  /** Where the relay serves scripts of the host, and the document that its user scripts were meant for. */
  let scriptBase = '';
  let scriptDocument = documentId;
  /** @type {any} */
  let settings = null;
  /** The handlers of all worlds as JSON text, for frames. */
  let handlersText = '';
  let namespaceDefined = false;

  /** @param {any} config */
  function configure(config) {
    const version = ownCount(config, 'version');
    if (version < configVersion) return;
    configVersion = version;
    if (own(config, 'settings') !== undefined) settings = own(config, 'settings');
    watchCookies();
    const token = ownText(config, 'scriptToken');
    if (token !== '') scriptBase = relay + '/s/' + session + '/_pagebridge/script/' + token + '/';
    // A frame is told by its page.
    scriptBase = ownText(config, 'scriptBase') || scriptBase;
    scriptDocument = ownText(config, 'document') || scriptDocument;
    learnSchemes(own(joined === null ? settings : config, 'schemes'), joined === null ? session : ownText(config, 'session'));
    presentHidden(own(settings, 'isHidden') === true);
    applySettings();
    const entries = own(config, 'handlers');
    if (!isArray(entries)) return;
    const wanted = new Set();
    let pageNames = 0;
    handlersText = '';
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i];
      const name = typeof entry === 'string' ? entry : ownText(entry, 'name');
      const worldName = ownText(entry, 'world');
      const replies = own(entry, 'reply') === true;
      if (name === '') continue;
      const world = worldNamed(worldName);
      const map = world === null ? handlers : world.handlers;
      const key = quote(worldName) + name;
      if (setHas(wanted, key)) continue;
      setAdd(wanted, key);
      const known = mapGet(map, name);
      if (known === undefined || known.replies !== replies) mapSet(map, name, { handler: makeHandler(world, name), replies });
      if (world === null) pageNames++;
      else if (world.webkit === null) world.webkit = makeNamespace(map);
      handlersText +=
        (handlersText === '' ? '' : ',') + '{"name":' + quote(name) + ',"world":' + quote(worldName) + ',"reply":' + replies + '}';
    }
    removeUnwanted('', handlers, wanted);
    mapForEach(worlds, (/** @type {World} */ world) => removeUnwanted(world.name, world.handlers, wanted));
    if (pageNames > 0) defineNamespace();
    for (let each = frames; each !== null; each = each.next) callSafely(each.update, configText());
  }

  const mapForEach = uncurry(Map.prototype.forEach);

  /** @param {string} worldName @param {Handlers} map @param {Set<string>} wanted */
  function removeUnwanted(worldName, map, wanted) {
    const known = knownNames(map);
    for (let i = 0; i < known.length; i++) if (!setHas(wanted, quote(worldName) + known[i])) mapDelete(map, known[i]);
  }

  /** @param {Handlers} map @returns {string[]} */
  function knownNames(map) {
    /** @type {any} */
    const names = [];
    let count = 0;
    mapForEach(map, (/** @type {any} */ _, /** @type {string} */ name) => {
      define(names, count++, name, true);
    });
    return names;
  }

  /** Which handler an object is, or was.
   * @type {WeakMap<any, { world: World | null, name: string }>} */
  const handlerObjects = new WeakMap();

  /** What handlers inherit: one `postMessage`, which knows by its receiver whose it is. */
  function makeMethods() {
    const methods = {};
    define(methods, 'postMessage', postMessage, false);
    defineTag(methods, 'UserMessageHandler');
    return methods;

    /** @this {any} @param {any} _body */
    function postMessage(_body) {
      const known = weakGet(handlerObjects, this);
      if (known === undefined) {
        return rejectPromise(Promise, new TypeError('postMessage can only be called on handlers of window.webkit.messageHandlers.'));
      }
      const { world, name } = known;
      if (arguments.length === 0) {
        throw new TypeError("postMessage of '" + name + "' requires 1 argument, but 0 were given.");
      }
      const entry = mapGet(world === null ? handlers : world.handlers, name);
      if (entry === undefined || entry.handler !== this) {
        return rejectPromise(
          Promise, new DOMException("The handler '" + name + "' was removed.", 'InvalidAccessError')
        );
      }
      return entry.replies ? postForReply(world, name, arguments[0]) : post(world, name, arguments[0]);
    }
  }

  /** Those of the page's world. Another world must not meet what the page has made of them. */
  const handlerMethods = makeMethods();

  /** What `Object.prototype.toString` says of an object and its heirs.
   * @param {object} object @param {string} name */
  function defineTag(object, name) {
    /** @type {any} */
    const descriptor = { __proto__: null, value: name, writable: false, enumerable: false, configurable: true };
    defineProperty(object, tagSymbol, descriptor);
  }

  /** @param {World | null} world @param {string} name */
  function makeHandler(world, name) {
    const handler = { __proto__: world === null ? handlerMethods : makeMethods() };
    weakSet(handlerObjects, handler, { world, name });
    return handler;
  }

  /** Sends a body to a handler.
   * @param {World | null} world @param {string} name @param {any} body
   * @param {((text: string) => void) | null} then called with the reply, if one is waited for
   * @returns {string} why it was refused, else "" @throws {Refusal} */
  function sendBody(world, name, body, then) {
    const text = encode(body);
    return (joined === null ? deliver : joined.deliver)(name, text, frameText(), world === null ? '' : world.name, then);
  }

  /** @param {string} name @param {string} problem */
  const refusedPost = (name, problem) => new RangeError("postMessage of '" + name + "': " + problem);

  /** @param {World | null} world @param {string} name @param {any} body @returns {Promise<undefined>} */
  function post(world, name, body) {
    let problem = '';
    try {
      problem = sendBody(world, name, body, null);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (refusal.cause === 'type') throw new DOMException(refusal.text, 'DataCloneError');
      problem = refusal.text;
    }
    if (problem === '') return resolvePromise(Promise, undefined);
    return rejectPromise(Promise, refusedPost(name, problem));
  }

  /** @param {World | null} world @param {string} name @param {any} body @returns {Promise<any>} the handler's reply */
  function postForReply(world, name, body) {
    return new Promise((resolve, reject) => {
      try {
        const problem = sendBody(world, name, body, (text) => {
          const message = parse(text);
          const error = own(message, 'error');
          if (error === undefined) resolve(decode(own(message, 'result')));
          else reject(new Error(ownText(error, 'message')));
        });
        if (problem !== '') reject(refusedPost(name, problem));
      } catch (refusal) {
        if (!(refusal instanceof Refusal)) reject(refusal);
        else if (refusal.cause === 'type') reject(new DOMException(refusal.text, 'DataCloneError'));
        else reject(refusedPost(name, refusal.text));
      }
    });
  }

  let frameURL = '';
  let frameJSON = '';

  /** Who posts, as JSON text. */
  function frameText() {
    if (frameURL !== location.href) {
      frameURL = location.href;
      frameJSON = '{"main":' + isMainFrame + ',"url":' + quote(frameURL) + ',"origin":' + quote(isMainFrame ? location.origin : origin) +
        (isMainFrame ? '}' : ',"id":"' + documentId + '"}');
    }
    return frameJSON;
  }

  /** Sends a message of this document, or of a frame in it.
   * @param {string} name @param {string} body @param {string} frame JSON texts @param {string} world its name
   * @param {((text: string) => void) | null} then called with the text of the answer, if one is waited for
   * @returns {string} why it was refused, else "" */
  function deliver(name, body, frame, world, then) {
    if (state === 'closed') return 'the session of this page is over';
    const params =
      '{"handler":' + quote(name) + ',"body":' + body + (world === '' ? '' : ',"world":' + quote(world)) + ',"frame":' + frame + '}';
    const message = '"method":"message","params":' + params + '}';
    if (then === null) return enqueue(message, false);
    const id = 'p' + ++asked;
    const problem = enqueue('"id":"' + id + '",' + message, false);
    if (problem === '') mapSet(pending, id, (/** @type {any} */ _, /** @type {string} */ text) => then(text));
    return problem;
  }

  // ---- dialogs
  //
  // A dialog gives its value to the script that calls it, so the host is asked by a synchronous request, during which the
  // page stands still. The answer is the host's; without one it is that of a web view without a delegate.

  /** How many scripts stand still: engines that dispatch events meanwhile let a second one begin. */
  let standing = 0;
  /** What the socket brought meanwhile. It waits for the script's end, as the host's calls do in WebKit. */
  const missed = new Queue();
  /** Whether the document is being left. */
  let gone = false;

  /** Whether browsers show no dialogs now, because the document is being left. A listener for `beforeunload` would keep
   * engines from caching the page, so the event is looked at instead. */
  const isDismissed = () => gone || read(modern.event, 'type') === 'beforeunload';

  /** The text with U+FFFD in place of what is no Unicode scalar: no decoder takes those.
   * @param {string} text */
  function wellFormed(text) {
    let out = '';
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = unitAt(text, i);
      if ((unit & 0xf800) !== 0xd800) continue;
      if ((unit & 0xfc00) === 0xd800 && (unitAt(text, i + 1) & 0xfc00) === 0xdc00) i++;
      else {
        out += slice(text, from, i) + '\ufffd';
        from = i + 1;
      }
    }
    return from === 0 ? text : out + slice(text, from);
  }

  /** JSON text of a text, which is cut if it has too many bytes.
   * @param {string} text @param {number} limit */
  function limited(text, limit) {
    const fits = (/** @type {string} */ json) => {
      if (json.length > limit) return false;
      const result = encodeInto(encoder, json, scratch);
      return result.read === json.length && result.written <= limit;
    };
    let units = text.length < limit ? text.length : limit;
    const whole = quote(wellFormed(slice(text, 0, units)));
    if (units === text.length && fits(whole)) return whole;
    logWarning('PageBridge: a text of a dialog is cut; it may have ' + limit + ' bytes.');
    for (;;) {
      units = floor(units * 0.8);
      const cut = (unitAt(text, units - 1) & 0xfc00) === 0xd800 ? units - 1 : units;
      const json = quote(wellFormed(slice(text, 0, cut)) + '\u2026');
      if (fits(json)) return json;
    }
  }

  /** Whether the host's view has a delegate for what a page's script wants to be shown.
   * @returns {boolean} */
  const hasDelegate = () => settings === null || own(settings, 'uiDelegate') === true;

  /** Asks the host and waits.
   * @param {string} asking JSON text of the members that say what is asked @param {string} frame JSON text
   * @returns {any} the relay's answer, null if there is none */
  function standStill(asking, frame) {
    if (session === '' || state === 'closed' || !hasDelegate()) return null;
    // What the socket has taken reaches the host although this script stands still; what still waits for it does not.
    const after = !link.synced ? 0 : outbox.unsent === null ? outbox.lastNumber : outbox.unsent.n - 1;
    const body =
      '{"app":' + quote(app) + ',"session":' + quote(session) + ',"key":' + quote(sessionKey) + ',"document":' + quote(documentId) +
      ',' + asking + ',"frame":' + frame + ',"after":' + after + '}';
    standing++;
    try {
      const request = new XMLHttpRequest();
      openRequest(request, 'POST', relay + '/dialog?app=' + app, false);
      setRequestHeader(request, 'Content-Type', 'text/plain;charset=UTF-8');
      sendRequest(request, body);
      const answer = parse(responseText(request));
      if (requestStatus(request) === 200) return answer;
      logWarning('PageBridge: the relay refused a dialog: ' + ownText(own(answer, 'error'), 'message'));
    } catch (_) {
      logWarning('PageBridge: no answer from ' + relay + '/dialog; the page goes on as in a web view without a delegate.');
    } finally {
      standing--;
      if (standing === 0 && missed.first !== null) later(receiveMissed);
    }
    return null;
  }

  /** Shows a dialog of this document.
   * @param {string} type @param {string} text @param {string} initial @param {string} frame JSON text
   * @returns {boolean | string | null} */
  function dialog(type, text, initial, frame) {
    const asking =
      '"kind":"' + type + '","text":' + limited(text, DIALOG_TEXT_BYTES) +
      (type === 'prompt' ? ',"default":' + limited(initial, DIALOG_DEFAULT_BYTES) : '');
    const answer = (joined === null ? standStill : joined.standStill)(asking, frame);
    let value = own(answer, 'value');
    if (own(answer, 'present') === true) {
      if (type === 'confirm') value = showConfirm(text);
      else if (type === 'prompt') value = showPrompt(text, initial);
      else value = showAlert(text);
      const told = typeof value === 'string' ? quote(wellFormed(value)) : value === true ? 'true' : value === false ? 'false' : 'null';
      tellHost('dialog', '{"id":' + ownCount(answer, 'id') + ',"value":' + told + '}');
    }
    if (type === 'confirm') return value === true;
    return type === 'prompt' && typeof value === 'string' ? value : null;
  }

  /** Sends a message that wants no answer.
   * @param {string} method @param {string} params JSON text */
  function tellHost(method, params) {
    if (joined === null) enqueue('"method":"' + method + '","params":' + params + '}', true);
    else joined.tellHost(method, params);
  }

  /** Who asks, as JSON text. */
  const dialogFrame = () =>
    '{"main":' + isMainFrame + ',"url":' + quote(wellFormed(slice(location.href, 0, DIALOG_URL_LENGTH))) +
    ',"origin":' + quote(isMainFrame ? location.origin : origin) + (isMainFrame ? '}' : ',"id":"' + documentId + '"}');

  /** Puts the host's dialogs in place of the browser's, with the names and lengths of those. */
  function defineDialogs() {
    const show = (/** @type {string} */ type, /** @type {string} */ text, /** @type {string} */ initial) => {
      if (isDismissed()) return type === 'confirm' ? false : null;
      return dialog(type, text, initial, dialogFrame());
    };
    /** An argument as text: with the exceptions, and in the order, in which the browser's functions read theirs.
     * @param {IArguments} list @param {number} index */
    const textAt = (list, index) => (index >= list.length || list[index] === undefined ? '' : `${list[index]}`);
    const methods = {
      alert() {
        show('alert', arguments.length === 0 ? '' : `${arguments[0]}`, '');
      },
      confirm() {
        return show('confirm', textAt(arguments, 0), '');
      },
      prompt() {
        return show('prompt', textAt(arguments, 0), textAt(arguments, 1));
      },
    };
    define(win, 'alert', methods.alert, true);
    define(win, 'confirm', methods.confirm, true);
    define(win, 'prompt', methods.prompt, true);
    defineWindows();
    listen(win, 'pagehide', () => (gone = true), true);
    listen(win, 'pageshow', () => (gone = false), true);
  }

  // ---- windows
  //
  // A window that the page opens is another web view, if the host's delegate makes one. In a viewer it is shown on the same
  // screen; in a tab the browser opens another one for it. The page gets a small object that stands for it.

  /** Whether scripts may open windows now: after a gesture, where the host allows it, and when the host's own script does.
   * @param {boolean} activated @returns {boolean} */
  const mayOpen = (activated) => activated || inbox.busy || own(settings, 'opensWindows') === true;

  /** What is done when a window that the page has opened is closed, by its session.
   * @type {Map<string, () => void>} */
  const openedWindows = new Map();

  /** @param {string} id @param {() => void} then */
  function watchWindow(id, then) {
    mapSet(openedWindows, id, then);
  }

  /** @param {string} id */
  function windowClosed(id) {
    const then = mapGet(openedWindows, id);
    mapDelete(openedWindows, id);
    if (then) callSafely(then, undefined);
  }

  /** Whether a target is this window or one of the page's frames, which the browser finds by itself.
   * @param {string} target */
  function isKnownTarget(target) {
    switch (lowerCase(target)) {
      case '':
      case '_self':
      case '_parent':
      case '_top':
        return true;
      case '_blank':
        return false;
    }
    if (target === win.name) return true;
    for (let i = 0; i < closestFrames.length; i++) if (closestFrames[i].name === target) return true;
    return false;
  }

  /** What stands for a window that a view was made for.
   * @param {any} answer the host's @param {string} features @returns {any} null if the browser opens no tab for it */
  function openedWindow(answer, features) {
    const id = ownText(answer, 'window');
    const url = ownText(answer, 'url');
    const mine = '{"window":' + quote(id) + '}';
    let closed = false;
    let tab = /** @type {any} */ (null);
    if (url !== '') {
      tab = openWindow(url, '_blank', features);
      if (tab === null) {
        logWarning('PageBridge: the browser has blocked a window that its host has made.');
        tellHost('windowClose', mine);
        return null;
      }
      // What belongs to another web view must not reach into this one.
      tab.opener = null;
    }
    (joined === null ? watchWindow : joined.watchWindow)(id, () => (closed = true));
    /** @param {any} address */
    const go = (address) =>
      tellHost('windowLoad', '{"window":' + quote(id) + ',"url":' + quote(wellFormed(new URL(`${address}`, baseURI(document)).href)) + '}');
    const place = freeze({
      __proto__: null,
      assign: go,
      replace: go,
      set href(/** @type {any} */ address) {
        go(address);
      },
    });
    return freeze({
      __proto__: null,
      opener: null,
      get closed() {
        return closed || (tab !== null && tab.closed);
      },
      get location() {
        return /** @type {any} */ (place);
      },
      set location(address) {
        go(address);
      },
      close() {
        if (tab !== null) tab.close();
        tellHost('windowClose', mine);
      },
      focus() {
        if (tab !== null) tab.focus();
      },
      blur() {},
      postMessage() {
        logWarning('PageBridge: a window of another web view gets no messages.');
      },
    });
  }

  /** @param {string} url @returns {string} JSON text, "" of an address that is too long */
  function windowURL(url) {
    const text = quote(wellFormed(url));
    if (text.length <= WINDOW_URL_BYTES && longLength(text) <= WINDOW_URL_BYTES) return text;
    logWarning('PageBridge: no window for an address of ' + url.length + ' characters; it may have ' + WINDOW_URL_BYTES + ' bytes.');
    return '';
  }

  /** Whether a window's features name one that is not denied by its value.
   * @param {string} features @param {string} name */
  function asksFor(features, name) {
    const at = indexOf(lowerCase(features), name);
    const value = at < 0 ? '' : lowerCase(slice(features, at + name.length, at + name.length + 2));
    return at >= 0 && value !== '=0' && value !== '=n' && value !== '=f';
  }

  /** @param {string} given @param {string} target @param {string} features @returns {any} */
  function open(given, target, features) {
    if (isKnownTarget(target === '' ? '_blank' : target)) return openWindow(given, target, features);
    let url = 'about:blank';
    try {
      if (given !== '') url = new URL(given, baseURI(document)).href;
    } catch (_) {
      throw new DOMException("Unable to open a window with invalid URL '" + given + "'.", 'SyntaxError');
    }
    const activated = userActivation ? isActivated(userActivation) : true;
    const text = windowURL(url);
    if (text === '' || isDismissed() || !(joined === null ? mayOpen : joined.mayOpen)(activated)) return null;
    const asking =
      '"kind":"open","text":' + text + ',"target":' + limited(target, WINDOW_FEATURES_BYTES) +
      ',"features":' + limited(features, WINDOW_FEATURES_BYTES);
    const answer = own((joined === null ? standStill : joined.standStill)(asking, dialogFrame()), 'value');
    if (ownText(answer, 'window') === '') return null;
    const opened = openedWindow(answer, features);
    return asksFor(features, 'noopener') || asksFor(features, 'noreferrer') ? null : opened;
  }

  /** Asks the host for the window of a link; it may take its time.
   * @param {string} url JSON text @param {string} frame JSON text @param {(answer: any) => void} then
   * @returns {boolean} false if this is no web view of a host, so that the browser does what it does */
  function askForWindow(url, frame, then) {
    if (settings === null) return false;
    if (!hasDelegate() && own(settings, 'asksNavigation') !== true) return true;
    ask('open', '{"url":' + url + ',"frame":' + frame + '}', (message) => then(own(message, 'result')));
    return true;
  }

  /** A link that leads to a window of its own.
   * @param {any} event */
  function clickedLink(event) {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const path = event.composedPath();
    for (let i = 0; i < path.length; i++) {
      const link = path[i];
      if (!(link instanceof HTMLAnchorElement || link instanceof HTMLAreaElement) || !link.href) continue;
      const base = link.hasAttribute('target') ? null : document.querySelector('base[target]');
      const target = base === null ? link.target : getAttribute(base, 'target') || '';
      if (isKnownTarget(target) || link.hasAttribute('download') || link.protocol === 'javascript:') return;
      const url = windowURL(link.href);
      const asks = url !== '' && (joined === null ? askForWindow : joined.askForWindow)(url, dialogFrame(), (/** @type {any} */ answer) => {
        if (ownText(answer, 'window') !== '') openedWindow(answer, '');
      });
      if (asks) preventEvent(event);
      return;
    }
  }

  function defineWindows() {
    const textOr = (/** @type {IArguments} */ list, /** @type {number} */ index, /** @type {string} */ missing) =>
      index >= list.length || list[index] === undefined ? missing : `${list[index]}`;
    const methods = {
      open() {
        return open(textOr(arguments, 0, ''), textOr(arguments, 1, '_blank'), textOr(arguments, 2, ''));
      },
      close() {
        if (own(settings, 'openedByScript') === true) tellHost('windowClose', '{}');
        closeWindow();
      },
    };
    define(win, 'open', methods.open, true);
    if (isMainFrame) define(win, 'close', methods.close, true);
    listen(win, 'click', clickedLink);
  }

  // ---- frames

  /** Frames of this document that use its bridge.
   * @type {any} */
  let frames = null;
  let scriptsText = '[]';

  /** What the bridge.js of a frame of this origin calls. Only texts and functions cross, for the frame has its own realm.
   * @param {string} frameApp @param {string} id the frame's document
   * @param {(config: string) => void} update called with the names of handlers, now and later
   * @param {(text: string) => any} run called with the host's calls for the frame; true if a script of one is on its way
   * @param {() => boolean} isGone whether the frame's document is shown no more */
  function joinFrame(frameApp, id, update, run, isGone) {
    if (parentBridge !== null) return parentBridge(frameApp, id, update, run, isGone);
    if (frameApp !== app) return null;
    /** @type {Map<string, boolean>} calls without an answer */
    const calls = new Map();
    // Whether calls wait for a script of the frame.
    let waiting = false;
    const entry = {
      id, update, calls, isGone, next: frames,
      /** @param {string} text */
      run(text) {
        if (run(text) === true) waiting = scriptPending = true;
      },
      leave() {
        if (frames === entry) frames = entry.next;
        for (let each = frames; each !== null; each = each.next) if (each.next === entry) each.next = entry.next;
        mapForEach(calls, (/** @type {any} */ _, /** @type {string} */ call) => replyUnreachable(call));
        idle();
      },
    };
    const idle = () => {
      if (!waiting) return;
      waiting = false;
      scriptIsOver();
    };
    frames = entry;
    update(configText());
    return freeze({
      __proto__: null,
      deliver,
      standStill,
      tellHost,
      mayOpen,
      askForWindow,
      watchWindow,
      scripts: scriptsText,
      /** @param {string} call @param {string} body */
      answer(call, body) {
        const problem = mapGet(calls, call) === undefined ? '' : enqueue(body, true);
        if (problem === '') mapDelete(calls, call);
        return problem;
      },
      leave: entry.leave,
      forgetGone,
      idle,
      whenSynced,
      mayAsk,
      askNavigation,
    });
  }

  /** @param {string} call one whose document is gone */
  const replyUnreachable = (call) =>
    replyError(call, CODE.exception, 'Completion handler for function call is no longer reachable', '{"line":0,"column":0}');

  /** @param {any} id @param {any} frame @param {string} text the host's call */
  function performInFrame(id, frame, text) {
    for (let each = frames; each !== null; each = each.next) {
      if (each.id !== frame) continue;
      mapSet(each.calls, id, true);
      return callSafely(each.run, text);
    }
    replyError(id, CODE.invalidFrame, 'JavaScript execution targeted an invalid frame', '{"line":0,"column":0}');
  }

  function configText() {
    return (
      '{"version":' + configVersion + ',"handlers":[' + handlersText + '],"scriptBase":' + quote(scriptBase) +
      ',"document":' + quote(scriptDocument) + ',"session":' + quote(session) + ',"settings":' + frameSettings() + '}'
    );
  }

  /** @type {any} the parent's `joinFrame`, if this document is a frame of a page that has a bridge */
  let parentBridge = null;
  /** @type {any} */
  let joined = null;

  /** Frames that are taken away, or lead elsewhere, before they have finished loading do not say that they leave. */
  function forgetGone() {
    if (joined !== null) return joined.forgetGone();
    for (let each = frames; each !== null; each = each.next) if (each.isGone()) each.leave();
  }

  const joinPage = () => parentBridge(app, documentId, updateFrame, runInFrame, () => windowOf(document) === null);
  const updateFrame = (/** @type {string} */ config) => configure(parse(config));
  /** @param {string} text a call of the host @returns {boolean} whether its script is on its way */
  const runInFrame = (text) => {
    performInTurn(parse(text), text, 0);
    return scriptPending;
  };

  /** A frame of the page's origin uses the page's bridge; another one has none. */
  function startFrame() {
    try {
      parentBridge = /** @type {any} */ (win.parent).__pagebridge__.frame;
    } catch (_) {
      return;
    }
    if (typeof parentBridge !== 'function') return;
    const inner = freeze({ frame: joinFrame, began, ended, value: takeValue, keep: keepVariables, started, tagged });
    define(win, '__pagebridge__', inner, false);
    joined = joinPage();
    if (joined === null) return;
    tellIdle = joined.idle;
    defineDialogs();
    if (!navigation) watchSubmit();
    listenInFrame();
    // A document that is opened anew loses all its listeners.
    observe(new MutationObserver(listenInFrame), document, CHILDREN);
    afterOthers('DOMContentLoaded', runEndScripts);
    const scripts = parse(joined.scripts);
    whenRooted(document, () => {
      runUserScripts(scripts, isFirst(), () => {});
      watchFrames();
    });
  }

  function listenInFrame() {
    listen(win, 'error', noteError, true);
    listen(win, 'securitypolicyviolation', noteViolation, true);
    listen(win, 'pagehide', leaveFrame);
    listen(win, 'pageshow', showFrame);
    listen(win, 'click', clickedLink);
    if (watchesFrames) listen(document, 'load', frameLoaded, true);
    watchLeaving();
  }

  function leaveFrame() {
    joined.leave();
  }

  /** @param {any} event */
  function showFrame(event) {
    if (!eventPersisted(event)) return;
    joined = joinPage();
    tellIdle = joined.idle;
  }

  /** Acts when a document has its root: before its parser's first script in any case.
   * @param {any} owner the document @param {() => void} action */
  function whenRooted(owner, action) {
    if (rootOf(owner) !== null) return action();
    const watcher = new MutationObserver(() => {
      if (rootOf(owner) === null) return;
      stopObserving(watcher);
      action();
    });
    observe(watcher, owner, CHILDREN);
  }

  /** The document has a tag, too, behind which this script is no second time: but what the tag restricts counts.
   * @param {string} tagApp @param {string} evaluate */
  function tagged(tagApp, evaluate) {
    if (given === null) return;
    if (evaluate === 'none' || evaluateSetting === 'any') evaluateSetting = evaluate;
    if (tagApp === app) return;
    evaluateSetting = 'none';
    endScripts = null;
    leaveFrame();
    configure({ version: configVersion, handlers: [] });
  }

  // ---- frames without the tag
  //
  // Such a frame is given this script when it is seen: at once if it shows no address, and else when the document before has
  // been left, which is before the new one's first script in most engines, or at its end at the latest. Frames of another
  // origin show no document, and stay as they are.

  /** @type {any} */
  const CHILDREN = { __proto__: null, childList: true };
  /** @type {any} */
  const DESCENDANTS = { __proto__: null, childList: true, subtree: true };
  const FRAMES = 'iframe,frame,object';
  /** How often, with doubled pauses from 1 ms on, the next document of a frame is looked for before its end. */
  const FRAME_LOOKS = 10;
  const XHTML = 'http://www.w3.org/1999/xhtml';

  let watchesFrames = false;
  /** The document that an element was last seen with, its window, and whether it was given this script. */
  const seenDocuments = new WeakMap();

  function watchFrames() {
    if (watchesFrames || kind === 'screen') return;
    watchesFrames = true;
    observe(new MutationObserver(framesChanged), document, DESCENDANTS);
    listen(document, 'load', frameLoaded, true);
    seeFrames(findAll(document, FRAMES), true);
  }

  /** @param {MutationRecord[]} records */
  function framesChanged(records) {
    let removes = false;
    for (let i = 0; i < records.length; i++) {
      const nodes = addedNodes(records[i]);
      if (nodeCount(removedNodes(records[i])) > 0) removes = true;
      for (let j = 0; j < nodeCount(nodes); j++) {
        const node = nodes[j];
        if (nodeType(node) !== 1) continue;
        seeFrame(node, false);
        if (firstElement(node) !== null) seeFrames(findIn(node, FRAMES), false);
      }
    }
    if (removes) forgetGone();
  }

  /** @param {any} elements a list @param {boolean} areLoaded */
  function seeFrames(elements, areLoaded) {
    for (let i = 0; i < nodeCount(elements); i++) seeFrame(elements[i], areLoaded);
  }

  /** @param {any} event */
  function frameLoaded(event) {
    seeFrame(eventTarget(event), true);
  }

  /** @param {any} element @returns {any} the document that it shows; null if it is no frame, or one of another origin */
  function frameDocument(element) {
    try {
      switch (localName(element)) {
        case 'iframe':
          return iframeDocument(element);
        case 'frame':
          return framesetDocument(element);
        case 'object':
          return objectDocument(element);
      }
    } catch (_) {
      // No element, or one that only has the name.
    }
    return null;
  }

  /** @param {any} element @returns {boolean} whether it names a document to show */
  function namesDocument(element) {
    if (getAttribute(element, 'srcdoc') !== null) return true;
    const source = trim(getAttribute(element, localName(element) === 'object' ? 'data' : 'src') || '');
    return source !== '' && lowerCase(slice(source, 0, 11)) !== 'about:blank';
  }

  /** @param {any} element @returns {boolean} whether its sandbox lets no script run */
  function isScriptless(element) {
    const sandbox = localName(element) === 'iframe' ? getAttribute(element, 'sandbox') : null;
    return sandbox !== null && indexOf(lowerCase(sandbox), 'allow-scripts') < 0;
  }

  /** Looks at a frame; what it has had already it does not get again.
   * @param {any} element any node @param {boolean} isLoaded whether its load has ended */
  function seeFrame(element, isLoaded) {
    const inner = frameDocument(element);
    const view = inner === null ? null : windowOf(inner);
    if (view === null) return;
    const known = weakGet(seenDocuments, element);
    const isKnown = known !== undefined && known.inner === inner;
    if (isKnown && (known.isGiven || !isLoaded)) return;
    // The window stays over navigations; an element that is moved gets another one. Its first, empty document may only wait for
    // another one, to which it leaves its window with all that is in it.
    const isFirst = isKnown || known === undefined || known.view !== view;
    const isProvisional = isFirst && documentURL(inner) === 'about:blank' && (!isLoaded || namesDocument(element));
    weakSet(seenDocuments, element, { __proto__: null, inner, view, isGiven: !isProvisional });
    if (!isKnown) followFrame(element, inner, view);
    if (!isFirst) forgetGone();
    if (!isProvisional && !isScriptless(element)) giveBridge(inner, view);
  }

  /** Sees to it that the document behind this one is noticed.
   * @param {any} element @param {any} inner @param {any} view */
  function followFrame(element, inner, view) {
    const left = () => later(() => lookAgain(element, inner, 0));
    const follow = () => listen(view, 'pagehide', left);
    follow();
    // A document that is opened anew loses all its listeners.
    observe(new MutationObserver(follow), inner, CHILDREN);
  }

  /** Looks for the document behind one that was left. The end of its load is noticed anyhow.
   * @param {any} element @param {any} old @param {number} looks how many there were */
  function lookAgain(element, old, looks) {
    const inner = frameDocument(element);
    if (inner !== null && inner !== old) seeFrame(element, false);
    else if (looks < FRAME_LOOKS) setTimer(() => lookAgain(element, old, looks + 1), 1 << looks);
  }

  /** Runs this script in a frame, if it does not run there already, in the way that the policy of its document allows.
   * @param {any} inner @param {any} view its window */
  function giveBridge(inner, view) {
    const hasBridge = () => hasOwn(view, '__pagebridge__');
    if (hasBridge()) return;
    const text =
      '(' + functionText(bridge) + ')({"app":' + quote(app) + ',"relay":' + quote(relay) + ',"address":' + quote(address) +
      ',"nonce":' + quote(nonce) + ',"evaluate":' + quote(evaluateSetting) + '})\n//# sourceURL=' + address;
    // A document without an address has this one's policy. What another one's own policy refuses is not its affair.
    const inherits = slice(documentURL(inner), 0, 6) === 'about:';
    let refused = 0;
    if (!inherits) {
      const silence = (/** @type {any} */ event) => {
        const blocked = blockedAddress(event);
        if (refused === 0 || (blocked !== 'eval' && blocked !== 'inline' && blocked !== 'trusted-types-sink')) return;
        refused--;
        stopEvent(event);
      };
      listen(view, 'securitypolicyviolation', silence, true);
    }
    if (!inherits || mayInline()) {
      runScriptIn(inner, (element) => setTextOf(element, trustedScript(text)));
      if (hasBridge()) return;
      refused++;
    }
    if (!inherits || mayEvaluate()) {
      try {
        view.eval(evalWay === 'trusted' ? trustedScript(text) : text);
      } catch (_) {
        refused++;
      }
      if (hasBridge()) return;
    }
    const linked = (/** @type {any} */ element) => {
      setAttribute(element, 'data-app', app);
      setAttribute(element, 'data-relay', relay);
      setAttribute(element, 'data-evaluate', evaluateSetting);
      setAttribute(element, 'src', trustedURL(address));
      listen(element, 'load', () => removeElement(element));
      listen(element, 'error', () => removeElement(element));
    };
    whenRooted(inner, () => runScriptIn(inner, linked));
  }

  /** @param {any} inner @param {(element: any) => void} fill */
  function runScriptIn(inner, fill) {
    try {
      const element = createElementIn(inner, XHTML, 'script');
      if (nonce !== '') setAttribute(element, 'nonce', nonce);
      fill(element);
      appendChild(rootOf(inner) || inner, element);
      if (getAttribute(element, 'src') === null) removeElement(element);
    } catch (_) {
      // Trusted Types that allow no policy of ours.
    }
  }

  /** `window.webkit` appears with the first handler and stays. Its handlers can be neither replaced nor deleted by the
   * page, yet go when the host removes them: only a proxy can do that. */
  function defineNamespace() {
    if (namespaceDefined) return;
    namespaceDefined = true;
    try {
      const webkit = makeNamespace(handlers);
      /** @type {any} */
      const descriptor = { __proto__: null, get: () => (mapSize(handlers) > 0 ? webkit : undefined), enumerable: false, configurable: false };
      defineProperty(win, 'webkit', descriptor);
    } catch (_) {
      logError('PageBridge: the page has a window.webkit of its own; bridge.js must come before it.');
    }
  }

  /** @param {Handlers} map */
  function makeNamespace(map) {
    const found = (/** @type {any} */ name) => own(mapGet(map, name), 'handler');
    /** @type {any} */
    const traps = {
      __proto__: null,
      get: (/** @type {any} */ target, /** @type {any} */ name) => found(name) || reflectGet(target, name),
      has: (/** @type {any} */ target, /** @type {any} */ name) => found(name) !== undefined || name in target,
      set: () => false,
      defineProperty: () => false,
      deleteProperty: (/** @type {any} */ _, /** @type {any} */ name) => found(name) === undefined,
      setPrototypeOf: () => false,
      preventExtensions: () => false,
      ownKeys: () => knownNames(map),
      getOwnPropertyDescriptor: (/** @type {any} */ _, /** @type {any} */ name) => {
        const value = found(name);
        return value && { __proto__: null, value, writable: false, enumerable: false, configurable: true };
      },
    };
    const target = {};
    defineTag(target, 'UserMessageHandlersNamespace');
    const webkit = { messageHandlers: new Proxy(target, traps) };
    defineTag(webkit, 'WebKitNamespace');
    return freeze(webkit);
  }

  // ---- content worlds
  //
  // A page has one realm. Another world is a scope in it: a generator that evaluates inside a `with` whose object stands
  // for the world's window. The generator's own scope keeps `var` and functions between scripts, the object keeps what is
  // assigned to properties of `window`, and names that the page has added are not seen through it. The DOM, the built-in
  // objects and the page's own `let`, `const` and `class` are shared.

  /** @typedef {{ name: string, handlers: Handlers, window: any, webkit: any, scope: any }} World */

  /** @type {Map<string, World>} */
  const worlds = new Map();

  /** The names of the platform: what the window had before the page added its own. */
  const platformNames = (() => {
    /** @type {any} */
    const names = { __proto__: null };
    const all = getOwnPropertyNames(win);
    for (let i = 0; i < all.length; i++) names[all[i]] = true;
    return names;
  })();

  /** @param {any} name @returns {World | null} null for the page's world */
  function worldNamed(name) {
    if (typeof name !== 'string' || name === '') return null;
    const known = mapGet(worlds, name);
    if (known !== undefined) return known;
    /** @type {World} */
    const world = { name, handlers: new Map(), window: null, webkit: null, scope: null };
    world.window = new Proxy(/** @type {any} */ ({ __proto__: null }), worldTraps(world));
    mapSet(worlds, name, world);
    return world;
  }

  /** Whether a property of the window is the page's own, and so not the world's.
   * @param {any} key */
  const isPages = (key) =>
    key === 'webkit' || (typeof key === 'string' && hasOwn(win, key) && !platformNames[key] && !(+key >= 0));

  /** The accessor of a window's property, if it is one.
   * @param {any} key @returns {any} */
  function setterOf(key) {
    for (let object = win; object !== null; object = getPrototypeOf(object)) {
      const found = getOwnPropertyDescriptor(object, key);
      if (found) return own(found, 'set');
    }
    return undefined;
  }

  /** @param {World} world @returns {any} */
  function worldTraps(world) {
    /** Methods of the window as they are called on the world's: they want the window itself.
     * @type {Map<any, any>} */
    const methods = new Map();
    return {
      __proto__: null,
      get(/** @type {any} */ target, /** @type {any} */ key) {
        // The scope calls it, so it must be the true one.
        if (key === 'eval') return globalEval;
        if (hasOwn(target, key)) return target[key];
        switch (key) {
          case 'window':
          case 'self':
          case 'globalThis':
          case 'frames':
            return world.window;
          case 'top':
          case 'parent':
            return modern[key] === win ? world.window : modern[key];
          case 'webkit':
            return world.webkit === null || mapSize(world.handlers) === 0 ? undefined : world.webkit;
        }
        if (typeof key === 'symbol' || isPages(key)) return undefined;
        const value = reflectGet(win, key);
        if (typeof value !== 'function' || hasOwn(value, 'prototype')) return value;
        let method = mapGet(methods, value);
        if (method === undefined) mapSet(methods, value, (method = bind(value, win)));
        return method;
      },
      has: (/** @type {any} */ target, /** @type {any} */ key) =>
        hasOwn(target, key) || (typeof key === 'string' && slice(key, 0, 13) !== '__pagebridge_' &&
          (key === 'arguments' || key === 'webkit' || key === 'eval' || key in win)),
      set(/** @type {any} */ target, /** @type {any} */ key, /** @type {any} */ value) {
        if (!hasOwn(target, key) && !isPages(key) && setterOf(key) !== undefined) return reflectSet(win, key, value);
        const found = getOwnPropertyDescriptor(target, key);
        if (found !== undefined && weakHas(strictGetters, found.get)) return reflectSet(target, key, value);
        define(target, key, value, true);
        return true;
      },
      // `name in window` and enumeration go by the world's own properties.
      getOwnPropertyDescriptor: (/** @type {any} */ target, /** @type {any} */ key) => getOwnPropertyDescriptor(target, key),
    };
  }

  /** What a script has made by assigning to an undeclared name has become a property of the window: it is the world's.
   * @param {World} world @param {string[]} before the window's names before the script */
  function takeNewNames(world, before) {
    const after = getOwnPropertyNames(win);
    if (after.length === before.length) return;
    const old = new Set();
    for (let i = 0; i < before.length; i++) setAdd(old, before[i]);
    for (let i = 0; i < after.length; i++) {
      const found = setHas(old, after[i]) || +after[i] >= 0 ? undefined : getOwnPropertyDescriptor(win, after[i]);
      if (found === undefined || !found.configurable || !hasOwn(found, 'value')) continue;
      world.window[after[i]] = found.value;
      delete modern[after[i]];
    }
  }

  const WORLD_SOURCE =
    '(function*(__pagebridge_1){with(__pagebridge_1)for(;;)try{__pagebridge_1={value:eval(yield __pagebridge_1)}}' +
    'catch(__pagebridge_2){__pagebridge_1={error:__pagebridge_2}}})';

  /** Runs a text in a world, null for the page's, and gives its completion value.
   * @param {World | null} world @param {string} text @returns {any} */
  function runIn(world, text) {
    if (world === null) return run(text);
    if (world.scope === null) {
      world.scope = apply(run(WORLD_SOURCE), world.window, /** @type {any} */ ({ __proto__: null, length: 1, 0: world.window }));
      stepOf(world.scope);
    }
    const before = getOwnPropertyNames(win);
    const outcome = own(stepOf(world.scope, evalWay === 'trusted' ? trustedScript(text) : text), 'value');
    takeNewNames(world, before);
    if (hasOwn(outcome, 'error')) throw outcome.error;
    return own(outcome, 'value');
  }

  // ---- user scripts

  /** @type {any} scripts for the end of the document */
  let endScripts = null;
  let booted = false;
  /** Whether the host's script did not run. */
  let bootLost = false;
  let scriptWritten = false;
  let inlineWay = '';

  /** The host's bootstrap: the whole content of the one-time script.
   * @param {string} text */
  function boot(text) {
    if (booted) return;
    booted = true;
    const element = currentScriptOf(document);
    if (element !== null) removeElement(element);
    const config = parse(text);
    configure(config);
    carryOut(own(config, 'website'));
    begin();
    const scripts = own(config, 'scripts');
    if (!isArray(scripts)) return ready();
    let others = '';
    for (let i = 0; i < scripts.length; i++) {
      define(scripts[i], 'number', i + 1, true);
      if (own(scripts[i], 'mainFrameOnly') === true) continue;
      const time = own(scripts[i], 'time') === 'end' ? 'end' : 'start';
      others +=
        (others === '' ? '' : ',') + '{"time":"' + time + '","world":' + quote(ownText(scripts[i], 'world')) +
        ',"number":' + (i + 1) + ',"source":' + quote(ownText(scripts[i], 'source')) + '}';
    }
    scriptsText = '[' + others + ']';
    runUserScripts(scripts, scriptWritten && readyStateOf(document) === 'loading', ready);
  }

  /** What is to happen when the written user scripts have run. */
  let afterStart = () => {};

  /** Called by the last of them, and at the end of the document, whatever became of them. */
  function started() {
    const action = afterStart;
    afterStart = () => {};
    action();
  }

  /** @param {any[]} scripts @param {boolean} writes whether what is written now is parsed next
   * @param {() => void} then called once those for the start have run */
  function runUserScripts(scripts, writes, then) {
    if (evaluateSetting !== 'any') {
      if (scripts.length > 0) logWarning('PageBridge: user scripts do not run here (data-evaluate="' + evaluateSetting + '").');
      return then();
    }
    endScripts = scripts;
    if (writes) {
      const titles = findAll(document, 'title');
      const after = then;
      then = () => {
        dropTitles(titles);
        after();
      };
    }
    let written = '';
    for (let i = 0; i < scripts.length; i++) {
      if (own(scripts[i], 'time') !== 'end') written += runUserScript(scripts[i], writes);
    }
    if (written === '') {
      then();
    } else {
      afterStart = then;
      try {
        writeDocument(trustedHTML(written + scriptTag('started.js')));
      } catch (_) {
        logError("PageBridge: user scripts were blocked by the page's policy (trusted-types).");
        started();
      }
    }
    if (documentEnded()) runEndScripts();
  }

  /** In WebKit a document has no head yet when scripts for its start run, so the title that they set is none: it must not
   * stand before the page's own.
   * @param {any} before the titles of before they ran */
  function dropTitles(before) {
    const titles = findAll(document, 'title');
    for (let i = 0; i < titles.length; i++) {
      let known = false;
      for (let k = 0; k < before.length && !known; k++) known = before[k] === titles[i];
      if (!known) removeElement(titles[i]);
    }
  }

  function runEndScripts() {
    const scripts = endScripts;
    endScripts = null;
    if (scripts === null) return;
    for (let i = 0; i < scripts.length; i++) {
      if (own(scripts[i], 'time') === 'end') runUserScript(scripts[i], false);
    }
  }

  /** Whether DOMContentLoaded has been dispatched. */
  function documentEnded() {
    const state = readyStateOf(document);
    return state === 'complete' || (state === 'interactive' && navigationEntry('domContentLoadedEventStart') > 0);
  }

  /** The markup of a script that the relay serves.
   * @param {string} name */
  function scriptTag(name) {
    const marked = nonce === '' ? '' : ' nonce="' + nonce + '"';
    return '<script src="' + scriptBase + name + '" crossorigin="anonymous"' + marked + '></script>';
  }

  /** Runs a script of the host: in the page's world as a true global script, by a script element, inline or from the relay,
   * where the page's policy allows one.
   * @param {any} script @param {boolean} writes whether an element of the relay may be written
   * @returns {string} what is to be written */
  function runUserScript(script, writes) {
    const number = own(script, 'number');
    const named = ownText(script, 'source') + '\n//# sourceURL=pagebridge-user-' + number + '.js';
    const world = worldNamed(own(script, 'world'));
    if (world === null && mayInline()) {
      runInline(named, null);
    } else if (mayEvaluate()) {
      try {
        runIn(world, named);
      } catch (error) {
        reportException(error);
      }
    } else if (world !== null) {
      logError("PageBridge: a user script of a content world was blocked: the page's policy (script-src) forbids eval.");
    } else if (mayFetch()) {
      const name = 'user/' + scriptDocument + '.' + number + '.js';
      if (writes) return scriptTag(name);
      insertElement(scriptBase + name, () => logError('PageBridge: a user script could not be loaded from ' + relay + '.'), null);
    } else {
      logError("PageBridge: a user script was blocked by the page's policy (script-src).");
    }
    return '';
  }

  /** Runs a script of the relay behind those that were inserted before.
   * @param {string} address @param {() => void} lost @param {(() => void) | null} then */
  function insertElement(address, lost, then) {
    const element = createElement('script');
    element.async = false;
    listen(element, 'error', lost);
    if (then !== null) listen(element, 'load', then);
    try {
      setAttribute(element, 'crossorigin', 'anonymous');
      if (nonce !== '') setAttribute(element, 'nonce', nonce);
      setAttribute(element, 'src', trustedURL(address));
      appendChild(rootOf(document) || document, element);
    } catch (_) {
      lost();
    }
  }

  /** A blocked inline script throws nothing, so one that leaves a sign is tried first. */
  function mayInline() {
    if (inlineWay === '') {
      const element = runInline('document.currentScript.setAttribute("data-ran","")', null);
      inlineWay = getAttribute(element, 'data-ran') === null ? 'blocked' : 'allowed';
      if (inlineWay === 'blocked') provoked++;
    }
    return inlineWay === 'allowed';
  }

  /** @param {string} text @param {Attempt | null} mine whose script it is
   * @returns {HTMLScriptElement} */
  function runInline(text, mine) {
    const element = createElement('script');
    const outer = attempt;
    try {
      if (nonce !== '') setAttribute(element, 'nonce', nonce);
      setTextOf(element, trustedScript(text));
      if (mine !== null) {
        mine.element = element;
        attempt = mine;
      }
      appendChild(rootOf(document) || document, element);
      removeElement(element);
    } catch (_) {
      // Trusted Types that allow no policy of ours: the caller sees that nothing ran.
    } finally {
      attempt = outer;
    }
    return element;
  }

  // ---- schemes of the app
  //
  // What the app serves under a scheme of its own (`shop://host/path`) is content of the host. Pages may name it by the
  // app's address where they load something; the browser is given the served one.

  /** @type {Set<string>} */
  const schemes = new Set();
  let schemePrefix = '';
  let mapsSchemes = false;

  /** @param {any} names @param {string} owner the session whose host serves them */
  function learnSchemes(names, owner) {
    if (!isArray(names) || owner === '') return;
    for (let i = 0; i < names.length; i++) if (typeof names[i] === 'string') setAdd(schemes, names[i]);
    schemePrefix = relay + '/s/' + owner + '/_pagebridge/scheme/';
    if (names.length > 0 && !mapsSchemes) mapSchemes();
  }

  /** The address that the browser can load; other addresses stay as they are.
   * @param {any} url @returns {any} */
  function served(url) {
    const text = typeof url === 'string' ? trim(url) : url instanceof URL ? hrefOf(url) : '';
    const colon = indexOf(text, ':');
    if (colon < 1 || !setHas(schemes, lowerCase(slice(text, 0, colon)))) return url;
    let at = colon + 1;
    let host = '_';
    if (slice(text, at, at + 2) === '//') {
      const start = (at += 2);
      while (at < text.length && text[at] !== '/' && text[at] !== '?' && text[at] !== '#') at++;
      if (at > start) host = slice(text, start, at);
    }
    const rest = slice(text, at);
    return schemePrefix + lowerCase(slice(text, 0, colon)) + '/' + host + (rest[0] === '/' ? '' : '/') + rest;
  }

  /** What frames of the page apply too, as JSON text. */
  function frameSettings() {
    const kinds =
      (needsForAudio ? '"audio"' : '') + (needsForAudio && needsForVideo ? ',' : '') + (needsForVideo ? '"video"' : '');
    return (
      '{"schemes":[' + schemesText() + '],"mediaTypesRequiringUserActionForPlayback":[' + kinds +
      '],"allowsInlineMediaPlayback":' + (own(settings, 'allowsInlineMediaPlayback') === true) +
      ',"asksNavigation":' + (own(settings, 'asksNavigation') === true) + '}'
    );
  }

  /** The schemes as JSON text, without brackets. */
  function schemesText() {
    let text = '';
    setForEach(schemes, (/** @type {string} */ scheme) => {
      text += (text === '' ? '' : ',') + quote(scheme);
    });
    return text;
  }

  /** @param {string} text the candidates of a `srcset` @returns {string} */
  function servedSet(text) {
    let list = '';
    for (let at = 0; at <= text.length; ) {
      const comma = indexOf(text, ',', at);
      const end = comma < 0 ? text.length : comma;
      const part = trim(slice(text, at, end));
      const space = indexOf(part + ' ', ' ');
      list += (list === '' ? '' : ', ') + served(slice(part, 0, space)) + slice(part, space);
      at = end + 1;
    }
    return list;
  }

  const URL_ATTRIBUTES = ['src', 'href', 'srcset', 'poster', 'data', 'action', 'formaction'];

  /** @param {any} name @param {any} value @returns {any} */
  function servedAttribute(name, value) {
    const known = lowerCase('' + name);
    for (let i = 0; i < URL_ATTRIBUTES.length; i++) {
      if (URL_ATTRIBUTES[i] !== known) continue;
      return known === 'srcset' && typeof value === 'string' && hasScheme(value) ? servedSet(value) : served(value);
    }
    return value;
  }

  /** @param {string} text */
  function hasScheme(text) {
    let found = false;
    setForEach(schemes, (/** @type {string} */ scheme) => {
      if (indexOf(text, scheme + ':') >= 0) found = true;
    });
    return found;
  }

  /** Gives the browser the served addresses of an element and of those in it.
   * @param {any} node */
  function serveElement(node) {
    if (!(node instanceof Element)) return;
    for (let i = 0; i < URL_ATTRIBUTES.length; i++) {
      const value = getAttribute(node, URL_ATTRIBUTES[i]);
      if (value === null) continue;
      const mapped = servedAttribute(URL_ATTRIBUTES[i], value);
      if (mapped !== value) setAttribute(node, URL_ATTRIBUTES[i], mapped);
    }
    for (let child = firstElement(node); child !== null; child = nextElement(child)) serveElement(child);
  }

  /** From the first scheme on: addresses are mapped where scripts name them, and where markup does. */
  function mapSchemes() {
    mapsSchemes = true;
    const wrap = (/** @type {any} */ owner, /** @type {string} */ name, /** @type {(list: any) => void} */ change) => {
      const original = owner[name];
      const methods = {
        /** @this {any} */
        [name]() {
          change(arguments);
          return apply(original, this, arguments);
        },
      };
      owner[name] = methods[name];
    };
    wrap(win, 'fetch', (list) => {
      const input = list[0];
      if (!(input instanceof Request)) list[0] = served(input);
      else if (served(requestURL(input)) !== requestURL(input)) list[0] = new Request(served(requestURL(input)), input);
    });
    wrap(XMLHttpRequest.prototype, 'open', (list) => (list[1] = served(list[1])));
    wrap(Element.prototype, 'setAttribute', (list) => (list[1] = servedAttribute(list[0], list[1])));
    wrapSetter('HTMLImageElement', 'src');
    wrapSetter('HTMLImageElement', 'srcset');
    wrapSetter('HTMLSourceElement', 'src');
    wrapSetter('HTMLSourceElement', 'srcset');
    wrapSetter('HTMLMediaElement', 'src');
    wrapSetter('HTMLVideoElement', 'poster');
    wrapSetter('HTMLScriptElement', 'src');
    wrapSetter('HTMLLinkElement', 'href');
    wrapSetter('HTMLAnchorElement', 'href');
    wrapSetter('HTMLIFrameElement', 'src');
    wrapSetter('HTMLTrackElement', 'src');
    wrapSetter('HTMLFormElement', 'action');
    wrapSetter('HTMLObjectElement', 'data');
    const watch = (/** @type {MutationRecord[]} */ records) => {
      for (let i = 0; i < records.length; i++) {
        const { type, target, addedNodes } = records[i];
        if (type === 'attributes') serveElement(target);
        for (let j = 0; j < addedNodes.length; j++) serveElement(addedNodes[j]);
      }
    };
    new MutationObserver(watch).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: URL_ATTRIBUTES });
    serveElement(document.documentElement);
  }

  /** @param {string} type @param {string} name an attribute's property */
  function wrapSetter(type, name) {
    const prototype = modern[type].prototype;
    const found = /** @type {any} */ (getOwnPropertyDescriptor(prototype, name));
    if (!found || !found.set) return;
    const write = uncurry(found.set);
    const methods = {
      /** @this {any} @param {any} value */
      set(value) {
        write(this, servedAttribute(name, value));
      },
    };
    /** @type {any} */
    const descriptor = { __proto__: null, get: found.get, set: methods.set, enumerable: true, configurable: true };
    defineProperty(prototype, name, descriptor);
  }

  // ---- settings that the page itself applies

  const { userAgent } = win.navigator;
  const agentGetter = getOwnPropertyDescriptor(Navigator.prototype, 'userAgent');
  const activation = modern.navigator.userActivation;
  const activeOf = activation && getter(getPrototypeOf(activation), 'isActive');
  const playMedia = HTMLMediaElement.prototype.play;
  const pauseMedia = uncurry(HTMLMediaElement.prototype.pause);
  const mutedOf = getter(HTMLMediaElement.prototype, 'muted');
  const volumeOf = getter(HTMLMediaElement.prototype, 'volume');
  const eventTarget = getter(Event.prototype, 'target');
  const findAll = uncurry(Document.prototype.querySelectorAll);
  const computedStyle = win.getComputedStyle.bind(win);
  const sheetType = modern.CSSStyleSheet;
  const replaceSheet = sheetType && sheetType.prototype.replaceSync && uncurry(sheetType.prototype.replaceSync);

  /** Our style sheets: a constructed one needs no leave of the page's policy. */
  let rules = /** @type {any} */ (null);
  let base = /** @type {any} */ (null);

  /** @returns {any} a sheet of this document, null where the browser has none of that kind */
  function makeSheet() {
    try {
      return replaceSheet ? new sheetType() : null;
    } catch (_) {
      return null;
    }
  }

  /** Puts our sheets behind the page's, where they are not yet.
   * @param {any} sheet */
  function adopt(sheet) {
    const adopted = modern.document.adoptedStyleSheets;
    for (let i = 0; i < adopted.length; i++) if (adopted[i] === sheet) return;
    adopted[adopted.length] = sheet;
  }

  /** Applies what the host wishes of this page, at the start and when it changes. */
  function applySettings() {
    if (settings === null) return;
    applyAgent();
    applyMedia();
    if (!isMainFrame || kind === 'screen') return;
    const zoom = own(settings, 'pageZoom');
    // Browsers that go back by a swipe of their own are kept from it: with the app's leave it is done below, once.
    let text = ':root{overscroll-behavior-x:none}';
    if (own(settings, 'isScrollEnabled') === false) text += ':root{overflow:hidden!important;overscroll-behavior:none!important}';
    if (own(settings, 'bounces') === false) text += ':root{overscroll-behavior:none!important}';
    if (typeof zoom === 'number' && zoom > 0 && zoom !== 1) text += ':root{zoom:' + zoom + '}';
    setRules(text);
    applyBackground();
    watchSwipes();
  }

  let rulesText = '';

  /** @param {string} text */
  function setRules(text) {
    if (text === rulesText) return;
    rulesText = text;
    if (rules === null) rules = makeSheet();
    if (rules === null) return;
    replaceSheet(rules, text);
    adopt(rules);
  }

  let watchesBackground = false;

  /** What shows where the page paints nothing: white, or in a view that is not opaque the view's colour, or what is behind
   * it. A background that root or body have wins. */
  function applyBackground() {
    const isOpaque = own(settings, 'isOpaque') !== false;
    const color = ownText(settings, 'backgroundColor') || 'transparent';
    const wanted = !isOpaque ? color : win !== win.top ? 'Canvas' : '';
    if (wanted === '' && base === null) return;
    if (base === null) base = makeSheet();
    if (base === null || document.documentElement === null) return;
    adopt(base);
    base.disabled = true;
    const isPainted = paints(document.documentElement) || (document.body !== null && paints(document.body));
    replaceSheet(base, wanted === '' || isPainted ? '' : ':root{background-color:' + cssColor(wanted) + '}');
    base.disabled = false;
    if (watchesBackground) return;
    watchesBackground = true;
    const again = () => applyBackground();
    const observe = () => {
      again();
      const watch = new MutationObserver(again);
      const options = { attributes: true, attributeFilter: ['class', 'style'] };
      watch.observe(document.documentElement, options);
      if (document.body !== null) watch.observe(document.body, options);
    };
    if (readyStateOf(document) === 'complete') return observe();
    listen(document, 'DOMContentLoaded', again);
    listen(win, 'load', observe);
  }

  /** A colour may not end its rule.
   * @param {string} text */
  const cssColor = (text) => (indexOf(text, '}') < 0 && indexOf(text, ';') < 0 && indexOf(text, '{') < 0 ? text : 'transparent');

  /** @param {Element} element */
  function paints(element) {
    const { backgroundColor, backgroundImage } = computedStyle(element);
    return backgroundImage !== 'none' || (backgroundColor !== 'rgba(0, 0, 0, 0)' && backgroundColor !== 'transparent');
  }

  let agentText = '';

  /** `navigator.userAgent` as the app wants it; requests keep the browser's. */
  function applyAgent() {
    const name = ownText(settings, 'applicationName');
    const text = ownText(settings, 'customUserAgent') || (name === '' ? '' : userAgent + ' ' + name);
    if (text === agentText || !agentGetter) return;
    agentText = text;
    const methods = {
      get() {
        return agentText || userAgent;
      },
    };
    /** @type {any} */
    const descriptor = { __proto__: null, get: methods.get, set: undefined, enumerable: true, configurable: true };
    defineProperty(Navigator.prototype, 'userAgent', text === '' ? agentGetter : descriptor);
  }

  /** Elements that the user has started once: they need no gesture any more. */
  const startedByUser = new WeakSet();
  const wasStarted = uncurry(WeakSet.prototype.has);
  const noteStarted = uncurry(WeakSet.prototype.add);
  let needsForAudio = false;
  let needsForVideo = false;
  let holdsMedia = false;
  let watchesVideos = false;

  function applyMedia() {
    const kinds = own(settings, 'mediaTypesRequiringUserActionForPlayback');
    needsForAudio = needsForVideo = false;
    for (let i = 0; isArray(kinds) && i < kinds.length; i++) {
      if (kinds[i] === 'audio') needsForAudio = true;
      if (kinds[i] === 'video') needsForVideo = true;
    }
    if ((needsForAudio || needsForVideo) && !holdsMedia) holdMedia();
    if (own(settings, 'allowsInlineMediaPlayback') === true && !watchesVideos) watchVideos();
  }

  /** Whether an element may start now. Muted sound is no sound, a video is one muted or not.
   * @param {any} element */
  function mayPlay(element) {
    if (wasStarted(startedByUser, element)) return true;
    if (!activeOf || activeOf(activation)) {
      noteStarted(startedByUser, element);
      return true;
    }
    if (needsForVideo && element instanceof HTMLVideoElement) return false;
    return !(needsForAudio && !mutedOf(element) && volumeOf(element) > 0);
  }

  /** From now on media start by a gesture only, unless their kind needs none. */
  function holdMedia() {
    holdsMedia = true;
    const methods = {
      /** @this {any} */
      play() {
        if (this instanceof HTMLMediaElement && !mayPlay(this)) {
          return rejectPromise(
            Promise,
            new DOMException(
              'The request is not allowed by the user agent or the platform in the current context, possibly because the ' +
              'user denied permission.', 'NotAllowedError'
            )
          );
        }
        return apply(playMedia, this, /** @type {any} */ (arguments));
      },
    };
    HTMLMediaElement.prototype.play = methods.play;
    // What starts by its attribute is stopped before anybody hears of it.
    const started = (/** @type {any} */ event) => {
      const element = eventTarget(event);
      if (!(element instanceof HTMLMediaElement) || mayPlay(element)) return;
      stopEvent(event);
      pauseMedia(element);
    };
    listen(win, 'play', started, true);
    listen(win, 'playing', started, true);
  }

  /** A phone's browser plays a video in the page only if its element says so. */
  function watchVideos() {
    watchesVideos = true;
    const mark = () => {
      if (own(settings, 'allowsInlineMediaPlayback') !== true) return;
      const videos = findAll(document, 'video:not([playsinline])');
      for (let i = 0; i < videos.length; i++) setAttribute(videos[i], 'playsinline', '');
    };
    mark();
    new MutationObserver(mark).observe(document, { childList: true, subtree: true });
  }

  const SWIPE_EDGE = 24;
  const SWIPE_LENGTH = 80;
  let watchesSwipes = false;

  /** A finger that comes in from a side leads back or forward; in a viewer the mouse stands for the finger. */
  function watchSwipes() {
    if (watchesSwipes || own(settings, 'allowsBackForwardNavigationGestures') !== true) return;
    watchesSwipes = true;
    let startX = -1;
    let startY = 0;
    const begin = (/** @type {number} */ x, /** @type {number} */ y) => {
      const isAtEdge = x < SWIPE_EDGE || x > win.innerWidth - SWIPE_EDGE;
      startX = isAtEdge && own(settings, 'allowsBackForwardNavigationGestures') === true ? x : -1;
      startY = y;
    };
    const end = (/** @type {number} */ x, /** @type {number} */ y) => {
      const length = x - startX;
      const isFlat = abs(y - startY) * 2 < abs(length);
      const isFromLeft = startX < SWIPE_EDGE;
      if (startX < 0) return;
      startX = -1;
      if (isFlat && isFromLeft && length > SWIPE_LENGTH) goHistory(-1);
      if (isFlat && !isFromLeft && length < -SWIPE_LENGTH) goHistory(1);
    };
    const passive = { __proto__: null, capture: true, passive: true };
    listen(win, 'touchstart', (/** @type {any} */ event) => {
      if (event.touches.length === 1) begin(event.touches[0].clientX, event.touches[0].clientY);
      else startX = -1;
    }, passive);
    listen(win, 'touchend', (/** @type {any} */ event) => end(event.changedTouches[0].clientX, event.changedTouches[0].clientY), passive);
    listen(win, 'touchcancel', () => (startX = -1), passive);
    if (win === win.top) return;
    listen(win, 'pointerdown', (/** @type {any} */ event) => event.pointerType === 'mouse' && begin(event.clientX, event.clientY), passive);
    listen(win, 'pointerup', (/** @type {any} */ event) => event.pointerType === 'mouse' && end(event.clientX, event.clientY), passive);
  }

  // ---- website data
  //
  // What the browser keeps for this page's origin, as far as scripts reach it. What the bridge itself keeps stays.

  const OWN_KEYS = 'pagebridge:';

  /** @param {any} id @param {any} params */
  async function websiteData(id, params) {
    try {
      switch (own(params, 'action')) {
        case 'change':
          await pinned(carryOut(own(params, 'changes')));
          return reply(id, 'null');
        case 'cookies':
          return reply(id, placeText('cookies', await pinned(cookieList())));
        case 'fetch':
          return reply(id, placeText('types', await pinned(presentTypes(own(params, 'types')))));
      }
      replyError(id, CODE.badParams, 'unknown action');
    } catch (error) {
      replyError(id, CODE.other, messageOf(error));
    }
  }

  /** @param {string} name @param {string} list JSON text of an array */
  const placeText = (name, list) =>
    '{"host":' + quote(location.hostname) + ',"path":' + quote(location.pathname) + ',"' + name + '":' + list + '}';

  /** The names and values that `document.cookie` tells.
   * @param {(name: string, value: string) => void} visit */
  function eachCookie(visit) {
    const text = cookiesText();
    for (let at = 0; at < text.length; ) {
      const found = indexOf(text, '; ', at);
      const end = found < 0 ? text.length : found;
      const part = slice(text, at, end);
      const mark = indexOf(part, '=');
      visit(mark < 0 ? '' : slice(part, 0, mark), slice(part, mark + 1));
      at = end + 2;
    }
  }

  /** @returns {string} "" in a document that may have none */
  function cookiesText() {
    try {
      return cookiesOf(document);
    } catch (_) {
      return '';
    }
  }

  /** The cookies that scripts see, as JSON text. Where the browser tells more than name and value, so does this. */
  async function cookieList() {
    let list = '';
    const add = (/** @type {string} */ name, /** @type {string} */ value, /** @type {any} */ more) => {
      const expires = ownCount(more, 'expires');
      list +=
        (list === '' ? '' : ',') + '{"name":' + quote(name) + ',"value":' + quote(value) +
        (ownText(more, 'domain') === '' ? '' : ',"domain":' + quote(ownText(more, 'domain'))) +
        (ownText(more, 'path') === '' ? '' : ',"path":' + quote(ownText(more, 'path'))) +
        (expires === 0 ? '' : ',"expires":' + expires) + (own(more, 'secure') === true ? ',"secure":true' : '') + '}';
    };
    try {
      const known = allCookies ? await pinned(allCookies()) : null;
      if (known !== null) {
        for (let i = 0; i < known.length; i++) add(known[i].name || '', known[i].value || '', known[i]);
        return '[' + list + ']';
      }
    } catch (_) {
      // A document that may not ask this way.
    }
    list = '';
    eachCookie((name, value) => add(name, value, null));
    return '[' + list + ']';
  }

  /** @param {Storage | null} storage @returns {string[]} the page's keys */
  function pageKeys(storage) {
    /** @type {any} */
    const keys = [];
    let count = 0;
    const length = storage === null ? 0 : storageLength(storage);
    for (let i = 0; i < length; i++) {
      const key = storageKey(storage, i);
      if (slice(key, 0, OWN_KEYS.length) !== OWN_KEYS) define(keys, count++, key, true);
    }
    return keys;
  }

  /** @param {string} type @returns {Storage | null} null in a sandboxed frame */
  function storageNamed(type) {
    try {
      return type === 'localStorage' ? win.localStorage : win.sessionStorage;
    } catch (_) {
      return null;
    }
  }

  /** The names of what there is of a kind.
   * @param {any} type @returns {Promise<any>} an array */
  async function namesOf(type) {
    switch (type) {
      case 'cookies':
        return cookiesText() === '' ? [] : [''];
      case 'localStorage':
      case 'sessionStorage':
        return pageKeys(storageNamed(type));
      case 'indexedDB':
        return databases ? databases() : [];
      case 'fetchCache':
        return cacheNames ? cacheNames() : [];
      case 'serviceWorkers':
        return registrations ? registrations() : [];
      case 'fileSystem':
        return rootFolder && folderKeys ? fileNames(await pinned(rootFolder())) : [];
    }
    return [];
  }

  /** @param {any} folder @returns {Promise<string[]>} */
  async function fileNames(folder) {
    /** @type {any} */
    const names = [];
    const steps = folderKeys(folder);
    for (let count = 0; ; count++) {
      const step = await steps.next();
      if (step.done) return names;
      define(names, count, step.value, true);
    }
  }

  /** @param {any} types @returns {Promise<string>} JSON text of those of which there is something */
  async function presentTypes(types) {
    let list = '';
    for (let i = 0; isArray(types) && i < types.length; i++) {
      try {
        if ((await pinned(namesOf(types[i]))).length > 0) list += (list === '' ? '' : ',') + quote(String(types[i]));
      } catch (_) {
        // A kind that this document may not look at.
      }
    }
    return '[' + list + ']';
  }

  /** Carries out the host's changes: cookies and storages at once, the rest until the promise fulfils.
   * @param {any} changes */
  async function carryOut(changes) {
    const waiting = new Queue();
    for (let i = 0; isArray(changes) && i < changes.length; i++) {
      const cookie = own(changes[i], 'cookie');
      const visit = own(changes[i], 'visit');
      const types = own(changes[i], 'remove');
      if (typeof cookie === 'string') writeCookie(cookie);
      if (typeof visit === 'string' && isHostContent) {
        /** @type {any} */
        const options = { __proto__: null, cache: 'no-store', credentials: 'same-origin' };
        waiting.put(fetchURL(relay + visit, options));
      }
      for (let j = 0; isArray(types) && j < types.length; j++) waiting.put(removeType(types[j]));
    }
    while (waiting.first !== null) {
      try {
        await pinned(waiting.take());
      } catch (error) {
        logWarning('PageBridge: website data could not be changed: ' + messageOf(error));
      }
    }
  }

  /** @param {string} text */
  function writeCookie(text) {
    try {
      setCookies(document, text);
    } catch (_) {
      // A document without cookies.
    }
  }

  /** @param {any} type */
  async function removeType(type) {
    if (type === 'cookies') return removeCookies();
    if (type === 'localStorage' || type === 'sessionStorage') {
      const storage = storageNamed(type);
      const keys = pageKeys(storage);
      for (let i = 0; i < keys.length; i++) storageDrop(storage, keys[i]);
      return;
    }
    const names = await pinned(namesOf(type));
    for (let i = 0; i < names.length; i++) {
      if (type === 'indexedDB') await pinned(removeDatabase(names[i].name));
      if (type === 'fetchCache') await pinned(deleteCache(names[i]));
      if (type === 'serviceWorkers') await pinned(unregister(names[i]));
      if (type === 'fileSystem') await pinned(removeEntry(await pinned(rootFolder()), names[i], { __proto__: null, recursive: true }));
    }
  }

  /** A database that the page has open goes when the page lets go of it.
   * @param {string} name */
  const removeDatabase = (name) =>
    new Promise((resolve, reject) => {
      const request = deleteDatabase(name);
      request.onsuccess = request.onblocked = () => resolve(undefined);
      request.onerror = () => reject(request.error);
    });

  /** A cookie is removed under the path and domain that it was set for, which only some browsers tell. */
  async function removeCookies() {
    eachCookie((name) => {
      const gone = name + '=; Max-Age=0; Path=';
      const path = location.pathname;
      for (let end = 1; ; end++) {
        if (end === path.length || path[end] === '/' || end === 1 || path[end - 1] === '/') {
          expire(gone + slice(path, 0, end));
        }
        if (end >= path.length) break;
      }
    });
    if (!allCookies) return;
    const rest = await pinned(allCookies());
    for (let i = 0; i < rest.length; i++) {
      const domain = rest[i].domain;
      /** @type {any} */
      const cookie = { __proto__: null, name: rest[i].name, path: rest[i].path || '/' };
      if (domain) cookie.domain = domain;
      await pinned(deleteCookie(cookie));
    }
  }

  /** Removes a cookie of this host, and of each domain above it.
   * @param {string} text */
  function expire(text) {
    writeCookie(text);
    const host = location.hostname;
    for (let at = 0; at >= 0; at = indexOf(host, '.', at) + 1 || -1) writeCookie(text + '; Domain=' + slice(host, at));
  }

  let watchingCookies = false;

  /** Tells the host that cookies have changed, while it wants to know and where the browser tells. */
  function watchCookies() {
    if (watchingCookies || !cookieStore || own(settings, 'watchesCookies') !== true) return;
    watchingCookies = true;
    listen(cookieStore, 'change', () => {
      if (own(settings, 'watchesCookies') === true) enqueue('"method":"websiteData","params":{"changed":"cookies"}}', true);
    });
  }

  // ---- document state, navigation

  /** The values that the host was told last, as JSON text by name. */
  let told = /** @type {any} */ ({ __proto__: null });
  /** The names whose values have changed since. */
  let stale = /** @type {any} */ ({ __proto__: null });
  let begun = false;
  let finished = false;

  const STATE_NAMES = ['title', 'url', 'loading', 'progress', 'history', 'visibility', 'size', 'policy'];

  /** @param {string} name @returns {string} JSON text, "" if there is nothing to tell */
  function stateText(name) {
    switch (name) {
      case 'title':
        return quote(slice(titleOf(document), 0, 4096));
      case 'url':
        return quote(location.href);
      case 'loading':
        return finished ? 'false' : 'true';
      case 'progress':
        return finished ? '1' : readyStateOf(document) === 'loading' ? '0.3' : readyStateOf(document) === 'interactive' ? '0.6' : '0.9';
      case 'history':
        return historyText('');
      case 'visibility':
        return visibilityOf(document) === 'visible' ? '"visible"' : '"hidden"';
      case 'size':
        return '{"width":' + widthOf(win) + ',"height":' + heightOf(win) + '}';
      default:
        return kind === 'screen' ? '' : '"' + policyName() + '"';
    }
  }

  /** @param {string} name */
  function stateChanged(name) {
    if (!begun) return;
    stale[name] = true;
    if (link.synced) flushState();
  }

  /** Tells the host what has changed. While no host is there changes gather, so that a long absence costs nothing. */
  function flushState() {
    let text = '';
    for (let i = 0; i < STATE_NAMES.length; i++) {
      const name = STATE_NAMES[i];
      if (!stale[name]) continue;
      const value = stateText(name);
      if (value === '' || told[name] === value) continue;
      told[name] = value;
      text += (text === '' ? '' : ',') + '"' + name + '":' + value;
    }
    stale = { __proto__: null };
    if (text !== '') enqueue('"method":"state","params":{' + text + '}}', true);
  }

  /** @param {string} phase @param {string} url @param {string} type @param {string} [more] JSON text of further members */
  function tellNavigation(phase, url, type, more) {
    const params = '{"phase":"' + phase + '","url":' + quote(url) + ',"type":"' + type + '"' + (more || '') + '}';
    enqueue('"method":"navigation","params":' + params + '}', true);
  }

  /** @param {string} name @returns {any} a member of the entry that describes how this document was reached */
  function navigationEntry(name) {
    try {
      return /** @type {any} */ (win.performance.getEntriesByType('navigation')[0])[name];
    } catch (_) {
      return undefined;
    }
  }

  const arrivedBy = navigationEntry('type');

  function navigationType() {
    return arrivedBy === 'reload' || arrivedBy === 'back_forward' ? arrivedBy : 'other';
  }

  /** The document's first messages: it is there, and this is what it looks like. */
  function begin() {
    if (begun) return;
    begun = true;
    if (!navigation) placeInHistory(arrivedBy);
    const activation = navigation && navigation.activation;
    const replaces = activation && activation.navigationType === 'replace' ? ',"replace":true' : '';
    const status = navigationEntry('responseStatus');
    present(
      navigationType(),
      ',"redirects":' + (countText(navigationEntry('redirectCount')) || '0') +
      (status > 0 ? ',"status":' + countText(status) : '') +
      ',"mimeType":' + quote(String(document.contentType)) + ',"history":' + historyText(replaces)
    );
  }

  /** @param {string} type how the document has come @param {string} more JSON text of further members */
  function present(type, more) {
    tellNavigation('committed', location.href, type, more);
    told = { __proto__: null };
    for (let i = 0; i < STATE_NAMES.length; i++) stale[STATE_NAMES[i]] = true;
    flushState();
    if (finished) tellNavigation('finished', location.href, type);
  }

  // The place in the tab's history. Engines with the Navigation API name each entry. For the others it is told by addresses and
  // by how many entries there are: an estimate, kept in the tab's storage as {"index","length","entries":[[key,url],...]}.

  let entryKey = '';

  /** @param {string} more JSON text of further members @returns {string} */
  function historyText(more) {
    const entry = navigation && navigation.currentEntry;
    if (entry) entryKey = entry.key;
    const back = navigation ? !!canGoBack(navigation) : historyLength(history) > 1;
    const forward = navigation ? !!canGoForward(navigation) : false;
    return '{"back":' + back + ',"forward":' + forward + ',"key":' + quote(entryKey) + more + '}';
  }

  /** @param {string | undefined} how reload, back_forward, replace, move within the document, or a new entry */
  function placeInHistory(how) {
    let known;
    try {
      known = parse(recall('history'));
    } catch (_) {
      known = undefined;
    }
    const entries = isArray(own(known, 'entries')) ? own(known, 'entries') : [];
    const url = location.href;
    const count = entries.length;
    const last = count - 1;
    let index = ownCount(known, 'index');
    if (index > last) index = last;
    let place = -1;
    if (count > 0 && (how === 'reload' || how === 'replace')) place = index;
    const grown = history.length > ownCount(known, 'length');
    if (how === 'move' && own(entries[index], '1') === url) place = index;
    else if (how === 'back_forward' || (how === 'move' && !grown)) {
      // The nearest entry with this address.
      for (let far = 1; far <= count && place < 0; far++) {
        if (own(entries[index - far], '1') === url) place = index - far;
        else if (own(entries[index + far], '1') === url) place = index + far;
      }
      if (place < 0 && count > 0) place = index;
    }
    // A document that took the place of the last one left the count as it was.
    if (how === 'navigate' && count > 0 && index === last && !grown) place = index;
    const kept = place < 0 ? index + 1 : count;
    if (place < 0) place = kept;
    entryKey = place < count && place < kept ? ownText(entries[place], '0') : randomText(8);
    let text = '';
    for (let i = 0; i < kept || i === place; i++) {
      const key = i === place ? entryKey : ownText(entries[i], '0');
      const address = i === place ? url : ownText(entries[i], '1');
      text += (i === 0 ? '' : ',') + '[' + quote(key) + ',' + quote(address) + ']';
    }
    remember('history', '{"index":' + place + ',"length":' + history.length + ',"entries":[' + text + ']}');
  }

  /** When the parser last added something. */
  let progressed = now();
  let brokenOff = false;

  /** Chromium leaves a document whose transfer was cut as it is, loading for ever, and tells the page nothing: only the
   * parser's silence shows it.
   * @param {number} time */
  function watchLoading(time) {
    if (finished || brokenOff || !begun || readyStateOf(document) !== 'loading') return;
    if (time - progressed < 1000 * (ownCount(settings, 'loadTimeout') || LOAD_TIMEOUT)) return;
    breakOff(CODE.timedOut, 'The request timed out.');
  }

  /** Firefox shows a document whose transfer was cut without ever finishing it. */
  function watchShow() {
    if (!finished && !brokenOff && begun && readyStateOf(document) !== 'complete') {
      breakOff(CODE.connectionLost, 'The network connection was lost.');
    }
  }

  /** @param {number} code @param {string} message */
  function breakOff(code, message) {
    brokenOff = true;
    tellNavigation('failed', location.href, navigationType(), ',"error":{"code":' + code + ',"message":' + quote(message) + '}');
  }

  function documentFinished() {
    if (finished) return;
    finished = true;
    // Behind those that the page has registered by now.
    listen(win, 'pagehide', closeLeaving);
    if (!begun) return;
    stateChanged('loading');
    stateChanged('progress');
    stateChanged('title');
    if (!link.synced) flushState();
    tellNavigation('finished', location.href, navigationType());
  }

  /** Counts what the host wants to load, so that a newer wish ends an older one. */
  let loads = 0;
  /** The number of the host's newest wish: one that comes twice, with a document and with its heir, is one. */
  let newestWish = 0;

  /** @param {number} number of a wish of the host, 0 if it has none @returns {boolean} whether it is a new one */
  function isNewWish(number) {
    if (number !== 0 && number <= newestWish) return false;
    if (number !== 0) newestWish = number;
    loads++;
    return true;
  }

  /** @param {number} number @returns {string} JSON text of a further member */
  const wishText = (number) => (number === 0 ? '' : ',"navigation":' + number);

  /** Whether a load of the host has been begun, as long as nobody stopped it. */
  let departing = false;

  /** Leaves for another page. The address is tried first, so that a dead port fails the navigation and the page stays; not
   * where the page was left before with the host's wish unfulfilled.
   * @param {any} params @param {number} number */
  async function load(params, number) {
    if (!isNewWish(number)) return;
    const mine = loads;
    // What an earlier wish has begun must not come in while this one is looked at.
    if (departing) stopPage();
    departing = false;
    const url = ownText(params, 'url');
    const wish = wishText(number);
    let target;
    try {
      target = new URL(url, location.href);
    } catch (_) {
      const error = wish + ',"error":{"code":' + CODE.unsupportedURL + ',"message":"unsupported URL"}';
      tellNavigation('failed', url, 'other', error);
      return;
    }
    const href = addressOf(target);
    const protocol = protocolOf(target);
    const fragment = fragmentOf(target);
    const isWeb = protocol === 'http:' || protocol === 'https:';
    if (own(params, 'again') !== true && isWeb && !(location.protocol === 'https:' && protocol === 'http:')) {
      if (!(await pinned(answers(href)))) {
        if (mine !== loads) return;
        const error = isOnline(win.navigator)
          ? wish + ',"error":{"code":' + CODE.cannotConnect + ',"message":"Could not connect to the server."}'
          : wish + ',"error":{"code":' + CODE.notConnected + ',"message":"The Internet connection appears to be offline."}';
        tellNavigation('failed', href, 'other', error);
        return;
      }
      if (mine !== loads) return;
    }
    if (href === location.href && fragment !== '') return leave(href, 'reload', reloadPage, wish);
    const go = () => {
      departing = location.href !== href || fragment === '';
      if (own(params, 'replace') === true) replacePage(href);
      else assignPage(href);
    };
    leave(href, 'other', go, wish);
    // Nothing is loaded where only the fragment differs.
    if (location.href === href && fragment !== '') {
      passUntil = 0;
      tellNavigation('finished', href, 'other', wish);
    }
  }

  /** Whether a server answers at an address, whatever it says. A policy of this page that forbids asking is no answer.
   * @param {string} url @returns {Promise<boolean>} */
  async function answers(url) {
    let forbidden = false;
    const note = () => {
      forbidden = true;
    };
    listen(document, 'securitypolicyviolation', note, { __proto__: null, once: true });
    const waiting = new Promise((resolve) => setTimer(() => resolve(true), LOAD_PROBE_WAIT));
    try {
      /** @type {any} */
      const options = { __proto__: null, method: 'HEAD', mode: 'no-cors', credentials: 'omit', cache: 'no-store' };
      const asking = fetchURL(url, options);
      await pinned(firstOf(asking, waiting));
      return true;
    } catch (_) {
      // The violation's event may follow the failure.
      await pinned(new Promise((resolve) => setTimer(resolve, VIOLATION_WAIT)));
      return forbidden;
    }
  }

  /** @param {Promise<any>} one @param {Promise<any>} other @returns {Promise<any>} */
  function firstOf(one, other) {
    return new Promise((resolve, reject) => {
      const settle = async (/** @type {Promise<any>} */ promise) => {
        try {
          resolve(await pinned(promise));
        } catch (error) {
          reject(error);
        }
      };
      settle(one);
      settle(other);
    });
  }

  /** @param {number} number */
  function reload(number) {
    if (isNewWish(number)) leave(location.href, 'reload', reloadPage, wishText(number));
  }

  function stopLoading() {
    loads++;
    departing = false;
    stopPage();
  }

  // Leaving. The host is told, and asked first if it wants to be. Engines with the Navigation API see every way out, the
  // others links and forms. Moving in the history cannot be stopped.

  /** Until when the next navigation is one that was told already: a form is submitted in a later task. */
  let passUntil = 0;
  /** Whether a form is being submitted once more, which the page has seen before. */
  let resubmitting = false;

  /** @param {string} url @param {string} type @param {() => void} go @param {string} more JSON text of further members */
  function leave(url, type, go, more) {
    passUntil = now() + PASS_TIME;
    tellLeaving(url, type, more);
    go();
  }

  const POST = ',"method":"POST"';

  /** @param {string} url @param {string} type @param {string} more JSON text of further members */
  function tellLeaving(url, type, more) {
    // The host follows the page, not its frames.
    if (joined !== null) return;
    // A document that came by a form's POST is one to submit again when it is reloaded.
    if (more === POST) remember('post', withoutFragment(url));
    else if (type !== 'reload' && type !== 'form_again') remember('post', '');
    tellNavigation('started', url, type, more);
  }

  /** Tells that the document is being left, unless the page or the host prevents it.
   * @param {any} event null where the page calls a method instead: then this leaves
   * @param {string} url @param {string} type
   * @param {(() => void) | null} go leaves after all; null if only the browser can
   * @param {string} more JSON text of further members */
  function leavingBy(event, url, type, go, more) {
    if (passUntil > now()) {
      passUntil = 0;
      if (event === null && go !== null) go();
      return;
    }
    if (go === null || !(joined === null ? mayAsk : joined.mayAsk)() || (event !== null && event.defaultPrevented)) {
      if (event === null && go !== null) leave(url, type, go, more);
      else later(() => event.defaultPrevented || tellLeaving(url, type, more));
      return;
    }
    const mine = ++loads;
    if (event !== null) preventEvent(event);
    const asking =
      '{"phase":"asked","url":' + quote(url) + ',"type":"' + type + '"' + more + (joined === null ? '' : ',"frame":' + frameText()) + '}';
    (joined === null ? askNavigation : joined.askNavigation)(asking, (/** @type {boolean} */ allowed) => {
      if (mine === loads && allowed) leave(url, type, go, more);
    });
  }

  /** @returns {boolean} whether the host wants to be asked, and is there */
  const mayAsk = () => own(settings, 'asksNavigation') === true && link.synced;

  /** Asks for this document, or for a frame in it, which may be gone when the answer comes.
   * @param {string} params JSON text @param {(allowed: boolean) => void} then */
  function askNavigation(params, then) {
    ask('navigation', params, (answer) => callSafely(then, own(answer, 'result') !== 'cancel'));
  }

  /** @param {any} event a NavigateEvent */
  function navigating(event) {
    const { navigationType, destination, sourceElement, formData } = event;
    if (destination.sameDocument || event.hashChange || typeof event.downloadRequest === 'string') return;
    const url = destination.url;
    // Nobody but the element can lead there.
    if (url === 'about:srcdoc') return;
    if (navigationType === 'traverse') return leavingBy(event, url, 'back_forward', null, '');
    if (navigationType === 'reload') {
      const isPosted = joined === null && recall('post') === withoutFragment(url);
      return leavingBy(event, url, isPosted ? 'form_again' : 'reload', reloadPage, '');
    }
    const form = isInstance(HTMLFormElement, sourceElement) ? sourceElement : (sourceElement && sourceElement.form) || null;
    const type = form || formData ? 'form' : sourceElement ? 'link' : 'other';
    let go = () => (navigationType === 'replace' ? replacePage(url) : assignPage(url));
    if (formData) go = () => submitAgain(form, sourceElement);
    leavingBy(event, url, type, event.cancelable && !(formData && form === null) ? go : null, formData ? POST : '');
  }

  /** @param {HTMLFormElement} form @param {any} submitter */
  function submitAgain(form, submitter) {
    if (!submitter || submitter === form) return submitForm(form);
    resubmitting = true;
    try {
      requestSubmit(form, submitter);
    } finally {
      resubmitting = false;
    }
  }

  /** @param {string} url */
  const withoutFragment = (url) => slice(url, 0, indexOf(url + '#', '#'));

  /** @param {any} event */
  function clicked(event) {
    const path = event.composedPath();
    for (let i = 0; i < path.length; i++) {
      const link = path[i];
      if (!isInstance(HTMLAnchorElement, link) || !link.href) continue;
      const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
      const here = link.target === '' || link.target === '_self';
      const url = link.href;
      const sameDocument = link.hash !== '' && withoutFragment(url) === withoutFragment(location.href);
      if (!plain || !here || sameDocument || link.hasAttribute('download') || link.protocol === 'javascript:') return;
      return leavingBy(event, url, 'link', () => assignPage(url), '');
    }
  }

  /** @param {HTMLFormElement} form */
  const isPost = (form) => lowerCase(getAttribute(form, 'method') || '') === 'post';

  /** @param {any} event */
  function submitted(event) {
    const form = event.target;
    if (form.target !== '' && form.target !== '_self') return;
    leavingBy(event, form.action, 'form', () => submitAgain(form, event.submitter), isPost(form) ? POST : '');
  }

  /** `form.submit()` fires no event. */
  function watchSubmit() {
    HTMLFormElement.prototype.submit = function () {
      const form = this;
      const target = getAttribute(form, 'target') || '';
      if (target !== '' && target !== '_self') return submitForm(form);
      const url = new URL(getAttribute(form, 'action') || location.href, document.baseURI).href;
      leavingBy(null, url, 'form', () => submitForm(form), isPost(form) ? POST : '');
    };
  }

  function watchLeaving() {
    // Registered first of all: the page's handlers have seen this submission already.
    listen(win, 'submit', submittedAgain, true);
    if (navigation) {
      listen(navigation, 'navigate', navigating);
    } else {
      listen(win, 'click', clicked);
      listen(win, 'submit', submitted);
    }
  }

  /** @param {any} event */
  function submittedAgain(event) {
    if (resubmitting) stopEvent(event);
  }

  function watchDocument() {
    watchLeaving();
    if (!navigation) watchSubmit();
    const changed = (/** @type {string} */ name) => () => stateChanged(name);
    const mutated = () => {
      progressed = now();
      stateChanged('title');
    };
    new MutationObserver(mutated).observe(rootOf(document), { childList: true, characterData: true, subtree: true });
    const moved = (/** @type {string} */ how) => () => {
      if (!navigation) placeInHistory(how);
      stateChanged('url');
      stateChanged('history');
    };
    listen(win, 'popstate', moved('move'));
    listen(win, 'hashchange', moved('move'));
    if (navigation) {
      listen(navigation, 'currententrychange', moved(''));
    } else {
      watchHistory('pushState', moved('push'));
      watchHistory('replaceState', moved('replace'));
    }
    listen(document, 'readystatechange', changed('progress'));
    listen(document, 'visibilitychange', () => {
      if (presenting) return;
      stateChanged('visibility');
      // Behind pagehide, where a listener of the page may have stopped the others.
      closeLeaving();
      if (visibilityOf(document) === 'visible') probe();
    });
    listen(win, 'resize', changed('size'));
    afterOthers('DOMContentLoaded', () => {
      if (scriptWritten) bootFailed();
      started();
      runEndScripts();
    });
    if (readyStateOf(document) === 'complete') documentFinished();
    else listen(win, 'load', () => later(documentFinished));
  }

  /** Acts behind the page's own listeners of one event of the window.
   * @param {string} type @param {() => void} action */
  function afterOthers(type, action) {
    const once = { __proto__: null, once: true };
    listen(win, type, () => listen(win, type, action, once), { __proto__: null, once: true, capture: true });
  }

  /** @param {'pushState' | 'replaceState'} name @param {() => void} then */
  function watchHistory(name, then) {
    const original = History.prototype[name];
    History.prototype[name] = function () {
      apply(original, this, arguments);
      then();
    };
  }

  function closeLeaving() {
    if (!leaving) return;
    const old = socket;
    socket = null;
    if (old !== null && socketState(old) < 2) socketClose(old, CLOSE.leaving, 'leaving');
    dropSocket();
  }

  function watchPage() {
    // First of all listeners, so that no other one keeps it from running; the socket goes behind what they post.
    listen(win, 'pagehide', () => {
      flushState();
      leaving = true;
      pump();
      if (!finished) closeLeaving();
      if (session === '') return;
      remember('leave', documentId);
      carry.texts = 0;
      carry.through = 0;
      carry.room = CARRY_CHARACTERS;
      carry.lost = 0;
      leaveMessages();
    }, true);
    listen(win, 'pageshow', (/** @type {PageTransitionEvent} */ event) => {
      if (!eventPersisted(event)) return watchShow();
      leaving = false;
      if (state === 'closed') return;
      remember('leave', '');
      takes = 'returns';
      attempts = 0;
      takeMessages();
      if (!navigation) placeInHistory('back_forward');
      if (begun) present('back_forward', ',"history":' + historyText(''));
      connect();
    });
    listen(win, 'online', probe);
    listen(document, 'resume', probe);
    listen(win, 'error', noteError, true);
    listen(win, 'securitypolicyviolation', noteViolation, true);
    lastTick = now();
    setTimer(watch, 3000);
  }

  // ---- visibility

  let hiddenByHost = false;
  let presenting = false;

  /** Shows the page that it is hidden, because the app on whose screen it is has left the front, or no longer so: the browser
   * itself only knows of its tabs. What the host is told stays what the browser knows.
   * @param {boolean} hidden */
  function presentHidden(hidden) {
    if (hidden === hiddenByHost) return;
    hiddenByHost = hidden;
    if (hidden) {
      showAs('hidden', true);
      showAs('visibilityState', 'hidden');
    } else {
      delete (/** @type {any} */ (document).hidden);
      delete (/** @type {any} */ (document).visibilityState);
    }
    if (visibilityOf(document) !== 'visible') return;
    presenting = true;
    /** @type {any} */
    const options = { __proto__: null, bubbles: true };
    dispatch(document, new NewEvent('visibilitychange', options));
    presenting = false;
  }

  /** @param {string} name @param {unknown} value */
  function showAs(name, value) {
    /** @type {any} */
    const descriptor = { __proto__: null, configurable: true, get: () => value };
    defineProperty(document, name, descriptor);
  }

  // ---- the page's interface

  /** @type {any} */
  let onscreen = null;
  const screenQueue = new Queue();

  /** What the host says to a screen waits until the screen listens.
   * @param {any} params */
  function screenMessage(params) {
    if (kind !== 'screen') return;
    screenQueue.put(params);
    deliverScreen();
  }

  function deliverScreen() {
    while (typeof onscreen === 'function' && screenQueue.first !== null) callSafely(onscreen, screenQueue.take());
  }

  function definePageInterface() {
    const api = {
      version: VERSION,
      register,
      get session() {
        return session === '' ? null : session;
      },
      get state() {
        return state;
      },
      get delivery() {
        return deliveryState();
      },
      /** @param {string} type @param {any} listener */
      addEventListener(type, listener) {
        if (type !== 'state') return;
        for (let each = stateListeners; each !== null; each = each.next) if (each.listener === listener) return;
        stateListeners = { listener, next: stateListeners };
      },
      /** @param {string} type @param {any} listener */
      removeEventListener(type, listener) {
        if (type !== 'state') return;
        /** @type {any} */
        let kept = null;
        for (let each = stateListeners; each !== null; each = each.next) {
          if (each.listener !== listener) kept = { listener: each.listener, next: kept };
        }
        stateListeners = kept;
      },
      get onscreen() {
        return onscreen;
      },
      set onscreen(listener) {
        onscreen = listener;
        deliverScreen();
      },
    };
    define(win, '__pagebridge__', freeze({ boot, frame: joinFrame, began, ended, value: takeValue, keep: keepVariables, started }), false);
    define(win, 'pagebridge', freeze(api), false);
  }

  // ---- start

  /** The ticket that a host put into the fragment: it is taken out before the page sees it.
   * @returns {string} */
  function takeTicket() {
    const hash = location.hash;
    const at = hash.lastIndexOf('pagebridge=');
    if (at < 1 || (hash[at - 1] !== '&' && at !== 1)) return '';
    const ticket = slice(hash, at + 11);
    if (ticket[33] !== '.' || !isBase64URL(slice(ticket, 0, 33), 33) || !isBase64URL(slice(ticket, 34), 22)) return '';
    const bare = slice(location.href, 0, location.href.length - hash.length) + (at > 1 ? slice(hash, 0, at - 1) : '');
    try {
      replaceState(history.state, '', bare);
    } catch (_) {
      // A document without an address of its own keeps its fragment.
    }
    return ticket;
  }

  /** Asks the relay for a session, before the parser goes on.
   * @param {string} ticket @param {string} right why this document may take the session over
   * @returns {any} the relay's answer, null if there is none, false if ticket or key were refused */
  function attach(ticket, right) {
    const body =
      '{"app":' + quote(app) + ',"document":' + quote(documentId) + ',"url":' + quote(slice(location.href, 0, 8192)) +
      ',"client":' + clientText() +
      (ticket === '' && session !== '' ? ',"session":' + quote(session) + ',"key":' + quote(sessionKey) : '') +
      (right !== '' ? ',"takes":"' + right + '"' : '') +
      (ticket !== '' ? ',"ticket":' + quote(ticket) : '') + '}';
    try {
      const request = new XMLHttpRequest();
      request.open('POST', relay + '/attach?app=' + encodeURIComponent(app), false);
      request.setRequestHeader('Content-Type', 'text/plain;charset=UTF-8');
      request.send(body);
      if (request.status === 403 && (ticket !== '' || session !== '')) return false;
      const answer = parse(request.responseText);
      if (request.status === 200) return answer;
      logWarning('PageBridge: the relay refused the page: ' + ownText(own(answer, 'error'), 'message'));
    } catch (_) {
      logWarning('PageBridge: no answer from ' + relay + '/attach; the page goes on without its host for now.');
    }
    return null;
  }

  /** Attaches by the best right that this document has: a ticket, else the key that the tab holds, else none. */
  function attachByRight() {
    const ticket = takeTicket();
    const mark = recall('leave');
    remember('leave', '');
    // Copies and crashed tabs have no part in it.
    if (mark === '') forgetMessages();
    let answer = ticket === '' ? false : attach(ticket, 'replaces');
    if (answer !== false) return answer;
    session = recall('session');
    sessionKey = recall('key');
    if (session !== '' && sessionKey !== '') {
      answer = attach('', mark === '' ? 'claim' : 'replaces');
      // Unanswered, the right to take the session over goes on to the document that tries next.
      if (answer === null && mark !== '') remember('leave', documentId);
      if (answer !== false) return answer;
    }
    forgetSession();
    return attach('', '');
  }

  /** Whether this script was the parser's, which has waited for it: what it writes is parsed next. */
  function isFirst() {
    return currentScript !== null && !currentScript.async && !currentScript.defer && readyStateOf(document) === 'loading';
  }

  /** Writes the one-time script behind this one, so that it runs before the page's next script.
   * @param {string} path */
  function writeScript(path) {
    const url = relay + path;
    if (isFirst()) {
      const marked = nonce === '' ? '' : ' nonce="' + nonce + '"';
      try {
        writeDocument(trustedHTML('<script src="' + url + '"' + marked + '></script>'));
        scriptWritten = document.querySelector('script[src="' + url + '"]') !== null;
        if (scriptWritten) return;
      } catch (_) {
        // An XML document, or Trusted Types without our policy.
      }
    }
    logWarning(
      'PageBridge: bridge.js must be a plain script element in <head>, without async, defer or type="module". The bridge ' +
      'comes late in this document: scripts of the page may run before it.'
    );
    insertScript(path);
  }

  /** @param {string} path */
  function insertScript(path) {
    insertElement(relay + path, bootFailed, null);
  }

  /** The one-time script did not run: the page's policy forbids it, or it was lost. The host may talk all the same. */
  function bootFailed() {
    if (booted) return;
    booted = true;
    bootLost = true;
    logError("PageBridge: the host's script did not run; does the page's policy (script-src) allow " + relay + '?');
    ready();
  }

  function start() {
    definePageInterface();
    if (kind === 'page') defineDialogs();
    watchPage();
    const answer = attachByRight();
    const id = ownText(answer, 'session');
    const script = ownText(answer, 'script');
    watchDocument();
    if (id !== '' && script !== '') {
      keepSession(id, ownText(answer, 'key'));
      takeMessages();
      connect();
      writeScript(script);
    } else {
      // No host, or no answer: the page goes on without `webkit`, and waits.
      session = '';
      sessionKey = '';
      connect();
    }
  }

  if (isMainFrame) start();
  else startFrame();
})(null);
