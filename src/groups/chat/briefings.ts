// Who answers in a chat: the identity's person and context, and what it may use.
import type { ChatBriefing, ChatBriefings } from '../../../runtime/chat/ports.ts';
import type { SessionRecord } from '../../../runtime/chat/records.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { personText } from '../agent/briefings/system-text.ts';
import { createToolLayers, toLayer } from '../agent/briefings/tool-layers.ts';
import type { ToolProfiles } from '../agent/tool-profiles/profiles.ts';
import { botDefaults, botText } from '../bot-profiles/effects.ts';
import type { BotProfileDoc } from '../bot-profiles/record.ts';
import { ownTemperature } from '../identities/settings.ts';
import { type RecalledItem, recalledIn, type Told, toldTexts } from '../part.ts';

type Tell = (session: SessionRecord, lastWords: string) => Promise<string | Told | null>;

interface Deps {
  identities: PerTenant<IdentityDoc>;
  profiles: Pick<ToolProfiles, 'findByRole' | 'findByName'>;
  policies: Pick<Policies, 'ofWork'>;
  /** What chats are told in any case, from the parts of the server; and what strangers' chats are. */
  tells?: readonly Tell[];
  strangerTells?: readonly Tell[];
  /** The bot that an identity is; null for most. */
  botOf?: (tenantId: number, identityId: number) => Promise<BotProfileDoc | null>;
  /** Told of what was recalled for each reply. */
  recalled?: (session: SessionRecord, items: readonly RecalledItem[]) => Promise<void>;
}

/** Tool profiles for this role hold for all chats. */
const chatRole = 'chat';

export function createChatBriefings(deps: Deps): ChatBriefings {
  const { identities, profiles, policies, tells = [], strangerTells = [], recalled } = deps;
  const layers = createToolLayers({ identities, profiles, policies, getRun: async () => null });
  const identityOf = async ({ tenantId, id, identityId }: SessionRecord): Promise<IdentityDoc | null> => {
    if (identityId === null) return null;
    const identity = await identities(tenantId).findOne({ _id: identityId, deletedAt: null });
    if (identity?.isActive) return identity;
    throw new Fault('NOT_FOUND', `The identity ${identityId} of this session is gone or not active.`, {
      hint: `Give the session another one with PATCH /api/chat/sessions/${id}.`,
    });
  };
  return {
    async prepare(session, lastWords) {
      const { tenantId, identityId } = session;
      const [identity, bot, profile, told] = await Promise.all([
        identityOf(session),
        identityId === null ? null : (deps.botOf?.(tenantId, identityId) ?? null),
        profiles.findByRole(tenantId, chatRole),
        Promise.all((session.stranger ? strangerTells : tells).map((tell) => tell(session, lastWords))),
      ]);
      const ofChats = profile ? [toLayer(`role:${profile.name}`, profile)] : [];
      const policy = await layers.policyWithin(session, ofChats, identity);
      const briefing: ChatBriefing = {
        system:
          identity && bot
            ? botText(identity, bot)
            : identity && [`You are ${identity.displayName}.`, personText(identity)].filter(Boolean).join('\n\n'),
        hydration: toldTexts(told),
        ...(bot && botDefaults(bot)),
      };
      const items = recalledIn(told);
      if (items.length > 0) await recalled?.(session, items);
      const temperature = bot?.temperature ?? (identity && ownTemperature(identity));
      if (temperature != null) briefing.temperature = temperature;
      if (policy) briefing.policy = policy;
      return briefing;
    },
  };
}
