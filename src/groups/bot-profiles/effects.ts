// What a bot's profile does to the chats of its identity.
import type { ChatBriefing } from '../../../runtime/chat/ports.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { personText } from '../agent/briefings/system-text.ts';
import type { BotProfileDoc } from './record.ts';

/** Instructions of a bot: its own, or who its identity is; and the greeting that stands before the first message. */
export function botText(identity: IdentityDoc, bot: BotProfileDoc): string {
  const { displayName, systemPromptOverride, greeting } = bot;
  const own = systemPromptOverride ?? [`You are ${displayName}.`, personText(identity)].filter(Boolean).join('\n\n');
  return greeting ? `${own}\n\nYou have greeted the person with these words: ${greeting}` : own;
}

/** The model that a bot asks; undefined where routes or the default model choose. */
export const botModel = ({ routeId, defaultModelId }: Pick<BotProfileDoc, 'routeId' | 'defaultModelId'>) =>
  routeId === null ? (defaultModelId ?? undefined) : `route:${routeId}`;

/** What holds in its chats where neither the message nor the session says otherwise. */
export function botDefaults(bot: BotProfileDoc): Partial<ChatBriefing> {
  const { reasoningEffort, enabledTools, maxContextMessages } = bot;
  const modelId = botModel(bot);
  return {
    ...{ enabledTools, maxContextMessages },
    ...(modelId !== undefined && { modelId }),
    ...(reasoningEffort !== null && { reasoningEffort }),
  };
}
