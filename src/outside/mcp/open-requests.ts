// Requests of servers of the eras before 2026, which hang on an open call: the call waits here while somebody is asked.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type Client, type InputResponse, type Root, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Clock } from '../../kernel/clock.ts';
import { type Wish, wishOf } from './wishes.ts';

/** What carries a call out now: a call that waits for people has none. */
export interface Carrier {
  signal: AbortSignal;
  /** Milliseconds that the call may be at work; time for which it waits for people does not count. */
  timeoutMs: number;
  /** Milliseconds that a question waits for people. */
  waitMs: number;
}

/** What a call has come to: its result, with what its model is to be told beside it, or a question that hangs on it. */
export type Came<T> = { result: T; told: readonly string[] } | { asked: Asked };

export interface Asked {
  call: string;
  question: string;
  wish: Wish;
}

/** An answer to a question of a call; null refuses. */
export interface Reply {
  question: string;
  answer: InputResponse | null;
}

/** What a question of a call hangs on, see `HeldQuestion` of the runtime. */
export interface OpenQuestion {
  until: number;
  over: AbortSignal;
  drop(): void;
}

export interface OpenRequests {
  /** Begins a call. The signal is aborted when it shall end. */
  begin<T>(carrier: Carrier, call: (signal: AbortSignal) => Promise<T>): Promise<Came<T>>;
  /** Goes on with a call that asked; without a reply, or one to what it asks no more, it says what it has come to. */
  goOn<T>(call: string, reply: Reply | null, carrier: Carrier): Promise<Came<T>>;
  holds(call: string): boolean;
  /** What a question of a call hangs on; null where there is no such call. */
  held(call: string, question: string): OpenQuestion | null;
  /** Ends a call that waits, whose question is answered as where nobody has answered. */
  abandon(call: string): void;
  /** The call that is carried out now: transports tell it when its stream has ended without its result. */
  current(): { lost(): void } | undefined;
  /** Resolves when no call is left that has asked something. */
  quiet(): Promise<void>;
}

export interface OpenRequestsOptions {
  sampling: boolean;
  roots: () => Promise<Root[]>;
  clock: Pick<Clock, 'after' | 'now' | 'steady'>;
  /**
   * Whether questions of all calls come on one stream: nothing says then which call a question is of, so that one call
   * is at work at a time.
   */
  sharesStream: () => boolean;
}

interface Question {
  id: string;
  wish: Wish;
  until: number;
  answer(response: InputResponse | null): void;
}

/** Milliseconds for which a question is kept after its time: who asked a person hears of that first. */
const graceMs = 30_000;
/** The longest that a timer of the machine waits: limits of calls are kept here. */
const forEver = 2 ** 31 - 1;
/** For options of the SDK. */
export const noLimit = { timeout: forEver };

const timedOut = (ms: number) => new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out', { timeout: ms });
const closed = () => new SdkError(SdkErrorCode.ConnectionClosed, 'The stream of the call has ended without its result');

const isClosed = (error: unknown) => error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;

/** What is said to a server where nobody has answered. */
export const unanswered = ({ kind }: Wish): InputResponse | null => (kind === 'model' ? null : { action: 'cancel' });

/** A call that is under way. */
class OpenCall {
  readonly id = randomUUID();
  readonly stop = new AbortController();
  readonly questions: Question[] = [];
  readonly told: string[] = [];
  hasAsked = false;
  /** How it has ended. */
  end: { result: unknown } | { error: unknown } | null = null;
  /** What somebody is asked now: aborted when that is open no more. */
  over: AbortController | null = null;
  carrier: Carrier | null = null;
  isAtWork = true;
  workedMs = 0;
  /** Called when there is something to see. */
  wake = () => {};

  settle(end: NonNullable<OpenCall['end']>): void {
    if (this.end) return;
    this.end = end;
    for (const { wish, answer } of this.questions.splice(0)) answer(unanswered(wish));
    this.over?.abort();
    this.wake();
  }

  take(question: Question): void {
    const at = this.questions.indexOf(question);
    if (at < 0) return;
    this.questions.splice(at, 1);
    if (at === 0) this.over?.abort();
  }
}

/** Hears what a server asks while calls are open, and says it to who carries them out. */
export function openRequests(client: Client, options: OpenRequestsOptions): OpenRequests {
  const calls = new OpenCalls(options);
  listen(client, options, () => calls.asking());
  return calls;
}

/** The calls of a connection that are under way. */
class OpenCalls implements OpenRequests {
  readonly #clock: OpenRequestsOptions['clock'];
  readonly #turn: ReturnType<typeof inTurn>;
  readonly #calls = new Map<string, OpenCall>();
  // A question comes on the stream of its call, whose context the handler inherits; over a program's streams it does not.
  readonly #context = new AsyncLocalStorage<OpenCall>();
  readonly #whenQuiet = new Set<() => void>();

  constructor({ clock, sharesStream }: OpenRequestsOptions) {
    this.#clock = clock;
    this.#turn = inTurn(sharesStream);
  }

