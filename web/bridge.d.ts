// What a page sees of PageBridge. `window.webkit` is there when a host has registered a handler.

/** How the page stands with its host. */
type PageBridgeState = 'connecting' | 'waiting' | 'attached' | 'away' | 'ended' | 'closed';

interface PageBridgeStateEvent {
  readonly type: 'state';
  readonly state: PageBridgeState;
}

/** What may be registered: it is called with the host's arguments and without `this`; promises are awaited. */
type PageBridgeFunction = (...args: any[]) => any;

interface PageBridge {
  readonly version: string;
  /** The session's id, null while there is none. */
  readonly session: string | null;
  readonly state: PageBridgeState;
  addEventListener(type: 'state', listener: (event: PageBridgeStateEvent) => void): void;
  removeEventListener(type: 'state', listener: (event: PageBridgeStateEvent) => void): void;
  /**
   * Lets the host call a function by its name (`callRegisteredFunction`), whatever the policy of the page; null withdraws it.
   * With `data-evaluate="registered"` nothing else of the host runs in the page, with "none" not even this.
   * @param name 1 to 256 characters
   * @throws TypeError for another name, or what is no function
   */
  register(name: string, action: PageBridgeFunction | null): void;
  /** Clients of the kind `screen` only: takes what the host says to the screen. What came before waits. */
  onscreen: ((params: any) => void) | null;
}

interface WebKitMessageHandler {
  /**
   * Sends a copy of the body to the host's handler of that name.
   * @returns a promise that fulfils once the message is queued in order.
   * @throws DataCloneError if the body holds what cannot be copied: functions, nodes, promises, proxies.
   */
  postMessage(body: any): Promise<any>;
}

interface Window {
  readonly pagebridge: PageBridge;
  readonly webkit?: { readonly messageHandlers: { readonly [name: string]: WebKitMessageHandler } };
}
