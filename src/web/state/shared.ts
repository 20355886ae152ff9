// A shared run or chat as its page reads it: without signing in, by the token of the link alone.
import { useEffect, useState } from 'react';
import type { AgentEventDto, SharedDto, SharedItemDto, SharedMessageDto } from '../../client/index.ts';
import { createTimeline, type Timeline } from '../timeline/timeline.ts';

/** How soon a stream is opened again that broke off, ms. */
const retryMs = 3000;

const ask = (what: string, body: object, signal?: AbortSignal) =>
  fetch(`api/public/shares/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

/** @throws what the server says of a link that shows nothing */
export async function askShared<T>(what: 'read' | 'files' | 'file', body: object): Promise<T> {
  const answer = (await (await ask(what, body)).json()) as { data: T; error: string | null; hint: string | null };
  if (answer.error !== null) throw new Error([answer.error, answer.hint].filter(Boolean).join(' '));
  return answer.data;
}

export interface Shared {
  about: SharedDto | null;
  timeline: Timeline;
  messages: ReadonlyMap<number, SharedMessageDto>;
  /** `closed`: the link holds no longer. */
  state: 'opening' | 'live' | 'ended' | 'closed';
  /** Grows with every change. */
  version: number;
}

/** The event as timelines read it; what a link does not tell is nothing. */
const whole = (event: NonNullable<SharedItemDto['event']>): AgentEventDto => ({
  ...event,
  ...{ id: event.seq, guid: '', runId: 0, rootRunId: 0, parentRunId: null },
});

export function useShared(token: string): Shared {
  const [shared, setShared] = useState<Shared>(() => fresh());
  useEffect(() => {
    const ending = new AbortController();
    void follow(token, ending.signal, setShared);
    return () => ending.abort();
  }, [token]);
  return shared;
}

const fresh = (): Shared => ({
  ...{ about: null, timeline: createTimeline(), messages: new Map(), state: 'opening' },
  version: 0,
});

async function follow(token: string, signal: AbortSignal, show: (now: Shared) => void) {
  let now = fresh();
  let last = 0;
  const put = (change: Partial<Shared>) => {
    if (signal.aborted) return;
    now = { ...now, ...change, version: now.version + 1 };
    show(now);
  };
  const take = ({ type, event, run, message }: SharedItemDto) => {
    if (type === 'Ended' || type === 'Closed') return put({ state: type === 'Ended' ? 'ended' : 'closed' });
    if (event && event.seq > last) {
      last = event.seq;
      now.timeline.push(whole(event));
    }
    put({
      ...(run && now.about && { about: { ...now.about, run } }),
      ...(message && { messages: new Map(now.messages).set(message.id, message) }),
    });
  };
  while (!signal.aborted && now.state !== 'ended' && now.state !== 'closed') {
    try {
      const answer = await ask('read', { token }, signal);
      if (answer.status === 404) return put({ state: 'closed' });
      put({ about: ((await answer.json()) as { data: SharedDto }).data, state: 'live' });
      const { body } = await ask('events', { token, afterSeq: last }, signal);
      if (body) for await (const item of itemsOf(body)) take(item);
    } catch {
      // The network: it is tried again below.
    }
    if (now.state === 'live' || now.state === 'opening') await new Promise((done) => setTimeout(done, retryMs));
  }
}

async function* itemsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<SharedItemDto> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const line = frame.split('\n').find((one) => one.startsWith('data: '));
      if (line) yield JSON.parse(line.slice(6)) as SharedItemDto;
    }
  }
}
