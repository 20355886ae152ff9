// A chat as Markdown to read. What people and models said is quoted, so that it cannot pass for the document's own words.
import type { ChatAttachment, ChatToolCall } from '../../../runtime/chat/records.ts';
import { redact } from '../../scrub/scrub.ts';
import { fenced } from '../agent/runs/export/code.ts';
import type { ChatMessageDoc, ChatSessionDoc } from '../chat/documents.ts';
import { tagsIn } from '../chat/filing.ts';
import type { DtiChoice } from './dti.ts';

type Shown = (text: string) => string;

/** Text within a line, as it is written. */
const words = (text: string) =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#&|~$]/g, '\\$&');

/** Markdown in a quote: what it leaves open ends with it. */
const quoted = (text: string) => `${text.replace(/\r\n?/g, '\n').trimEnd().replace(/^/gm, '> ')}\n\n`;

/** What most readers of Markdown show as one line until it is opened. */
const folded = (line: string, body: string) => `<details>\n<summary>${line}</summary>\n\n${body}</details>\n\n`;

const html = (text: string) => words(text).replace(/\\?[<>&"]/g, (sign) => `&#${sign.charCodeAt(sign.length - 1)};`);

const call = ({ name, status, argumentsJson, resultJson }: ChatToolCall, shown: Shown): string =>
  folded(
    `Tool ${html(name)}: ${status}`,
    fenced(shown(argumentsJson), 'json') + (resultJson === null ? '' : fenced(shown(resultJson), 'json')),
  );

const attachment = ({ kind, name, mimeType, url, text, base64 }: ChatAttachment, shown: Shown): string => {
  const bytes = text !== null ? Buffer.byteLength(text) : base64 !== null ? Buffer.byteLength(base64, 'base64') : null;
  const about = [kind, mimeType, bytes === null ? null : `${bytes} bytes`].filter((one) => one !== null).join(', ');
  return `- ${words(shown(name ?? url ?? kind)) || kind} (${words(about)})\n`;
};

const speakers = { user: 'Question', assistant: 'Answer', tool: 'Result', system: 'Instruction' } as const;

/** One message; empty for what is no part of the talk: instructions, and what is hidden from the model. */
export function messageMarkdown(
  message: ChatMessageDoc,
  { includeReasoning, includeSecrets }: DtiChoice,
  tellPlace: boolean,
): string {
  const { role, content, reasoning, hidden, steps, attachments, state, modelId } = message;
  if (hidden || role === 'system') return '';
  const shown: Shown = (text) => (includeSecrets ? text : redact(text, 'Secret'));
  const place = message.parentId === null ? 'the beginning' : `after message ${message.parentId}`;
  const about = [
    new Date(message.createdAt).toISOString(),
    ...(role === 'assistant' && modelId ? [words(modelId)] : []),
    ...(state === 'Complete' ? [] : [state]),
    ...(tellPlace ? [place] : []),
  ].join(' · ');
  const head = `## ${speakers[role]}${tellPlace ? ` (message ${message._id})` : ''}\n\n${about}\n\n`;
  if (role === 'tool') return head + folded(`Tool ${html(message.toolName ?? '')}`, fenced(shown(content), 'text'));
  const calls = steps.flatMap(({ toolCalls }) => toolCalls).map((one) => call(one, shown));
  const files = attachments.map((one) => attachment(one, shown)).join('');
  return [
    head,
    includeReasoning && reasoning ? folded('Reasoning', quoted(shown(reasoning))) : '',
    ...calls,
    content === '' ? '' : quoted(shown(content)),
    files && `Attachments:\n\n${files}\n`,
  ].join('');
}

export interface ChatMarkdownOptions extends DtiChoice {
  /** Messages of every branch, each with the one that it follows; else one branch as it was said. */
  allBranches: boolean;
  /** When it is written, ms. */
  at: number;
}

export async function* chatMarkdown(
  session: Pick<ChatSessionDoc, '_id' | 'title' | 'folder' | 'tagText'>,
  messages: AsyncIterable<ChatMessageDoc>,
  options: ChatMarkdownOptions,
): AsyncGenerator<string> {
  const { includeSecrets, allBranches, at } = options;
  const shown: Shown = (text) => words(includeSecrets ? text : redact(text, 'Secret'));
  const title = shown(session.title);
  const { folder } = session;
  const tags = tagsIn(session.tagText);
  const filed = [
    ...(folder ? [`Folder: ${shown(folder)}`] : []),
    ...(tags.length > 0 ? [`Tags: ${tags.map(shown).join(', ')}`] : []),
  ];
  const what = allBranches ? 'all branches, the oldest message first' : 'one branch';
  yield `# ${title || `Chat ${session._id}`}\n\nChat ${session._id}, ${what}, as of ${new Date(at).toISOString()}.\n\n`;
  if (filed.length > 0) yield `${filed.join(' · ')}\n\n`;
  for await (const message of messages) yield messageMarkdown(message, options, allBranches);
}
