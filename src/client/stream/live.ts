// One connection whose subscriptions come and go: it reconnects, resumes each topic by cursor and hands each event on once.
import { ApiError, isAway } from '../api-error.ts';
import type { Transport } from '../transport.ts';
import { createCursors, gapEvent } from './cursors.ts';
import { type ConnectionState, type RawEvent, whole } from './events.ts';
import type { Beginning, Link, LinkEvents, OpenLink, WebSocketConstructor } from './link.ts';
import { sseLinks } from './sse-link.ts';
import { webSocketLinks } from './ws-link.ts';

export interface Retry {
  /** First delay, ms; doubles with each attempt. */
  minMs: number;
  maxMs: number;
}

export interface LiveOptions {
  /** `auto` (the default) takes the WebSocket and falls back to server-sent events where it does not open. */
  transport?: 'auto' | 'ws' | 'sse';
  /** For Node before 22: the class of the package `ws`. */
  WebSocket?: WebSocketConstructor;
  retry?: Retry;
  /** Goes on after the end of a run or tree, for what comes when it is restarted. */
  follow?: boolean;
  onState?: (state: ConnectionState) => void;
}

export interface Listener {
  onEvent(event: RawEvent): void;
  /** The topic will not be served to this caller. */
  onRefused?(error: ApiError): void;
  /** The run or tree of the topic has ended, and nothing more comes. */
  onEnded?(): void;
  /** The topic is followed from here on: load the snapshot now. Called once. */
  onFollowed?(): void;
}

export interface Live {
  /**
   * Follows a topic from a cursor (an event id, `0` for the oldest kept, or live events only). Answers how to stop.
   *
   * @param replaySeconds - without a cursor, and where nobody follows the topic yet: what happened in so many last
   *   seconds comes first; 0 unless given
   */
  subscribe(topic: string, listener: Listener, cursor?: string | null, replaySeconds?: number): () => void;
  readonly state: ConnectionState;
  /** Position of a topic, to resume from later. */
  cursor(topic: string): string | null;
  /** Ends the wait for the next attempt. */
  retryNow(): void;
  /** Lets go of the connection until `resume`; positions are kept. */
  pause(): void;
  /** Goes on after a pause, and after the server refused a credential that has been replaced since. */
  resume(): void;
  close(): void;
}

interface Topic {
  listeners: Set<Listener>;
  followed: boolean;
  /** Asked for until it is followed. */
  replaySeconds: number;
  /** Newest seq at the time of the last resume, until it is reached. */
  head: number | null;
  /** Refusals in a row by a server that is away for a moment, and when it is asked for again. */
  refusals: number;
  again: ReturnType<typeof setTimeout> | undefined;
}

const newTopic = (listener: Listener, replaySeconds: number): Topic => ({
  ...{ listeners: new Set([listener]), followed: false, replaySeconds, head: null },
  ...{ refusals: 0, again: undefined },
});

/** Attempts that a WebSocket gets to open for the first time before `auto` falls back. */
const webSocketTries = 2;

/** Delay before attempt `n`, with jitter so that clients of a restarted server do not come back all at once. */
export function backoff(attempt: number, { minMs, maxMs }: Retry, random: () => number): number {
  return Math.min(maxMs, minMs * 2 ** Math.min(attempt, 16)) * (0.5 + random() / 2);
}

/** Follows any number of topics over one connection at a time; see `Live`. */
export function createLive(transport: Transport, options: LiveOptions = {}): Live {
  return new LiveConnection(transport, options);
}

class LiveConnection implements Live {
  state: ConnectionState;
  readonly #options: LiveOptions;
  readonly #retry: Retry;
  readonly #openers: Record<'ws' | 'sse', OpenLink>;
  readonly #cursors = createCursors();
  readonly #topics = new Map<string, Topic>();
  readonly #mayFallBack: boolean;
  #kind: 'ws' | 'sse';
  #everOpened = false;
  #link: Link | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #paused = false;

