// A chat as a conversation-history document of the Data Transfer Initiative (https://schemas.pub/schemas/24).
import type { MessageRecord } from '../../../runtime/chat/records.ts';
import { redact } from '../../scrub/scrub.ts';

/** Who talks with the AI, as the document names senders. */
export interface Person {
  name: string;
  /** An e-mail address where one is known, else the name to sign in with. */
  identifier: string;
  isEmail: boolean;
}

export interface DtiMessage {
  text: string;
  sentAt: string;
  sender: string;
  channel: 'Web';
  reasoning?: string;
}

export interface DtiChoice {
  includeReasoning: boolean;
  /** Keys, tokens and passwords as they were written; else what they are stands in their place. */
  includeSecrets: boolean;
}

/** What is said of the document as a whole; times in ms. */
export interface DtiDetails {
  createdBy: string;
  at: number;
  startedAt: number;
  endedAt: number;
}

/** What a message is in the document; null for what is no part of the talk: instructions, results of tools, empty replies. */
export function dtiMessage(
  {
    role,
    content,
    reasoning,
    hidden,
    createdAt,
  }: Pick<MessageRecord, 'role' | 'content' | 'reasoning' | 'hidden' | 'createdAt'>,
  person: Person,
  { includeReasoning, includeSecrets }: DtiChoice,
): DtiMessage | null {
  if ((role !== 'user' && role !== 'assistant') || hidden || content === '') return null;
  // There is one AI in a chat, so that it needs no name.
  const sender = role === 'user' ? person.identifier : 'AI';
  const shown = (text: string) => (includeSecrets ? text : redact(text, 'Secret'));
  const said = { text: shown(content), sentAt: new Date(createdAt).toISOString(), sender, channel: 'Web' as const };
  return includeReasoning && reasoning ? { ...said, reasoning: shown(reasoning) } : said;
}

/** The document as text. Without messages it has no list of them, as the schema wants at least one in it. */
export async function* dtiText(
  { createdBy, at, startedAt, endedAt }: DtiDetails,
  { name, identifier, isEmail }: Person,
  messages: AsyncIterable<DtiMessage>,
): AsyncGenerator<string> {
  const [createdAt, startTime, endTime] = [at, startedAt, endedAt].map((time) => new Date(time).toISOString());
  const details = { createdBy, createdAt, startTime, endTime, modality: 'text' };
  const identifiers = [{ name, ...(isEmail && { type: 'email' }), identifier }];
  yield JSON.stringify({ details, identifiers }).slice(0, -1);
  let any = false;
  for await (const message of messages) {
    yield `${any ? ',\n' : ',"messages":[\n'}${JSON.stringify(message)}`;
    any = true;
  }
  yield any ? ']}\n' : '}\n';
}
