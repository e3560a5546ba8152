// What a page sees of PageBridge. `window.webkit` is there when a host has registered a handler.

/** How the page stands with its host. */
type PageBridgeState = 'connecting' | 'waiting' | 'attached' | 'away' | 'ended' | 'closed';

interface PageBridgeStateEvent {
  readonly type: 'state';
  readonly state: PageBridgeState;
}

/** What may be registered: it is called with the host's arguments and without `this`; promises are awaited. */
type PageBridgeFunction = (...args: any[]) => any;

/** How the messages of this document stand with the host: a copy of that moment. */
interface PageBridgeDelivery {
  /** Wire messages that the host has not handled yet; a long message consists of several. */
  readonly held: number;
  /** Those that were sent, and not received as far as this end knows. */
  readonly inFlight: number;
  /** Those that were not sent on this connection yet. */
  readonly waiting: number;
  /** Bytes of all that is held. */
  readonly bytes: number;
  /** How long the oldest of them has been waiting, in milliseconds; null if there is none. */
  readonly oldestUnacknowledged: number | null;
  /** How often the conversation went on over a new connection, of this page or of its host. */
  readonly resumes: number;
  /** How often something that came showed that something before it was lost. */
  readonly gaps: number;
  /** Wire messages of the host that came twice and were dropped. */
  readonly doubles: number;
  /** Wire messages that went to another process of the host once more, marked as such. */
  readonly redeliveries: number;
}

interface PageBridge {
  readonly version: string;
  /** The session's id, null while there is none. */
  readonly session: string | null;
  readonly state: PageBridgeState;
  readonly delivery: PageBridgeDelivery;
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
