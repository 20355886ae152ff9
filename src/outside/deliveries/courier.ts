// Sends what waits in an outbox: a few deliveries of each sender at once, each held by a lease while it is sent.
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import { inTurn } from '../../kernel/rounds.ts';
import type { Collection, Filter } from '../../ports/db.ts';
import { polled } from '../../ports/polled.ts';
import type { Gate } from '../../ports/queues.ts';
import type { Outcome } from './attempt.ts';
import type { Waiting } from './outbox.ts';
import { waitAfter } from './retries.ts';

/** What an attempt came to, with what else is written of its delivery. */
export type Attempted<Doc> = Outcome & { more?: Partial<Doc> };

export interface CourierDeps<Sender, Doc extends Waiting> {
  deliveries: Collection<Doc>;
  /** The field of a delivery that names its sender: a webhook, a channel. */
  senderField: keyof Doc & string;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  nodeId: string;
  /** No other process sends from this store: what was being sent when it opened is being sent by nobody. */
  alone: boolean;
  gate: Gate;
  /** The sender of a delivery; the reason as text where it is not sent any more. */
  senderOf(delivery: Doc): Promise<Sender | string>;
  /** Time limit of an attempt in ms. */
  timeoutMs(sender: Sender, delivery: Doc): number;
  /** `stop` is aborted when this process stops. */
  attempt(sender: Sender, delivery: Doc, stop: AbortSignal): Promise<Attempted<Doc>>;
  /** Called after an attempt was written, before it is told: counts, switches off. */
  ended?(sender: Sender, delivery: Doc, outcome: Attempted<Doc>): Promise<void>;
  tell(delivery: Doc): Promise<void>;
}

/** Deliveries under way at once, in this process and of one sender. */
export const mostAtOnce = 32;
const mostOfOne = 4;
/** Beyond the time limit of an attempt, in ms, until others take its node for dead. */
const graceMs = 15_000;
/** Milliseconds that deliveries under way get at the end. */
const patienceMs = 2000;

const unsure = 'The server stopped before the answer was known, so it may have arrived: it is sent again under its id.';
const repeated =
  'It may have arrived more than once: a server stopped before the answer to an earlier attempt was known.';

export interface Courier<Doc> {
  /** Looks for what is due. */
  poke(): void;
  round(): Promise<void>;
  carryNow(delivery: Doc): Promise<void>;
  active(): number;
  takeUp(): Promise<void>;
  close(): Promise<void>;
}

/** Deliveries of a kind, as the courier alone sees them. */
type Anything = Waiting & Record<string, unknown>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over what is under way, which call each other.
export function createCourier<Sender, Doc extends Waiting>(deps: CourierDeps<Sender, Doc>): Courier<Doc> {
  const { clock, log, senderField } = deps;
  const deliveries = deps.deliveries as unknown as Collection<Anything>;
  const stop = new AbortController();
  let closing = false;
  const underWay = new Map<number, { sender: unknown; done: Promise<void> }>();
  const loads = () => {
    const counts = new Map<unknown, number>();
    for (const { sender } of underWay.values()) counts.set(sender, (counts.get(sender) ?? 0) + 1);
    return counts;
  };
  const ends = endings(deps);
  const findDue = polled(
    deliveries,
    (due: Filter<Anything>) => deliveries.find(due, { sort: { due: 1 }, limit: mostAtOnce }).toArray(),
    { due: { $gt: new Date(0) } },
  );

  const carry = async (delivery: Doc): Promise<void> => {
    if (delivery.status === 'Delivering') return ends.release(delivery);
    const sender = await deps.senderOf(delivery);
    if (typeof sender === 'string') return ends.drop(delivery, sender);
    const claimed = await ends.claim(delivery, sender);
    if (claimed) await ends.end(claimed, sender, await deps.attempt(sender, claimed, stop.signal));
  };

  const start = (delivery: Anything): void => {
    const done = carry(delivery as unknown as Doc)
      .catch((error: unknown) => log.warn({ err: error, delivery: delivery._id }, 'a delivery waits for the next look'))
      .finally(() => underWay.delete(delivery._id));
    underWay.set(delivery._id, { sender: delivery[senderField], done });
    // Its place is free for the next one.
    void done.then(poke);
  };

  const look = async (): Promise<void> => {
    while (!closing && !deps.gate.isPaused() && underWay.size < deps.gate.most(mostAtOnce)) {
      const busy = [...loads()].flatMap(([id, count]) => (count >= mostOfOne ? [id] : []));
      const due = { due: { $lte: new Date(clock.now()) }, _id: { $nin: [...underWay.keys()] } };
      const others = busy.length === 0 ? due : { ...due, [senderField]: { $nin: busy } };
      const found = await findDue(others);
      let begun = 0;
      for (const one of found) {
        if (closing || deps.gate.isPaused() || underWay.size >= deps.gate.most(mostAtOnce)) return;
        if ((loads().get(one[senderField]) ?? 0) >= mostOfOne || underWay.has(one._id)) continue;
        start(one);
        begun++;
      }
      if (begun === 0) return;
    }
  };

  const round = inTurn(look);
  function poke(): void {
    if (!closing) void round().catch((error: unknown) => log.warn({ err: error }, 'deliveries wait for the next look'));
  }

  deps.gate.onOpen(poke);
  return {
    poke,
    round,
    /** Makes the next attempt of a delivery at once, and waits for its end; another node may be at it already. */
    async carryNow(delivery: Doc): Promise<void> {
      if (closing) return;
      if (!underWay.has(delivery._id)) start(delivery as unknown as Anything);
      await underWay.get(delivery._id)?.done;
    },
    /** Deliveries under way. */
    active: () => underWay.size,
    /** Takes up what an earlier process was sending when it died. */
    async takeUp(): Promise<void> {
      if (!deps.alone) return;
      const left = await deliveries.find({ due: { $gt: new Date(0) }, status: 'Delivering' }).toArray();
      for (const one of left) await ends.release(one as unknown as Doc);
    },
    async close(): Promise<void> {
      const patience = new AbortController();
      const all = Promise.all([...underWay.values()].map(({ done }) => done));
      const enough = clock.sleep(patienceMs, patience.signal).catch(() => {});
      closing = true;
      await Promise.race([all, enough]);
      patience.abort();
      stop.abort(new Error('the server stops'));
      await all;
    },
  };
}

