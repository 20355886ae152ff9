// Titles of sessions: the first words at once, and a model's title after the first reply.

import { ask } from './compaction.ts';
import type { LiveReply } from './live.ts';
import type { ChatPorts } from './ports.ts';
import type { SessionRecord } from './records.ts';

const maxTitle = 80;
/** Limit in characters of a model's answer before it is cut to a title. */
const longestTitle = 1000;
/** Output limit in tokens, with room for models that reason first. */
const titleTokens = 400;
const titleTask =
  'Give this conversation a title of three to six words, in its language. Answer with the title alone: no quotes, no full stop.';

/** First words of a message, as a title. */
export function firstWords(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  if (line.length <= 60) return line;
  const cut = line.slice(0, 60);
  return `${cut.slice(0, cut.lastIndexOf(' ') > 30 ? cut.lastIndexOf(' ') : 60)}…`;
}

/** Asks the reply's model for a title. Returns the renamed session, or null when the title stays. */
export async function makeTitle(
  ports: ChatPorts,
  { session, message }: LiveReply,
  question: string,
  signal: AbortSignal,
): Promise<SessionRecord | null> {
  // Scripted models have an answer for each turn of the conversation and none for a title.
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
  // A user may have renamed the session in the meantime.
  const now = await ports.store.session(session.tenantId, session.id);
  if (!now || now.titled) return null;
  return ports.store.change(session.tenantId, session.id, { set: { title, titled: true } });
}