  begin<T>(carrier: Carrier, work: (signal: AbortSignal) => Promise<T>): Promise<Came<T>> {
    return this.#turn(() => {
      const call = new OpenCall();
      this.#calls.set(call.id, call);
      call.carrier = carrier;
      this.#context
        .run(call, () => work(call.stop.signal))
        .then(
          (result) => this.#settle(call, { result }),
          (error) => this.#settle(call, { error }),
        );
      return this.#carry(call, carrier);
    });
  }

  goOn<T>(id: string, reply: Reply | null, carrier: Carrier): Promise<Came<T>> {
    return this.#turn(async () => {
      const call = this.#calls.get(id);
      if (!call) throw closed();
      call.isAtWork = true;
      const [question] = call.questions;
      if (question && reply?.question === question.id) {
        call.take(question);
        question.answer(reply.answer);
      }
      return this.#carry(call, carrier);
    });
  }

  holds(id: string): boolean {
    return this.#calls.has(id);
  }

  held(id: string, questionId: string): OpenQuestion | null {
    const call = this.#calls.get(id);
    const question = call?.questions.find((one) => one.id === questionId);
    if (!call) return null;
    const over = new AbortController();
    call.over = over;
    if (!question) over.abort();
    const { until = this.#clock.now() } = question ?? {};
    const drop = () => {
      if (call.over === over && !call.isAtWork) this.abandon(id);
    };
    const late = this.#clock.after(Math.max(0, until - this.#clock.now()) + graceMs, drop);
    over.signal.addEventListener('abort', late, { once: true });
    return { until, over: over.signal, drop };
  }

  abandon(id: string): void {
    const call = this.#calls.get(id);
    if (!call) return;
    for (const { wish, answer } of call.questions.splice(0)) answer(unanswered(wish));
    // Answers are on their way before the end of their call.
    setImmediate(() => call.stop.abort(new Error('Nobody waits for the call any more.')));
    this.#forget(call);
  }

  current(): { lost(): void } | undefined {
    const call = this.#context.getStore();
    return call && { lost: () => setImmediate(() => this.#settle(call, { error: closed() })) };
  }

  quiet(): Promise<void> {
    if (this.#isQuiet()) return Promise.resolve();
    return new Promise((done) => this.#whenQuiet.add(done));
  }

  /** The call that the server asks something for now. */
  asking(): OpenCall | undefined {
    const own = this.#context.getStore();
    if (own && this.#calls.has(own.id)) return own;
    // A call that waits for an answer asks nothing more meanwhile.
    const busy = [...this.#calls.values()].filter(({ isAtWork }) => isAtWork);
    return busy.length === 1 ? busy[0] : undefined;
  }

  /** Carries a call on until it has a result or asks something. */
  async #carry<T>(call: OpenCall, carrier: Carrier): Promise<Came<T>> {
    const { signal, timeoutMs } = carrier;
    const since = this.#clock.steady();
    const stop = () => call.stop.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const late = () => call.stop.abort(timedOut(timeoutMs));
    const cancel = this.#clock.after(Math.max(1, timeoutMs - call.workedMs), late);
    Object.assign(call, { carrier, isAtWork: true });
    while (!call.end && call.questions.length === 0) await new Promise<void>((done) => (call.wake = done));
    cancel();
    signal.removeEventListener('abort', stop);
    call.workedMs += this.#clock.steady() - since;
    const [question] = call.questions;
    if (!call.end && question) {
      Object.assign(call, { isAtWork: false, hasAsked: true });
      return { asked: { call: call.id, question: question.id, wish: question.wish } };
    }
    this.#forget(call);
    const end = call.end as NonNullable<OpenCall['end']>;
    if ('error' in end) throw end.error;
    return { result: end.result as T, told: call.told };
  }

  #settle(call: OpenCall, end: NonNullable<OpenCall['end']>): void {
    // Of a call that was lost while it waited there is nothing to be told.
    if (!call.isAtWork && 'error' in end && isClosed(end.error)) this.#forget(call);
    call.settle(end);
  }

  #isQuiet(): boolean {
    return ![...this.#calls.values()].some(({ hasAsked }) => hasAsked);
  }

  #forget(call: OpenCall): void {
    this.#calls.delete(call.id);
    // Tracking the context slows every promise of the process a little.
    if (this.#calls.size === 0) this.#context.disable();
    if (!this.#isQuiet()) return;
    for (const done of this.#whenQuiet) done();
    this.#whenQuiet.clear();
  }
}

/** Has requests of the server come to the calls that they are of. */
function listen(
  client: Client,
  { sampling, roots, clock }: OpenRequestsOptions,
  asking: () => OpenCall | undefined,
): void {
  const ask = (request: { method: string; params?: unknown }, signal: AbortSignal) =>
    new Promise<InputResponse | null>((done) => {
      const wish = wishOf(request);
      const call = asking();
      if (!wish) call?.told.push('[It asked for something that nobody can be shown here: refused.]');
      // Nor is anybody asked where nothing says which call it is of.
      if (!wish || !call) return done(null);
      const question: Question = {
        id: randomUUID(),
        wish,
        until: clock.now() + (call.carrier?.waitMs ?? 0),
        answer: done,
      };
      call.questions.push(question);
      // The server has taken it back.
      signal.addEventListener('abort', () => call.take(question), { once: true });
      call.wake();
    });
  client.setRequestHandler('elicitation/create', async (request, { mcpReq }) => {
    const answer = await ask(request, mcpReq.signal);
    return (answer ?? { action: 'decline' }) as never;
  });
  client.setRequestHandler('roots/list', async () => ({ roots: await roots() }));
  if (!sampling) return;
  client.setRequestHandler('sampling/createMessage', async (request, { mcpReq }) => {
    const answer = await ask(request, mcpReq.signal);
    // Why is nothing that the server has to know.
    if (!answer) throw Object.assign(new Error('Refused by the user.'), { code: -1 });
    return answer as never;
  });
}

/** One piece of work after the other, where that is wanted. */
function inTurn(wanted: () => boolean) {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    if (!wanted()) return work();
    const own = last.then(work);
    last = own.catch(() => {});
    return own;
  };
}
