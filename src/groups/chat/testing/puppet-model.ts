// A Model whose every word a test says by hand.
import type { FinishReason, Model, ModelEvent, ModelRequest, ModelUsage } from '../../../../runtime/model.ts';

export interface PuppetCall {
  request: ModelRequest;
  text(...deltas: string[]): void;
  think(...deltas: string[]): void;
  call(id: string, name: string, args: unknown): void;
  finish(reason?: FinishReason, usage?: Partial<ModelUsage>): void;
  fail(error: Error): void;
}

export interface PuppetModel extends Model {
  /** Every call so far, in order. */
  calls: PuppetCall[];
  /** The call with this number, from 0; waits for it. */
  nth(index: number): Promise<PuppetCall>;
  /** Plays calls as they come, in place of a hand. */
  play: ((call: PuppetCall) => void) | null;
  contextTokens: number;
}

const usage: ModelUsage = {
  promptTokens: 10,
  completionTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: 0.001,
};

export function createPuppetModel(): PuppetModel {
  const waiters: { index: number; resolve: (call: PuppetCall) => void }[] = [];
  const model: PuppetModel = {
    calls: [],
    play: null,
    contextTokens: 100_000,
    nth: (index) =>
      new Promise((resolve) => {
        const call = model.calls[index];
        if (call) resolve(call);
        else waiters.push({ index, resolve });
      }),
    stream: (request) => {
      const { call, events } = puppet(request);
      const index = model.calls.push(call) - 1;
      model.play?.(call);
      for (const waiter of waiters.splice(0)) {
        if (waiter.index === index) waiter.resolve(call);
        else waiters.push(waiter);
      }
      return events;
    },
    estimateCost: () => 0,
    limits: () => ({ contextTokens: model.contextTokens, maxOutputTokens: 1000 }),
    defaultModelId: () => 'puppet:one',
  };
  return model;
}

function puppet(request: ModelRequest): { call: PuppetCall; events: AsyncIterable<ModelEvent> } {
  const queue: (ModelEvent | Error)[] = [{ type: 'start', modelId: 'puppet:one' }];
  let wake = () => {};
  const push = (...items: (ModelEvent | Error)[]) => {
    queue.push(...items);
    wake();
  };
  async function* events(): AsyncGenerator<ModelEvent> {
    const onAbort = () => wake();
    request.signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        request.signal.throwIfAborted();
        const next = queue.shift();
        if (next instanceof Error) throw next;
        if (next) yield next;
        if (next?.type === 'finish') return;
        if (queue.length === 0 && !request.signal.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      request.signal.removeEventListener('abort', onAbort);
    }
  }
  const call: PuppetCall = {
    request,
    text: (...deltas) => push(...deltas.map((delta) => ({ type: 'text' as const, delta }))),
    think: (...deltas) => push(...deltas.map((delta) => ({ type: 'reasoning' as const, delta }))),
    call: (id, name, args) =>
      push({
        type: 'tool-call',
        call: { id, name, argumentsJson: typeof args === 'string' ? args : JSON.stringify(args) },
      }),
    finish: (reason = 'stop', more = {}) =>
      push({
        type: 'finish',
        reason,
        usage: { ...usage, ...more },
        modelId: 'puppet:one',
        providerState: { seen: true },
      }),
    fail: (error) => push(error),
  };
  return { call, events: events() };
}
