// Suggestions: what chats propose to remember of a person, until that person decides or a month has passed.
import { z } from 'zod';
import { PersonalMemoryCategory } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import { type Publisher, personalTopic } from '../../ports/stream.ts';
import { isQuoted } from '../memories/quoted.ts';
import { type MemoryGate, passForTool } from '../memory-gate.ts';
import type { PartTool } from '../part.ts';
import { PersonalMemorySuggestionDto } from './dto.ts';
import { type SuggestionDoc, suggestionRecord } from './record.ts';

export const toSuggestionDto = (doc: SuggestionDoc, sourceIdentityName: string | null): PersonalMemorySuggestionDto =>
  shown(PersonalMemorySuggestionDto, doc, { sourceIdentityName });

interface Deps {
  suggestions: Keeper<SuggestionDoc>;
  publisher: Publisher;
  gate: MemoryGate;
  /** The person of a chat. */
  personOf(tenantId: number, chatSessionId: number): Promise<number | null>;
}

const input = z.strictObject({
  content: z.string().trim().min(1).max(2000),
  category: PersonalMemoryCategory.default('Other'),
  reason: z.string().trim().max(500).optional(),
  confidence: z.number().min(0).max(1).default(0.7),
});

/** The tool by which a chat proposes something; nothing is remembered until the person says so. */
export function createSuggestTool({ suggestions, publisher, personOf, gate }: Deps): PartTool<z.output<typeof input>> {
  return {
    name: 'personal_memory_suggest',
    toolSet: 'memory',
    displayName: 'Propose to remember',
    description:
      'Propose to remember something about the person you talk with: one lasting fact or wish, in a sentence. They decide.',
    risk: 'Safe',
    category: 'memory',
    source: 'Memory',
    sandboxed: false,
    input,
    handler: async (said, { tenantId, identityId, chatSessionId }) => {
      const userId = chatSessionId === null ? null : await personOf(tenantId, chatSessionId);
      if (userId === null) return { content: 'There is no person here: this works in chats.', isError: true };
      if (isQuoted(said.content)) return 'Not proposed: that is what was recalled. Say what is new.';
      const texts = { content: said.content, reason: said.reason ?? null };
      const passed = await passForTool(gate, tenantId, texts);
      if (passed.refused !== null) return passed.refused;
      const { content, reason } = passed.fields;
      const known = await suggestions
        .of(tenantId)
        .findOne({ userId, content, status: { $in: ['Pending', 'Rejected'] } });
      if (known) return known.status === 'Pending' ? 'Proposed already.' : 'They do not want that to be remembered.';
      const suggestion = await suggestions.insert(
        { tenantId },
        {
          userId,
          content,
          category: said.category,
          reason,
          confidence: said.confidence,
          status: 'Pending',
          sourceIdentityId: identityId,
          sourceChatSessionId: chatSessionId,
          sourceMessageId: null,
          memoryId: null,
          decidedAt: null,
        },
      );
      const data = { ...toSuggestionDto(suggestion, null), content: '', reason: null };
      await publisher.publish({
        tenantId,
        topics: [personalTopic('me', { userId })],
        type: 'suggestion.created',
        data,
      });
      return `Proposed; the person decides.${passed.note}`;
    },
  };
}

/** Milliseconds after which what nobody decided has expired. */
const expiryMs = 30 * 24 * 60 * 60_000;

/** The background work that ends suggestions which nobody decided. */
export function createExpiry({ db, clock }: { db: Db; clock: Clock }) {
  const all = db.collection(suggestionRecord.spec);
  return async (): Promise<void> => {
    const decidedAt = new Date(clock.now());
    const before = new Date(clock.now() - expiryMs);
    await all.updateMany({ status: 'Pending', createdAt: { $lt: before } }, { $set: { status: 'Expired', decidedAt } });
  };
}
