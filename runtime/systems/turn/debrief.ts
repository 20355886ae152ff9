// Debrief of a run on its tools at its end, for the people who maintain them.
import type { ModelMessage } from '../../model.ts';
import { commitOwned } from '../records/commits.ts';
import { type Core, type LiveRun, Stop } from '../records/core.ts';
import { auxCall } from './aux-call.ts';
import { modelOf, plainBriefing } from './prompt.ts';

const debriefTokens = 600;
/** Limit of the newest messages that the debrief covers. */
const lookedAt = 60;

const task =
  'The work is done. Debrief on the tools for the people who maintain them: which helped, which failed or misled you and how, what was missing. At most 300 words, no preamble.';

/**
 * Stores a note of type ToolDebrief where the run was asked for one; a failure does not keep the run from
 * completing.
 */
export async function debrief(core: Core, live: LiveRun): Promise<void> {
  const { run } = live;
  if (!run.requestToolDebrief || !core.desk) return;
  const used = live.messages.filter((message) => message.role === 'tool').slice(-lookedAt);
  if (used.length === 0) return;
  const lines = used.map((one) => `${one.toolName}${one.isError ? ' (error)' : ''}: ${one.content.slice(0, 500)}`);
  const messages: ModelMessage[] = [
    { role: 'system', content: task },
    {
      role: 'user',
      content: `Goal: ${run.goal.slice(0, 2000)}\n\nResults of tools, oldest first:\n${lines.join('\n')}`,
    },
  ];
  try {
    const modelId = modelOf(run, live.briefing ?? plainBriefing);
    const content = await auxCall(core, live, {
      modelId,
      messages,
      maxOutputTokens: debriefTokens,
      purpose: 'Reflection',
    });
    if (!content?.trim()) return;
    await core.desk.addNote(run, { type: 'ToolDebrief', content: content.trim() }, `debrief-${run.id}-${run.restarts}`);
    await commitOwned(core, live, () => ({ events: [{ type: 'NoteAdded', title: 'Tool debrief', message: content }] }));
  } catch (error) {
    if (error instanceof Stop || live.abort.signal.aborted) throw error;
    core.log.warn({ err: error, runId: run.id }, 'a run gave no debrief on its tools');
  }
}
