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
import { ownTemperature } from '../identities/settings.ts';

/** What an identity knows that bears on what was said last: memories, facts, rules, tasks. Null for nothing. */
export type Hydrate = (session: SessionRecord, lastWords: string, signal: AbortSignal) => Promise<string | null>;

interface Deps {
  identities: PerTenant<IdentityDoc>;
  profiles: Pick<ToolProfiles, 'findByRole' | 'findByName'>;
  policies: Pick<Policies, 'of'>;
  hydrate?: Hydrate;
  /** What chats are told in any case, from the parts of the server. */
  tells?: readonly ((session: SessionRecord, lastWords: string) => Promise<string | null>)[];
}

/** Tool profiles for this role hold for all chats. */
const chatRole = 'chat';

export function createChatBriefings({ identities, profiles, policies, hydrate, tells = [] }: Deps): ChatBriefings {
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
    async prepare(session, lastWords, signal) {
      const [identity, profile, hydration, told] = await Promise.all([
        identityOf(session),
        profiles.findByRole(session.tenantId, chatRole),
        session.hydrate && session.identityId !== null ? (hydrate?.(session, lastWords, signal) ?? null) : null,
        Promise.all(tells.map((tell) => tell(session, lastWords))),
      ]);
      const ofChats = profile ? [toLayer(`role:${profile.name}`, profile)] : [];
      const policy = await layers.policyWithin(session.tenantId, ofChats, identity);
      const briefing: ChatBriefing = {
        system: identity && [`You are ${identity.displayName}.`, personText(identity)].filter(Boolean).join('\n\n'),
        hydration: [hydration, ...told].filter((text) => text !== null).join('\n\n') || null,
      };
      const temperature = identity && ownTemperature(identity);
      if (temperature != null) briefing.temperature = temperature;
      if (policy) briefing.policy = policy;
      return briefing;
    },
  };
}
