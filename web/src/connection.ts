// connection.ts - the WebSocket to the station, which comes back by itself.
//
// Failure  Whatever goes wrong ends in a new attempt, after 0.5 s at first and at most 5 s. A connection that says
//          nothing for SILENT_MS is given up: the station speaks at least once a second.

import { SUBPROTOCOL, type Action } from './protocol';

const SILENT_MS = 6000;
const HELD_UP_BYTES = 32768;

export function backoff_ms(attempt: number): number {
  return Math.min(5000, 500 * 2 ** Math.min(attempt, 10));
}

export interface ConnectionHandlers {
  text(text: string): void;
  binary(bytes: ArrayBuffer): void;
  changed(): void; // of `open` or `retry_at_ms`
  may_not_open(): Promise<boolean>; // whether trying again is of no use: the station wants something first
}

export class Connection {
  open = false;
  retry_at_ms: number | null = null;
  private socket: WebSocket | null = null;
  private was_open = false; // of this socket
  private attempt = 0;
  private silence_timer = 0;

  constructor(
    private readonly url: string,
    private readonly handlers: ConnectionHandlers,
  ) {
    this.connect();
  }

  // False when it could not be sent. A stick that would wait in a queue is not sent: a newer one follows.
  send(action: Action): boolean {
    if (!this.socket || !this.open) return false;
    if (action.do === 'drive' && action.dead_man && this.socket.bufferedAmount > HELD_UP_BYTES) return false;
    this.socket.send(JSON.stringify(action));
    return true;
  }

  // At once, and as if nothing had failed before.
  again(): void {
    this.attempt = 0;
    if (!this.socket && this.retry_at_ms === null) this.connect();
  }

  private connect(): void {
    this.retry_at_ms = null;
    this.was_open = false;
    const socket = new WebSocket(this.url, SUBPROTOCOL);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.received(socket, event.data);
    socket.onopen = () => this.set_open(socket, true);
    socket.onclose = () => this.closed(socket);
    this.listen_on(socket);
    this.handlers.changed();
  }

  private received(socket: WebSocket, data: string | ArrayBuffer): void {
    if (socket !== this.socket) return;
    this.attempt = 0;
    this.listen_on(socket);
    if (typeof data === 'string') this.handlers.text(data);
    else this.handlers.binary(data);
  }

  private set_open(socket: WebSocket, open: boolean): void {
    if (socket !== this.socket) return;
    this.open = open;
    this.was_open ||= open;
    this.handlers.changed();
  }

  private listen_on(socket: WebSocket): void {
    clearTimeout(this.silence_timer);
    this.silence_timer = window.setTimeout(() => {
      this.closed(socket);
      socket.close();
    }, SILENT_MS);
  }

  private closed(socket: WebSocket): void {
    if (socket !== this.socket) return;
    clearTimeout(this.silence_timer);
    this.socket = null;
    this.open = false;
    if (this.was_open) this.retry_later();
    else void this.handlers.may_not_open().then((refused) => (refused ? this.handlers.changed() : this.retry_later()));
    this.handlers.changed();
  }

  private retry_later(): void {
    const wait_ms = backoff_ms(this.attempt++);
    this.retry_at_ms = performance.now() + wait_ms;
    window.setTimeout(() => this.connect(), wait_ms);
    this.handlers.changed();
  }
}
