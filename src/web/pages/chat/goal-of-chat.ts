// A chat as the goal of a run: the last question is what is to be done, the words before it are what is known.
import type { ChatSessionDetailDto } from '../../../client/index.ts';
import { branchTo } from '../../state/branches.ts';

/** Characters that a goal may have, less some for what people add. */
const mostChars = 30_000;

/** What a run shall do for this chat; the newest words are kept where not all fit. Empty for a chat without words. */
export function goalOfChat({ messages, activeMessageId }: Pick<ChatSessionDetailDto, 'messages' | 'activeMessageId'>) {
  const said = branchTo(messages, activeMessageId)
    .map(({ message }) => message)
    .filter(({ content, hidden }) => content.trim() !== '' && !hidden);
  const at = said.findLastIndex(({ role }) => role === 'user');
  const question = said[at]?.content.trim().slice(0, mostChars) ?? '';
  const around = said.filter((_, index) => index !== at);
  const lines = around.map(({ role, content }) => `${role === 'user' ? 'User' : 'Assistant'}: ${content.trim()}`);
  const heading = '\n\nThe conversation so far:\n\n';
  const room = mostChars - question.length - heading.length;
  const context = lines.join('\n\n');
  if (context === '' || room <= 0) return question;
  return `${question}${heading}${context.length > room ? `…${context.slice(1 - room)}` : context}`;
}
