// The tool with which a run, or a chat, asks a council.
import { z } from 'zod';
import { Fault } from '../../src/kernel/fault.ts';
import type { ToolDefinition, ToolOutcome, ToolSpec } from '../ports.ts';
import type { CouncilRecord, Participant } from '../state/council.ts';
import { holdCouncil, requireSpeakers } from '../systems/councils/councils.ts';
import { runHost } from '../systems/councils/hosts.ts';
import type { Core } from '../systems/records/core.ts';

const participant = z.strictObject({
  name: z.string().min(1).max(100),
  role: z.string().max(2000).optional(),
  modelId: z.string().max(200).optional(),
  identityId: z.int().optional(),
});

export const councilInput = z.strictObject({
  question: z.string().min(1).max(8000),
  participants: z
    .array(z.union([z.string().min(1).max(100), participant]))
    .min(2)
    .max(12),
  rounds: z.int().min(1).max(6).default(2),
});

/** Declaration of council_convene. */
export const councilSpec: ToolSpec = {
  name: 'council_convene',
  displayName: 'Convene a council',
  description:
    'Have several participants deliberate on a question in rounds and vote. Returns the consensus, or the positions with the dissent.',
  category: 'council',
  source: 'Agent',
  risk: 'Safe',
  sandboxed: false,
  input: councilInput as z.ZodType<unknown>,
  timeoutMs: 30 * 60_000,
};

/** council_convene for runs. */
export function councilTools(core: Core): ToolDefinition[] {
  const handler: ToolDefinition['handler'] = async (input, { run, idempotencyKey }) => {
    const live = core.live.get(run.id);
    if (!live) throw new Fault('CONFLICT', 'Only a running run can convene a council.');
    const { question, participants, rounds } = input as z.output<typeof councilInput>;
    const draft = { key: idempotencyKey, question, rounds, participants: toParticipants(participants) };
    await requireSpeakers(core, run, draft.participants);
    return councilOutcome(await holdCouncil(core, runHost(core, live), draft));
  };
  return [{ ...councilSpec, toolSet: 'council', handler }];
}

/**
 * Participants from a model's arguments: a name alone is a role as well. Fault VALIDATION_FAILED for a repeated
 * name.
 */
export function toParticipants(named: z.output<typeof councilInput>['participants']): Participant[] {
  const all = named.map((one) => (typeof one === 'string' ? { name: one, role: one } : one));
  if (new Set(all.map((one) => one.name)).size < all.length) {
    throw new Fault('VALIDATION_FAILED', 'Each participant needs a name of its own.');
  }
  return all.map((one) => ({
    name: one.name,
    role: one.role ?? null,
    modelId: ('modelId' in one ? one.modelId : null) ?? null,
    identityId: ('identityId' in one ? one.identityId : null) ?? null,
  }));
}

/** Outcome of a council as the result of a tool call. */
export function councilOutcome({ id, status, consensusJson }: CouncilRecord): Pick<ToolOutcome, 'content' | 'isError'> {
  const outcome: unknown = consensusJson === null ? null : JSON.parse(consensusJson);
  return { content: JSON.stringify({ councilId: id, status, outcome }), isError: status === 'Failed' };
}