  constructor(transport: Transport, options: LiveOptions) {
    const Socket = options.WebSocket ?? (globalThis.WebSocket as unknown as WebSocketConstructor | undefined);
    const chosen = options.transport ?? 'auto';
    if (chosen === 'ws' && !Socket)
      throw new TypeError('There is no WebSocket here; pass one, or use transport: "sse".');
    this.#options = options;
    this.#retry = options.retry ?? { minMs: 400, maxMs: 20_000 };
    this.#kind = chosen === 'sse' || (chosen === 'auto' && !Socket) ? 'sse' : 'ws';
    this.#mayFallBack = chosen === 'auto';
    this.#openers = {
      sse: sseLinks(transport, (topic) => this.#beginning(topic)),
      ws: webSocketLinks(transport, Socket as WebSocketConstructor),
    };
    this.state = {
      phase: 'connecting',
      since: Date.now(),
      attempt: 0,
      latencyMs: null,
      behind: null,
      transport: this.#kind,
      reason: null,
    };
  }

  cursor(topic: string): string | null {
    return this.#cursors.of(topic);
  }

  subscribe(name: string, listener: Listener, cursor: string | null = null, replaySeconds = 0): () => void {
    const existing = this.#topics.get(name);
    if (existing) {
      existing.listeners.add(listener);
      if (existing.followed) queueMicrotask(() => existing.listeners.has(listener) && listener.onFollowed?.());
    } else {
      this.#topics.set(name, newTopic(listener, replaySeconds));
      this.#cursors.begin(name, cursor);
      if (this.#link) this.#link.add(name, { cursor, replaySeconds });
      else if (!this.#timer) queueMicrotask(() => this.#connect());
    }
    return () => this.#unsubscribe(name, listener);
  }

  retryNow(): void {
    this.#connect();
  }

  pause(): void {
    this.#paused = true;
    this.#drop();
  }

  resume(): void {
    this.#paused = false;
    if (this.state.phase === 'closed' && this.#topics.size > 0) this.#set({ phase: 'connecting', attempt: 0 });
    this.#connect();
  }

  close(): void {
    this.#drop();
    this.#topics.clear();
    this.#set({ phase: 'closed', reason: 'closed by the caller' });
  }

  #unsubscribe(name: string, listener: Listener) {
    const topic = this.#topics.get(name);
    if (!topic?.listeners.delete(listener) || topic.listeners.size > 0) return;
    this.#topics.delete(name);
    this.#cursors.drop(name);
    const waited = this.#askNoMore(topic);
    if (this.#topics.size === 0) return this.#drop();
    this.#link?.remove(name);
    if (waited) this.#settle();
  }

  /** Answers whether the topic was about to be asked for again. */
  #askNoMore(topic: Topic): boolean {
    const waited = topic.again !== undefined;
    clearTimeout(topic.again);
    topic.again = undefined;
    return waited;
  }

  #drop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const topic of this.#topics.values()) this.#askNoMore(topic);
    this.#link?.close();
    this.#link = null;
  }

  #set(change: Partial<ConnectionState>) {
    const since = change.phase && change.phase !== this.state.phase ? Date.now() : this.state.since;
    this.state = { ...this.state, since, ...change };
    this.#options.onState?.(this.state);
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#link || this.#paused || this.#topics.size === 0 || this.state.phase === 'closed') return;
    let mine: Link | null = null;
    const events = this.#linkEvents(() => mine !== null && this.#link === mine);
    mine = this.#openers[this.#kind](
      events,
      new Map(Array.from(this.#topics.keys(), (name) => [name, this.#beginning(name)])),
      this.#options.follow ?? true,
    );
    this.#link = mine;
  }

  #linkEvents(current: () => boolean): LinkEvents {
    return {
      opened: () => {
        this.#everOpened = true;
      },
      followed: (name, head) => current() && this.#followed(name, head),
      ended: (name) => current() && this.#ended(name),
      refused: (name, error) => current() && this.#refused(name, error),
      event: (event) => current() && this.#take(event),
      latency: (latencyMs) => current() && this.#set({ latencyMs }),
      closed: (reason, again, error) => {
        if (!current()) return;
        this.#link = null;
        for (const topic of this.#topics.values()) this.#askNoMore(topic);
        this.#lost(reason, again, error);
      },
    };
  }

  #beginning(name: string): Beginning {
    const topic = this.#topics.get(name);
    return { cursor: this.cursor(name), replaySeconds: topic && !topic.followed ? topic.replaySeconds : 0 };
  }

