// The tool with which a run asks a council.
import { z } from 'zod';
import { Fault } from '../../src/kernel/fault.ts';
import type { ToolDefinition } from '../ports.ts';
import type { Bag } from '../systems/bag.ts';
import { holdCouncil } from '../systems/councils.ts';
import { builtIn } from './built-in.ts';

const participant = z.strictObject({
  name: z.string().min(1).max(100),
  role: z.string().max(2000).optional(),
  modelId: z.string().max(200).optional(),
  identityId: z.int().optional(),
});

/** council_convene. */
export function councilTools(bag: Bag): ToolDefinition[] {
  const tool = builtIn({
    name: 'council_convene',
    displayName: 'Convene a council',
    description:
      'Have several participants deliberate on a question in rounds and vote. Returns the consensus, or the positions with the dissent.',
    input: z.strictObject({
      question: z.string().min(1).max(8000),
      participants: z
        .array(z.union([z.string().min(1).max(100), participant]))
        .min(2)
        .max(12),
      rounds: z.int().min(1).max(6).default(2),
    }),
    async handler({ question, participants, rounds }, { run, idempotencyKey }) {
      const live = bag.live.get(run.id);
      if (!live) throw new Fault('CONFLICT', 'Only a running run can convene a council.');
      const named = participants.map((one) => (typeof one === 'string' ? { name: one, role: one } : one));
      if (new Set(named.map((one) => one.name)).size < named.length) {
        throw new Fault('VALIDATION_FAILED', 'Each participant needs a name of its own.');
      }
      const council = await holdCouncil(bag, live, {
        key: idempotencyKey,
        question,
        rounds,
        participants: named.map((one) => ({
          name: one.name,
          role: one.role ?? null,
          modelId: ('modelId' in one ? one.modelId : null) ?? null,
          identityId: ('identityId' in one ? one.identityId : null) ?? null,
        })),
      });
      const outcome: unknown = council.consensusJson === null ? null : JSON.parse(council.consensusJson);
      return {
        content: JSON.stringify({ councilId: council.id, status: council.status, outcome }),
        isError: council.status === 'Failed',
      };
    },
  });
  return [{ ...tool, timeoutMs: 30 * 60_000 }];
}
