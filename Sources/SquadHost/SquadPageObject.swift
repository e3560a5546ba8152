/// The page's side of the bridge: `window.squadBridge`, made in each document before its first script.
///
/// - `postMessage(message)` gives the message to the app.
/// - `handleNativeMessage(message)` takes a message of the app. It hands it to all listeners, or keeps it for the first one.
///   A function that the page assigns to this name becomes a listener, as does that of an object that the page assigns to
///   `window.squadBridge`: pages written for the published bridge do either, and lose nothing.
/// - `addListener(listener)`, `removeListener(listener)`.
enum SquadPageObject {
  static let name = "squadBridge"

  static let script = """
    (() => {
      'use strict';
      const LIMIT = \(SquadLimits.waitingMessages);
      /** @type {unknown[]} */
      let waiting = [];
      /** @type {((message: unknown) => void)[]} */
      let listeners = [];
      /** @type {((message: unknown) => void) | null} */
      let assigned = null;

      const deliver = (message) => {
        let failed = false;
        let failure;
        for (const listener of listeners.slice()) {
          try {
            listener(message);
          } catch (error) {
            if (!failed) failure = error;
            failed = true;
          }
        }
        if (failed) throw failure;
      };
      const handleNativeMessage = (message) => {
        if (listeners.length > 0) {
          deliver(message);
          return 'delivered';
        }
        if (waiting.length >= LIMIT) throw new RangeError('more than ' + LIMIT + ' messages wait for a listener');
        waiting.push(message);
        return 'queued';
      };
      const addListener = (listener) => {
        if (typeof listener !== 'function') throw new TypeError('a listener is a function');
        if (!listeners.includes(listener)) listeners.push(listener);
        const kept = waiting;
        waiting = [];
        for (const message of kept) {
          // A listener that throws ends neither the page's script nor the messages behind.
          try {
            deliver(message);
          } catch (error) {
            reportError(error);
          }
        }
      };
      const removeListener = (listener) => {
        listeners = listeners.filter((each) => each !== listener);
      };
      const assign = (listener) => {
        if (assigned !== null) removeListener(assigned);
        assigned = typeof listener === 'function' && listener !== handleNativeMessage ? listener : null;
        if (assigned !== null) addListener(assigned);
      };
      const object = Object.defineProperties({}, {
        postMessage: {
          enumerable: true,
          value: (message) => window.webkit.messageHandlers.\(name).postMessage(message),
        },
        handleNativeMessage: { enumerable: true, get: () => handleNativeMessage, set: assign },
        addListener: { enumerable: true, value: addListener },
        removeListener: { enumerable: true, value: removeListener },
      });
      Object.defineProperty(window, '\(name)', {
        enumerable: true,
        get: () => object,
        set: (other) => assign(other === null || typeof other !== 'object' ? null : other.handleNativeMessage),
      });
    })();
    """
}
