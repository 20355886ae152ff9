// The conformance suite of the Durable Streams protocol, for what a reader sees, on both HTTP adapters.
import { runConformanceTests } from '@durable-streams/server-conformance-tests';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { adapters } from '../../testing/adapters.ts';
import { startDurableServer } from '../../testing/durable-writes.ts';

/** Cases that say nothing of the read path, by a part of their full name. */
const skipped: readonly (readonly [RegExp, string])[] = [
  [/> Fork - /, 'Forks are made by writers: topics have none.'],
  [/producer/i, 'Producers are writers: events come from the server itself.'],
  [/TTL|Expires-At/, 'Topics have no time to live: events are kept for a time, see "Gone" in the tests beside.'],
  [/\bseq(uence)?\b.*(order|value|reject|duplicate|numbers)|with seq$|incrementing seq/i, 'Stream-Seq is of writers.'],
  [/Location header|invalid JSON with 400|original$/, 'Answers to writes.'],
  [/base64|binary streams|binary payload|binary data with special/, 'Messages of topics are JSON, never bytes.'],
];

/** The suite gives a long-poll up after 5 s, unseen: here one that nothing ends is answered after 3 s instead of 20. */
const clock = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(0.15 * ms, run) };

describe.each(adapters)('on $name', ({ adapter }) => {
  const config = { baseUrl: '' };
  let server: Awaited<ReturnType<typeof startDurableServer>>;
  beforeAll(async () => {
    server = await startDurableServer(adapter, { clock });
    config.baseUrl = server.url;
  });
  afterAll(() => server.close());
  beforeEach(({ task, skip }) => {
    const names: string[] = [];
    for (let at: { name: string; suite?: unknown } | undefined = task; at; at = at.suite as typeof at)
      names.unshift(at.name);
    const name = names.join(' > ');
    const reason = skipped.find(([pattern]) => pattern.test(name))?.[1];
    if (reason !== undefined) skip(reason);
  });
  runConformanceTests(config);
});
