// Names a session: with its first words at once, and with a model's words when the first reply is there.

import { ask } from './compaction.ts';
import type { LiveReply } from './live.ts';
import type { ChatPorts } from './ports.ts';
import type { SessionRecord } from './records.ts';

const maxTitle = 80;
/** What a model may say for a title before it is cut to one. */
const longestTitle = 1000;
/** Room for models that think first. */
const titleTokens = 400;
const titleTask =
  'Give this conversation a title of three to six words, in its language. Answer with the title alone: no quotes, no full stop.';

/** The first words of a message as a title. */
export function firstWords(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  if (line.length <= 60) return line;
  const cut = line.slice(0, 60);
  return `${cut.slice(0, cut.lastIndexOf(' ') > 30 ? cut.lastIndexOf(' ') : 60)}…`;
}

/** Asks the model of the reply for a title; the session as renamed, or null when it keeps its name. */
export async function makeTitle(
  ports: ChatPorts,
  { session, message }: LiveReply,
  question: string,
  signal: AbortSignal,
): Promise<SessionRecord | null> {
  // A script has an answer for each turn of the conversation and none for this.
  if (message.modelId?.startsWith('scripted:')) return null;
  const text = await ask(ports, {
    tenantId: session.tenantId,
    chatSessionId: session.id,
    ...(session.userId !== null && { userId: session.userId }),
    ...(session.identityId !== null && { identityId: session.identityId }),
    modelId: message.options.modelId ?? session.modelId,
    messages: [
      { role: 'system', content: titleTask },
      { role: 'user', content: `${question.slice(0, 2000)}\n\n---\n\n${message.content.slice(0, 2000)}` },
    ],
    purpose: 'Title',
    maxOutputTokens: titleTokens,
    signal,
  });
  const title = text
    .trim()
    .split('\n', 1)[0]
    ?.slice(0, longestTitle)
    .replace(/^["'«“]+|["'»”.]+$/g, '')
    .trim()
    .slice(0, maxTitle);
  if (!title) return null;
  // Somebody may have named it meanwhile.
  const now = await ports.store.session(session.tenantId, session.id);
  if (!now || now.titled) return null;
  return ports.store.change(session.tenantId, session.id, { set: { title, titled: true } });
}