/** How a delivery changes hands and ends. Each write is of the node that holds it. */
function endings<Sender, Doc extends Waiting>(deps: CourierDeps<Sender, Doc>) {
  const { clock, nodeId } = deps;
  const deliveries = deps.deliveries as unknown as Collection<Waiting>;
  const now = () => new Date(clock.now());
  const write = async ({ _id, due, status }: Waiting, $set: Partial<Waiting>): Promise<Doc | null> => {
    const written = await deliveries.findOneAndUpdate({ _id, due, status }, { $set }, { returnDocument: 'after' });
    return written as unknown as Doc | null;
  };
  const tell = async (changed: Doc | null): Promise<void> => {
    if (changed) await deps.tell(changed);
  };

  /** What an attempt leaves of a delivery. */
  const after = (delivery: Doc, { kind, askedWait }: Outcome): Partial<Waiting> => {
    if (kind === 'delivered') return { status: 'Delivered', deliveredAt: now(), due: null, endedAt: now() };
    if (kind === 'gone' || delivery.attempt >= delivery.maxAttempts)
      return { status: 'Failed', due: null, endedAt: now() };
    const next = new Date(clock.now() + waitAfter(delivery.attempt, askedWait));
    return { status: 'Retrying', due: next, nextAttemptAt: next };
  };

  return {
    claim: (delivery: Doc, sender: Sender) =>
      write(delivery, {
        ...{ status: 'Delivering', sender: nodeId, attempt: delivery.attempt + 1, nextAttemptAt: null },
        due: new Date(clock.now() + deps.timeoutMs(sender, delivery) + graceMs),
      }),
    /** The attempt of somebody who died is made again, and says so. */
    async release(delivery: Doc): Promise<void> {
      const attempt = Math.max(0, delivery.attempt - 1);
      const again = { due: now(), nextAttemptAt: now(), mayBeRepeated: true, sender: null };
      await tell(await write(delivery, { ...again, status: 'Retrying', attempt, error: unsure }));
    },
    async drop(delivery: Doc, why: string): Promise<void> {
      const over = { due: null, nextAttemptAt: null, endedAt: now() };
      await tell(await write(delivery, { ...over, status: 'Dropped', error: why }));
    },
    async end(delivery: Doc, sender: Sender, outcome: Attempted<Doc>): Promise<void> {
      const { kind, askedWait: _, more, ...answer } = outcome;
      if (kind === 'stopped') return this.release(delivery);
      const told = { ...answer, error: errorOf(delivery, answer.error) };
      const ended = await write(delivery, { ...told, sender: null, ...after(delivery, outcome), ...more });
      if (!ended) return;
      await deps.ended?.(sender, ended, outcome);
      // Who hears of it finds the sender as it is now.
      await tell(ended);
    },
  };
}

/** What went wrong, now or with an attempt whose answer nobody knows. */
const errorOf = ({ mayBeRepeated }: Waiting, error: string | null): string | null =>
  mayBeRepeated ? [error, repeated].filter(Boolean).join(' ') : error;
