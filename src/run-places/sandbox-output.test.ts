import { expect, it } from 'vitest';
import type { SandboxChunk } from '../../sandbox/output/chunk.ts';
import { silentLogger } from '../kernel/logger.ts';
import { createOutputPublisher } from './sandbox-output.ts';

const chunk = (seq: number) => ({ seq, stream: 'Stdout', text: `${seq}`, base64: null }) as SandboxChunk;

it('publishes chunks in order, whatever the look-up of the tenant takes', async () => {
  const seen: unknown[] = [];
  const publisher = { publish: async ({ data }: { data: unknown }) => void seen.push((data as SandboxChunk).seq) };
  const lookups: ((run: { tenantId: number }) => void)[] = [];
  const findRun = () => new Promise<{ tenantId: number }>((resolve) => lookups.push(resolve));
  const put = createOutputPublisher({ publisher, findRun, log: silentLogger });
  for (let seq = 1; seq <= 50; seq++) put(7, chunk(seq));
  expect(lookups).toHaveLength(1);
  lookups[0]?.({ tenantId: 1 });
  for (let seq = 51; seq <= 60; seq++) put(7, chunk(seq));
  await new Promise(setImmediate);
  expect(seen).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
});
