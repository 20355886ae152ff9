// What a channel is told besides, as JSON: who may decide through it, and what becomes of what comes in.
import { z } from 'zod';
import { Fault } from '../../kernel/fault.ts';
import type { Settings } from '../../outside/channels/types.ts';
import { jsonOr } from '../../outside/channels/verify.ts';

const Schema = z.strictObject({
  deciders: z.array(z.string().trim().min(1).max(200)).max(200).optional(),
  inbound: z.enum(['chat', 'message']).optional(),
});

/** @throws Fault VALIDATION_FAILED */
export function settingsOf(json: string | null): Settings {
  if (json === null || json.trim() === '') return {};
  const read = Schema.safeParse(jsonOr(json));
  if (read.success) return read.data;
  throw new Fault('VALIDATION_FAILED', 'settingsJson is not what a channel knows.', {
    hint: 'Send {"deciders":["U0123"],"inbound":"chat"}: ids of people of the service who may decide, or "*"; and chat or message.',
    field: 'settingsJson',
  });
}
