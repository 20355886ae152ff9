// Digest of tool output for the model: very long output is shortened and also summarised.
import type { ModelMessage } from '../../model.ts';
import { type Core, type LiveRun, Stop } from '../records/core.ts';
import { auxCall } from './aux-call.ts';
import { modelOf, plainBriefing } from './prompt.ts';
import { shape } from './tool-call.ts';

const digestTokens = 800;
/** Limit in characters of the output that the summary is made from. */
const readChars = 200_000;

/** The output, shortened to the limit; a summary stands above it when it is very long and the budget allows one. */
export async function digest(core: Core, live: LiveRun, toolName: string, content: string): Promise<string> {
  const { toolOutputChars, summarizeAboveChars } = core.options;
  if (content.length <= summarizeAboveChars) return shape(content, toolOutputChars);
  const summary = await summarize(core, live, toolName, content.slice(0, readChars));
  if (!summary) return shape(content, toolOutputChars);
  return `[Summary of ${content.length} characters]\n${summary}\n[Head and tail]\n${shape(content, Math.floor(toolOutputChars / 2))}`;
}

async function summarize(core: Core, live: LiveRun, toolName: string, content: string): Promise<string | null> {
  const messages: ModelMessage[] = [
    {
      role: 'system',
      content: `Summarise the output of the tool ${toolName} for an agent whose goal is: ${live.run.goal.slice(0, 2000)}\nKeep names, numbers, ids, paths and errors. At most 400 words.`,
    },
    { role: 'user', content },
  ];
  const modelId = modelOf(live.run, live.briefing ?? plainBriefing);
  const fits = core.model.limits(modelId).contextTokens;
  if (content.length / 3 > fits) messages[1] = { role: 'user', content: content.slice(0, fits * 2) };
  try {
    return await auxCall(core, live, { modelId, messages, maxOutputTokens: digestTokens, purpose: 'Summary' });
  } catch (error) {
    if (error instanceof Stop || live.abort.signal.aborted) throw error;
    return null;
  }
}
