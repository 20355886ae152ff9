// The tool with which a chat asks a council.
import type { z } from 'zod';
import type { Engine } from '../engine.ts';
import { type councilInput, councilOutcome, councilSpec, toParticipants } from '../tools/council-tools.ts';
import type { ChatTool } from './ports.ts';

/** council_convene for chats; `deliberate` holds the council. */
export function chatCouncilTool({ deliberate }: Pick<Engine, 'deliberate'>): ChatTool {
  return {
    ...councilSpec,
    async handler(input, { session, idempotencyKey, signal }) {
      const { question, participants, rounds } = input as z.output<typeof councilInput>;
      const { tenantId, id: chatSessionId, userId, modelId } = session;
      const identityId = session.identityId ?? session.ownerIdentityId;
      const place = { tenantId, chatSessionId, identityId, userId, modelId, signal };
      const draft = { key: idempotencyKey, question, rounds, participants: toParticipants(participants) };
      return councilOutcome(await deliberate(place, draft));
    },
  };
}
