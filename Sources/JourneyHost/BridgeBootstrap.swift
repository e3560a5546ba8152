/// The script that gives each document the page's end of the bridge, before its own scripts run.
enum BridgeBootstrap {
  /// Defines `window.GBGBridge`: `postMessage` for what goes to the host, and `receive`, which the host calls.
  ///
  /// Envelopes that come before the page has called `connect` wait, 100 at most. The handler is looked up for each message:
  /// once it is taken away, messages are dropped.
  static let source = """
    (() => {
      'use strict';
      const WAITING = 100;
      const waiting = [];
      let taker = null;
      const bridge = {
        platform: 'ios',
        version: '\(BridgeMessage.currentVersion)',
        postMessage(message) {
          const handler = window.webkit && window.webkit.messageHandlers
            && window.webkit.messageHandlers.\(BridgeHost.handlerName);
          return handler ? handler.postMessage(message) : undefined;
        },
        receive(envelope) {
          if (taker) taker(envelope);
          else if (waiting.length < WAITING) waiting[waiting.length] = envelope;
        },
        connect(listener) {
          taker = listener;
          for (const envelope of waiting.splice(0)) listener(envelope);
        },
      };
      Object.defineProperty(window, 'GBGBridge', {
        value: bridge, writable: true, configurable: true, enumerable: true,
      });
    })();
    """
}
