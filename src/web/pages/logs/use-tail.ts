// The lines of the log as they are written: kept up over lost connections, held while it is paused, older ones on demand.
import { useEffect, useRef, useState } from 'react';
import { type ApiError, readSse, type SystemLogDto } from '../../../client/index.ts';
import { client } from '../../state/app.ts';
import { askAgainMs } from '../../state/ask-again.ts';
import { toApiError } from '../../state/resource.ts';
import type { Asked } from './filter.ts';

/** Lines that the page holds; the oldest go. */
const mostLines = 2000;
const backlog = 200;
const olderLines = 200;

export interface Tail {
  lines: readonly SystemLogDto[];
  state: 'connecting' | 'live' | 'lost' | 'paused';
  /** Why there is nothing to follow. */
  error: ApiError | null;
  /** Lines after the last one seen are not kept any more. */
  gap: boolean;
  hasOlder: boolean;
  loadOlder(): Promise<void>;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one connection, with what it holds.
export function useTail(asked: Asked, paused: boolean): Tail {
  const key = JSON.stringify(asked);
  const [lines, setLines] = useState<readonly SystemLogDto[]>([]);
  const [state, setState] = useState<'connecting' | 'live' | 'lost'>('connecting');
  const [error, setError] = useState<ApiError | null>(null);
  const [gap, setGap] = useState(false);
  const [hasOlder, setHasOlder] = useState(true);
  const cursor = useRef<{ key: string; id: string | null }>({ key, id: null });
  const latest = useRef(asked);
  latest.current = asked;

  useEffect(() => {
    if (cursor.current.key === key) return;
    cursor.current = { key, id: null };
    setLines([]);
    setGap(false);
    setHasOlder(true);
  }, [key]);

  useEffect(() => {
    if (paused) return;
    const abort = new AbortController();
    let waiting: SystemLogDto[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    // Lines that come together are drawn together.
    const show = () => {
      timer = null;
      const more = waiting;
      waiting = [];
      setLines((before) => [...before, ...more].slice(-mostLines));
    };
    const follow = async () => {
      const { id } = cursor.current;
      const query = { ...latest.current, ...(id === null ? { backlog } : { lastEventId: id }) };
      const response = await client.systemLogs.stream({ query, signal: abort.signal });
      setState('live');
      setError(null);
      for await (const message of readSse(response)) {
        if (abort.signal.aborted || cursor.current.key !== key) return;
        if (message.id !== null) cursor.current.id = message.id;
        if (message.event === 'stream.gap') setGap(true);
        if (message.event !== 'log') continue;
        waiting.push(JSON.parse(message.data) as SystemLogDto);
        timer ??= setTimeout(show, 50);
      }
    };
    const keepFollowing = async () => {
      while (!abort.signal.aborted) {
        await follow().catch((cause: unknown) => {
          const fault = toApiError(cause);
          if (!abort.signal.aborted && fault.status >= 400 && fault.status < 500) {
            setError(fault);
            abort.abort();
          }
        });
        if (abort.signal.aborted) return;
        setState('lost');
        await new Promise((resolve) => setTimeout(resolve, askAgainMs));
      }
    };
    setState('connecting');
    void keepFollowing();
    return () => {
      abort.abort();
      if (timer) clearTimeout(timer);
      if (cursor.current.key === key && waiting.length > 0) show();
    };
  }, [key, paused]);

  const loadOlder = async () => {
    const [first] = lines;
    const before = first ? { beforeId: first.id } : {};
    const found = await client.systemLogs.list({ query: { ...latest.current, ...before, pageSize: olderLines } });
    if (cursor.current.key !== key) return;
    setLines((now) => [...[...found.items].reverse(), ...now]);
    setHasOlder(found.moreAvailable === true);
  };
  return { lines, state: paused ? 'paused' : state, error, gap, hasOlder, loadOlder };
}
