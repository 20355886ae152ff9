// A reader of one topic's durable events over HTTP, as the Durable Streams protocol describes it.
import type { Caller } from '../../../contract/caller.ts';
import type { DurableReply } from '../../../contract/replies.ts';
import type { Exchange, HeaderList } from '../../../http/adapter.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { beatMs } from '../../../kernel/event-stream.ts';
import type { Fault } from '../../../kernel/fault.ts';
import type { EventStore, Position, StoredEvent } from '../../../ports/event-store.ts';
import type { Connection, Link } from '../../connections/connection.ts';
import type { Connections } from '../../connections/connections.ts';
import type { Place } from '../../hub/outlet.ts';
import type { Subscription } from '../../hub/subscription.ts';
import type { Batch } from '../../log/batch.ts';
import { epochOf } from '../../log/cursor.ts';
import type { Entry } from '../../log/entry.ts';
import { ownTopic, topicKey } from '../../log/topics.ts';
import { beginning, formatOffset, nextCursor, noLongerKept, parseOffset } from './offset.ts';

export interface DurableDeps {
  connections: Connections;
  clock: Clock;
  /** Origin of the store, part of every offset. */
  origin: string;
  /** The last durable events of a topic, by key, those of dead nodes included. */
  tail: EventStore['tail'];
  read: EventStore['read'];
}

export interface DurableRequest {
  caller: Caller;
  reply: DurableReply & { offset: string };
  /** Topics that the caller's ticket allows; null for all. */
  allowed: readonly string[] | null;
  /** Further response headers, e.g. the request's id. */
  headers: HeaderList;
}

/** Headers of every answer. */
const always: HeaderList = [
  ['x-content-type-options', 'nosniff'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['vary', 'authorization'],
];

/** Durable events are the messages of the stream; volatile ones and gaps are passed over. */
export abstract class Reading implements Link {
  protected readonly deps: DurableDeps;
  protected readonly exchange: Exchange;
  protected readonly request: DurableRequest;
  protected readonly connection: Connection;
  #position: Position = beginning;
  #subscription: Subscription | null = null;

  constructor(deps: DurableDeps, exchange: Exchange, request: DurableRequest) {
    this.deps = deps;
    this.exchange = exchange;
    this.request = request;
    this.connection = deps.connections.open(this, {
      transport: 'Sse',
      caller: request.caller,
      allowed: request.allowed,
      ip: exchange.ip,
      userAgent: exchange.header('user-agent') ?? null,
      heartbeatMs: beatMs,
    });
  }

  abstract readonly writable: boolean;
  abstract readonly bufferedBytes: number;
  /** Takes messages; `offset` and `isUpToDate` are those after them. */
  protected abstract take(messages: readonly Entry[]): void;
  /** Called when everything that is there has been taken. */
  protected abstract rest(): void;
  /** Called when the subject of the topic has ended and everything has been taken. */
  abstract over(): void;
  abstract close(code: number, reason: string): void;
  abstract fail(error: unknown): void;
  abstract dropped(topic: string, fault: Fault): void;
  abstract beat(): void;

  /** @throws Fault FORBIDDEN, NOT_FOUND, INVALID_CURSOR, GONE, CONCURRENCY_LIMITED */
  async open(): Promise<void> {
    try {
      await this.#follow();
    } catch (error) {
      this.deps.connections.close(this.connection);
      throw error;
    }
  }

  async #follow(): Promise<void> {
    const { connections, origin } = this.deps;
    const { topic, offset, follow } = this.request.reply;
    // First the right to read the topic: whether it has events is told to nobody else.
    await connections.authorise(this.connection, topic);
    const start = await this.#startOf(offset);
    this.#position = start;
    const lastEventId = start.seq === 0 ? '0' : `${epochOf(origin, start.gen)}.${start.seq}`;
    const [subscription] = await connections.follow(this.connection, { topics: [topic], lastEventId, follow });
    if (!subscription) throw new Error(`${topic} was not subscribed`);
    this.#subscription = subscription;
    if (offset !== 'now') await this.#requireKept(start, subscription);
  }

  async #startOf(offset: string): Promise<Position> {
    if (offset === '-1') return beginning;
    if (offset !== 'now') return parseOffset(offset, this.deps.origin);
    const [last] = await this.deps.tail(this.#key, 1);
    return last ? { gen: last.gen, seq: last.seq } : beginning;
  }

  /** Every offset is the place of an event; where that is not kept, later ones may be missing too. @throws Fault GONE */
  async #requireKept({ gen, seq }: Position, { channel: { window } }: Subscription): Promise<void> {
    if (seq === 0 || (gen === window.gen && seq >= window.start && seq <= window.head)) return;
    const [found]: StoredEvent[] = await this.deps.read(this.#key, { gen, seq: seq - 1 }, 1);
    if (found?.gen !== gen || found.seq !== seq) throw noLongerKept();
  }

  get #key(): string {
    const { caller, reply } = this.request;
    return topicKey(caller.tenantId, ownTopic(caller, reply.topic));
  }

  /** Offset after the last message that was taken. */
  protected get offset(): string {
    return formatOffset(this.#position, this.deps.origin);
  }

  protected get isUpToDate(): boolean {
    return this.#subscription?.live === true && this.#subscription.lag === 0;
  }

  /** Whether no message will follow: a run that has ended, unless the reader waits for its restart. */
  protected get isClosed(): boolean {
    return this.#subscription?.isOver ?? false;
  }

  protected cursor(): string {
    return nextCursor(this.deps.clock.now(), this.request.reply.cursor);
  }

  protected headersWith(more: HeaderList): HeaderList {
    return [...always, ...more, ...this.request.headers];
  }

  send(_place: Place, batch: Batch): void {
    const messages = batch.entries.filter(({ durable }) => durable);
    const last = messages.at(-1);
    if (!last) return;
    this.#position = { gen: batch.gen, seq: last.seq };
    this.connection.messagesOut += messages.length;
    this.take(messages);
  }

  cork(run: () => void): void {
    run();
  }

  idle(): void {
    if (this.isUpToDate) this.rest();
  }
}

/** Messages as JSON mode of the protocol has them: one array. */
export const jsonArray = (texts: readonly string[]): string => `[${texts.join(',')}]`;
