// Keeps a long session within the model's window: the older part of a branch becomes a summary before the call.
import type { ModelMessage, ModelRequest, ModelTool } from '../model.ts';
import { estimateMessage, estimatePrompt } from '../systems/turn/budgets.ts';
import { sinceSummary } from './branch.ts';
import type { ChatPorts } from './ports.ts';
import { conversation } from './prompt.ts';
import type { MessageRecord } from './records.ts';

/** Compaction starts at this share of the window; the constant below is the share that the newest messages keep. */
const fullShare = 0.75;
const keptShare = 0.35;
const summaryTokens = 1200;
/** Limit in characters of the transcript that a summary is written from. */
const transcriptLimit = 60_000;

const task =
  'Summarise this conversation for the assistant that goes on with it: what the person wants and who they are, facts, names and numbers, decisions, what was tried, what is open. At most 600 words, in the language of the conversation. No preamble.';

export interface Compaction {
  branch: readonly MessageRecord[];
  /** System messages before the conversation; like the tools they cannot be shortened. */
  fixed: readonly ModelMessage[];
  tools: readonly ModelTool[];
  modelId: string;
  /** The model whose window counts: the one that answered last, where routes choose. */
  sizedBy: string;
  maxOutputTokens: number | undefined;
  /** True after the provider refused the prompt's size: compacts whatever the estimate says. */
  force: boolean;
  /** Fields of the session for the usage ledger. */
  about: Omit<ModelRequest, 'modelId' | 'messages' | 'purpose'>;
}

/** The branch, with a summary where it was too long; the same array when nothing changed. */
export async function compact(ports: ChatPorts, request: Compaction): Promise<readonly MessageRecord[]> {
  const { branch, fixed, tools, sizedBy, force } = request;
  const limits = ports.model.limits(sizedBy);
  const output = Math.min(request.maxOutputTokens ?? limits.maxOutputTokens, limits.contextTokens / 4);
  const room = limits.contextTokens - output;
  const used = estimatePrompt([...fixed, ...conversation(branch)], tools);
  if (!force && used < room * fullShare) return branch;
  // After a refusal that the estimate did not predict, the estimate is wrong; half of it is smaller in any case.
  const cut = cutPoint(branch, Math.min(room * keptShare, force ? used / 2 : room));
  const last = branch[cut - 1];
  if (!last) return branch;
  const summary = await summarise(ports, request, branch.slice(0, cut)).catch((error: unknown) => {
    request.about.signal.throwIfAborted();
    const { tenantId: tenant, chatSessionId } = request.about;
    ports.log.warn(
      { err: error, tenant, chatSessionId, messageId: last.id },
      'a conversation could not be summarised: its beginning is dropped',
    );
    return null;
  });
  const text = summary?.trim() || 'The beginning of the conversation was dropped, as it was too long.';
  await ports.store.patch(last.tenantId, last.id, { summary: text });
  return branch.map((message) => (message.id === last.id ? { ...message, summary: text } : message));
}

/** Number of oldest messages to drop so that the rest fits; the newest question and its answers stay. */
function cutPoint(branch: readonly MessageRecord[], room: number): number {
  const { rest } = sinceSummary(branch);
  const first = branch.length - rest.length;
  const newest = branch.findLastIndex(({ role }) => role === 'user');
  let tokens = 0;
  let cut = branch.length;
  while (cut > first) {
    tokens += conversation([branch[cut - 1] as MessageRecord]).reduce((sum, one) => sum + estimateMessage(one), 0);
    if (tokens > room && cut <= newest) break;
    cut--;
  }
  // Tool results stay together with the call that they answer.
  while (cut > first && branch[cut]?.role === 'tool') cut--;
  return cut > first ? cut : 0;
}

async function summarise(ports: ChatPorts, request: Compaction, older: readonly MessageRecord[]): Promise<string> {
  const transcript = conversation(older).map(asText).join('\n').slice(-transcriptLimit);
  const messages: ModelMessage[] = [
    { role: 'system', content: task },
    { role: 'user', content: transcript },
  ];
  const { about, modelId } = request;
  return ask(ports, { ...about, modelId, messages, purpose: 'Summary', maxOutputTokens: summaryTokens });
}

/** Answer text of one call without tools. */
export async function ask(ports: ChatPorts, request: ModelRequest): Promise<string> {
  let text = '';
  for await (const event of ports.model.stream(request)) if (event.type === 'text') text += event.delta;
  return text;
}

function asText(message: ModelMessage): string {
  const content =
    typeof message.content === 'string'
      ? message.content
      : message.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join(' ');
  return `${message.role}: ${content.slice(0, 4000)}`;
}
