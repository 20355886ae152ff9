// Messages of A2A and texts of runs: what is said to an agent, and what it says.
import { type Message, type Part, Role } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';

export const inputModes = ['text/plain', 'application/json'];

const isText = (mediaType: string): boolean => mediaType === '' || /^text(\/|$)/.test(mediaType) || isJson(mediaType);
const isJson = (mediaType: string): boolean => /^application\/(json|[\w.-]+\+json)(;|$)/.test(mediaType);

/**
 * What a message says, as text for a model.
 *
 * @throws RequestMalformedError, ContentTypeNotSupportedError for what no text can be made of
 */
export function textOf({ parts }: Message): string {
  const text = parts
    .map(wordsOf)
    .filter((part) => part.trim() !== '')
    .join('\n\n');
  if (text === '') throw new RequestMalformedError('message.parts: the message says nothing.');
  return text;
}

function wordsOf({ content, mediaType, filename }: Part): string {
  if (!isText(mediaType))
    throw new ContentTypeNotSupportedError(
      `Parts of ${mediaType.slice(0, 100)} are not taken. Send ${inputModes.join(' or ')}.`,
    );
  switch (content?.$case) {
    case 'text':
      return content.value;
    case 'data':
      return `\`\`\`json\n${JSON.stringify(content.value, null, 2)}\n\`\`\``;
    case 'raw':
      if (mediaType !== '') return `${filename === '' ? '' : `${filename}:\n`}${content.value.toString('utf8')}`;
      throw new ContentTypeNotSupportedError('A file needs its mediaType, which has to be that of a text.');
    case 'url':
      throw new ContentTypeNotSupportedError('Files are not fetched from addresses. Send what they hold.');
    default:
      throw new RequestMalformedError('message.parts: a part needs text, data or raw.');
  }
}

/** @throws RequestMalformedError for a message that lacks what every message has */
export function requireMessage(message: Message | undefined): Message {
  if (!message) throw new RequestMalformedError('message: it is missing.');
  if (message.messageId === '') throw new RequestMalformedError('message.messageId: it is missing.');
  if (message.role !== Role.ROLE_USER)
    throw new RequestMalformedError('message.role: only ROLE_USER speaks to agents.');
  if (message.parts.length === 0) throw new RequestMalformedError('message.parts: there are none.');
  return message;
}

const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

/** A result as parts: JSON as data, anything else as text. */
export function partsOf(text: string): Part[] {
  const value = jsonIn(text);
  if (value === null) return [textPart(text)];
  return [{ content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: 'application/json' }];
}

/** The object or list that a whole text is; null for any other text. */
function jsonIn(text: string): object | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as object;
  } catch {
    return null;
  }
}

/** What the agent says; its name is the same whenever it says the same. */
export function saidByAgent(messageId: string, task: { _id: string; contextId: string }, text: string): Message {
  const { _id: taskId, contextId } = task;
  const none = { metadata: undefined, extensions: [], referenceTaskIds: [] };
  return { messageId, taskId, contextId, role: Role.ROLE_AGENT, parts: [textPart(text)], ...none };
}
