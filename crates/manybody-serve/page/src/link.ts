// The connection to the server: confirms frames, and comes back where it was lost.

import { type Ask, type BodyNumbers, type Cast, type Frame, type Hello, type Status, decode, isCast } from "./protocol";

export interface Listener {
  hello(hello: Hello): void;
  status(status: Status): void;
  cast(cast: Cast): void;
  frame(frame: Frame): void;
  body(body: BodyNumbers | null): void;
  refused(text: string): void;
  connection(state: "open" | "lost"): void;
}

const FIRST_RETRY = 500;
const LAST_RETRY = 8000;
/** The server speaks at least once a second. */
const SILENCE = 6000;

export class Link {
  private socket: WebSocket | null = null;
  private retry = FIRST_RETRY;
  private ended = false;
  private heard = 0;

  constructor(private readonly listener: Listener) {
    this.open();
    setInterval(() => {
      if (this.socket?.readyState === WebSocket.OPEN && performance.now() - this.heard > SILENCE) this.socket.close();
    }, 1000);
  }

  ask(ask: Ask): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(ask));
  }

  private open(): void {
    const url = new URL("live", location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    url.search = location.search;
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.heard = performance.now();
      this.listener.connection("open");
    };
    socket.onmessage = (message: MessageEvent<ArrayBuffer | string>) => {
      this.heard = performance.now();
      this.retry = FIRST_RETRY;
      if (typeof message.data === "string") this.hear(JSON.parse(message.data));
      else this.look(message.data);
    };
    socket.onclose = () => {
      if (this.ended) return;
      this.listener.connection("lost");
      setTimeout(() => this.open(), this.retry);
      this.retry = Math.min(2 * this.retry, LAST_RETRY);
    };
    this.socket = socket;
  }

  private hear(words: Record<string, unknown>): void {
    if ("hello" in words) this.listener.hello(words["hello"] as Hello);
    else if ("status" in words) {
      const status = words["status"] as Status;
      this.ended = status.ended !== null;
      this.listener.status(status);
    } else if ("body" in words) this.listener.body(words["body"] as BodyNumbers | null);
    else if ("refused" in words) this.listener.refused(words["refused"] as string);
  }

  private look(buffer: ArrayBuffer): void {
    const message = decode(buffer);
    if (isCast(message)) {
      this.listener.cast(message);
    } else {
      this.ask({ got: message.number });
      this.listener.frame(message);
    }
  }
}