  #followed(name: string, head: number | null) {
    const topic = this.#topics.get(name);
    if (!topic) return;
    const seen = this.#cursors.seq(name);
    if (topic.followed && this.cursor(name) === null) {
      // Followed before, nothing seen, connection lost: what came in between is unknown.
      const gap = { requestedSeq: 0, oldestSeq: head ?? 0, latestSeq: head ?? 0 };
      this.#deliver(topic, gapEvent({ topic: name, epoch: '', seq: 0, atUtc: new Date().toISOString() }, gap));
    }
    const first = !topic.followed;
    topic.followed = true;
    topic.refusals = 0;
    topic.head = head !== null && seen > 0 && head > seen ? head : null;
    if (first) for (const listener of topic.listeners) listener.onFollowed?.();
    this.#settle();
  }

  #refused(name: string, error: ApiError) {
    const topic = this.#topics.get(name);
    if (topic && isAway(error)) return this.#askAgain(name, topic, error);
    this.#topics.delete(name);
    this.#cursors.drop(name);
    for (const listener of topic?.listeners ?? []) listener.onRefused?.(error);
  }

  /** Asks for a topic once more that a server did not serve which is away for a moment, e.g. without its database. */
  #askAgain(name: string, topic: Topic, error: ApiError) {
    clearTimeout(topic.again);
    topic.again = setTimeout(
      () => {
        topic.again = undefined;
        this.#link?.add(name, this.#beginning(name));
      },
      backoff(topic.refusals++, this.#retry, Math.random),
    );
    this.#set({ phase: 'offline', reason: error.message });
  }

  #ended(name: string) {
    const topic = this.#topics.get(name);
    this.#topics.delete(name);
    this.#cursors.drop(name);
    if (this.#topics.size === 0) this.#drop();
    for (const listener of topic?.listeners ?? []) listener.onEnded?.();
  }

  #take(frame: RawEvent) {
    const event = whole(frame);
    const topic = this.#topics.get(event.topic);
    if (!topic) return;
    if (this.#cursors.accept(event)) this.#deliver(topic, event);
    if (topic.head !== null && event.seq >= topic.head) topic.head = null;
    if (this.state.phase === 'resuming') this.#settle();
  }

  #deliver(topic: Topic, event: RawEvent) {
    for (const listener of [...topic.listeners]) listener.onEvent(event);
  }

  #refuse(reason: string, error?: ApiError) {
    this.#set({ phase: 'closed', reason });
    const fault = error ?? new ApiError(reason, { code: 'FORBIDDEN', status: 403 });
    for (const topic of this.#topics.values()) for (const one of topic.listeners) one.onRefused?.(fault);
  }

  #settle() {
    let behind = 0;
    for (const [name, { head, refusals }] of this.#topics) {
      if (refusals > 0) return;
      behind += Math.max(0, (head ?? 0) - this.#cursors.seq(name));
    }
    if (behind === 0 && this.state.phase !== 'live')
      this.#set({ phase: 'live', behind: null, attempt: 0, reason: null });
    if (behind > 0 && behind !== this.state.behind) this.#set({ phase: 'resuming', behind });
  }

  #lost(reason: string, again: 'now' | 'backoff' | 'never', error?: ApiError) {
    for (const topic of this.#topics.values()) topic.head = null;
    const attempt = this.state.attempt + 1;
    const neverOpened = this.#mayFallBack && this.#kind === 'ws' && !this.#everOpened;
    // No tickets here, or nothing that lets a WebSocket through.
    const unserved = error?.status === 404 || (!error && attempt >= webSocketTries);
    if (neverOpened && unserved) this.#kind = 'sse';
    else if (again === 'never') return this.#refuse(reason, error);
    const quick = again === 'now' && attempt === 1;
    this.#set({
      phase: quick ? 'resuming' : 'offline',
      attempt,
      reason,
      latencyMs: null,
      behind: null,
      transport: this.#kind,
    });
    this.#timer = setTimeout(() => this.#connect(), backoff(attempt - 1, this.#retry, Math.random));
  }
}
