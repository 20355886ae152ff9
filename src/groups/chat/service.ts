// The operations on chat sessions; the chat engine makes the replies.
import type { ChatPorts } from '../../../runtime/chat/ports.ts';
import { implement } from '../../contract/operation.ts';
import { chat } from './contract.ts';
import { sessionRecord } from './documents.ts';
import { type FeedbackDeps, feedbackHandlers } from './feedback.ts';
import { labelHandlers } from './labels.ts';
import { type MessagesDeps, messageHandlers } from './messages.ts';
import { type RepliesDeps, replyHandlers } from './replies.ts';
import { type SessionsDeps, sessionHandlers } from './sessions.ts';
import { availableTools } from './tools.ts';

type ChatDeps = SessionsDeps & MessagesDeps & RepliesDeps & FeedbackDeps & Pick<ChatPorts, 'tools' | 'briefings'>;

export const chatService = implement(chat, (deps: ChatDeps) => ({
  ...sessionHandlers(deps),
  ...labelHandlers(deps),
  ...messageHandlers(deps),
  ...replyHandlers(deps),
  ...feedbackHandlers(deps),
  tools: async ({ caller, params, query, request }) => {
    const session = sessionRecord(await deps.access.session(caller, params.sessionId));
    return availableTools(deps, session, query, request.signal);
  },
}));
