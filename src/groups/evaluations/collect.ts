// Inputs from past work: goals of runs with their results, and questions of chats with their answers.
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Perform } from '../../ports/perform.ts';
import { agentRuns } from '../agent/runs/contract.ts';
import type { FoundRuns } from '../agent/searched.ts';
import { chat } from '../chat/contract.ts';
import type { EvaluationItemDto } from './dto.ts';
import type { EvaluationDatasetDoc } from './record.ts';

interface Deps {
  perform: Perform;
  runs: FoundRuns['runs'];
}

interface Wanted {
  runIds?: readonly number[] | undefined;
  chatSessionIds?: readonly number[] | undefined;
}

/** @throws Fault NOT_FOUND for what the caller may not see, CONFLICT for what is in another project */
export function createCollect({ perform, runs }: Deps) {
  return async (caller: Caller, dataset: EvaluationDatasetDoc, { runIds = [], chatSessionIds = [] }: Wanted) => {
    const found: EvaluationItemDto[] = [];
    for (const id of runIds) {
      // Only what the caller may read.
      await perform(agentRuns, 'get', caller, { params: { id } });
      const run = await runs(caller.tenantId).findOne({ _id: id });
      if (!run) continue;
      requireSame(dataset, run.projectId, `Run ${id}`);
      found.push({ input: run.goal, expected: run.result?.summary || null, source: `run:${id}` });
    }
    for (const id of chatSessionIds) {
      const session = await perform(chat, 'get', caller, { params: { id } });
      requireSame(dataset, session.projectId, `Chat ${id}`);
      const byId = new Map(session.messages.map((message) => [message.id, message]));
      for (const { id: messageId, role, state, content, parentMessageId } of session.messages) {
        const asked = byId.get(parentMessageId ?? 0);
        if (role !== 'assistant' || state !== 'Complete' || asked?.role !== 'user' || !asked.content.trim()) continue;
        found.push({ input: asked.content, expected: content || null, source: `chat:${id}/${messageId}` });
      }
    }
    const known = new Set(dataset.items.map(({ input, source }) => source ?? input));
    return found.filter(({ source }) => !known.has(source ?? ''));
  };
}

/** What is in a project is its members', so it stays there. */
function requireSame({ projectId: own, name }: EvaluationDatasetDoc, projectId: number | null, what: string): void {
  if (own === projectId) return;
  throw new Fault('CONFLICT', `${what} is not in the project of the dataset ${name}.`, {
    hint: projectId === null ? 'Take a dataset without a project.' : `Take a dataset of project ${projectId}.`,
  });
}
