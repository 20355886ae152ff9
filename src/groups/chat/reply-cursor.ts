// Ids of a reply's events: `m<message>.<index>`, unique and increasing within the reply, whatever else its chat tells.
import type { ChatStreamEventDto } from './dto.ts';

export interface ReplyCursor {
  messageId: number;
  /** Number of the last event that its holder has. */
  index: number;
}

const form = /^m(\d{1,15})\.(\d{1,10})$/;

export const replyEventId = ({ messageId, index }: Pick<ChatStreamEventDto, 'messageId' | 'index'>): string =>
  `m${messageId}.${index}`;

/** Null for other texts, such as the ids of the chat's topic, from which a reply can be resumed, too. */
export function parseReplyCursor(text: string | null): ReplyCursor | null {
  const [, messageId, index] = (text !== null && form.exec(text)) || [];
  return messageId === undefined ? null : { messageId: Number(messageId), index: Number(index) };
}
