// Keeps responses for a month: to be read again, to go on from by their ids, and while they are made in the background.
import type { ModelMessage } from '../../../runtime/model.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Vault } from '../../kernel/vault.ts';
import { type Db, defineCollection } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { perTenant } from '../../ports/tenanted.ts';
import type { OpenAIResponse } from './dto.ts';
import { packMessages, unpackMessages } from './packed-messages.ts';

interface KeptResponseDoc {
  _id: number;
  tenantId: number;
  /** As clients know it, `resp_…`. */
  responseId: string;
  /** Its owner, who alone may read it and go on from it. */
  identityId: number | null;
  userId: number | null;
  previousId: string | null;
  /** Ids of the items of its answer. */
  itemIds?: string[];
  status?: string;
  /** Number of its last event. */
  lastSequence?: number;
  /** Sealed JSON of the messages that this call added, its answer last. */
  sealedMessages: string;
  /** Sealed JSON of the response, and of the items that were asked with. */
  sealedResponse?: string;
  sealedInput?: string;
  /** Last heartbeat of the node that makes it in the background. */
  aliveAt?: Date | null;
  expiresAt: Date;
}

export const keptResponseSpec = defineCollection<KeptResponseDoc>({
  name: 'kept_responses',
  indexes: [
    { keys: { tenantId: 1, responseId: 1 }, unique: true },
    { keys: { tenantId: 1, itemIds: 1 } },
    { keys: { expiresAt: 1 } },
  ],
});

const keptMs = 30 * 86_400_000;
/** Calls that one conversation can hold; each is a read. */
const maxChain = 1_000;
/** Milliseconds without a heartbeat after which a response counts as abandoned. */
const silentMs = 30_000;

export type Item = Record<string, unknown> & { id?: unknown };

export interface KeptResponse {
  response: OpenAIResponse;
  input: Item[];
  lastSequence: number;
}

export interface Keeping extends KeptResponse {
  previousId: string | null;
  messages: ModelMessage[];
}

export type KeptResponses = ReturnType<typeof createKeptResponses>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createKeptResponses({ db, ids, vault, clock }: { db: Db; ids: Ids; vault: Vault; clock: Clock }) {
  const collection = db.collection(keptResponseSpec);
  const of = perTenant(collection);
  const mine = ({ identityId, userId }: Caller, responseId: string) => ({ responseId, identityId, userId });

  const sealed = (tenantId: number, { response, input, messages, lastSequence }: Keeping) => ({
    status: response.status,
    itemIds: response.output.flatMap((item) => idOf(item) ?? []),
    lastSequence,
    sealedMessages: vault.seal(tenantId, packMessages(messages)),
    sealedResponse: vault.seal(tenantId, JSON.stringify(response)),
    sealedInput: vault.seal(tenantId, JSON.stringify(input)),
  });
  const opened = <T>(tenantId: number, text: string) => JSON.parse(vault.open(tenantId, text)) as T;

  const find = async (caller: Caller, responseId: string, field: string | null = null): Promise<KeptResponseDoc> => {
    const kept = await of(caller.tenantId).findOne(mine(caller, responseId));
    if (kept) return kept;
    throw gone(responseId, field);
  };

  return {
    /** Keeps a new response; `working` where it is still being made. */
    async keep(caller: Caller, keeping: Keeping, working = false): Promise<void> {
      const { tenantId, identityId, userId } = caller;
      const now = clock.now();
      await of(tenantId).insertOne({
        _id: await ids.next(keptResponseSpec.name),
        tenantId,
        responseId: keeping.response.id,
        identityId,
        userId,
        previousId: keeping.previousId,
        ...sealed(tenantId, keeping),
        aliveAt: working ? new Date(now) : null,
        expiresAt: new Date(now + keptMs),
      });
    },
    /** Writes down how a response that was made in the background has ended, unless it was cancelled or deleted. */
    async settle(caller: Caller, keeping: Keeping): Promise<void> {
      const change = { ...sealed(caller.tenantId, keeping), aliveAt: null };
      const working = { ...mine(caller, keeping.response.id), status: 'in_progress' };
      await of(caller.tenantId).updateOne(working, { $set: change });
    },
    /** Heartbeat of its node. False when it was cancelled. */
    async alive(caller: Caller, responseId: string): Promise<boolean> {
      const working = { ...mine(caller, responseId), status: 'in_progress' };
      const { matchedCount } = await of(caller.tenantId).updateOne(working, {
        $set: { aliveAt: new Date(clock.now()) },
      });
      return matchedCount > 0;
    },
    /** @throws Fault NOT_FOUND for one that is not there, or is somebody else's */
    async get(caller: Caller, responseId: string): Promise<KeptResponse> {
      const kept = await find(caller, responseId);
      const { sealedResponse, sealedInput, lastSequence = 0, aliveAt = null } = kept;
      if (!sealedResponse || !sealedInput) throw gone(responseId, null);
      const response = opened<OpenAIResponse>(caller.tenantId, sealedResponse);
      if (aliveAt && clock.now() - aliveAt.getTime() > silentMs) {
        const message = 'The server that worked on it has stopped.';
        Object.assign(response, { status: 'failed', error: { code: 'server_error', message } });
      }
      return { response, input: opened<Item[]>(caller.tenantId, sealedInput), lastSequence };
    },
    /** Ends one that is being made, wherever it is. */
    async cancel(caller: Caller, response: OpenAIResponse): Promise<void> {
      const { tenantId } = caller;
      const sealedResponse = vault.seal(tenantId, JSON.stringify(response));
      const working = { ...mine(caller, response.id), status: 'in_progress' };
      await of(tenantId).updateOne(working, { $set: { status: 'cancelled', sealedResponse, aliveAt: null } });
    },
    /** @throws Fault NOT_FOUND */
    async remove(caller: Caller, responseId: string): Promise<void> {
      const { deletedCount } = await of(caller.tenantId).deleteOne(mine(caller, responseId));
      if (deletedCount === 0) throw gone(responseId, null);
    },
    /**
     * All messages up to and with the answer of this response.
     *
     * @throws Fault NOT_FOUND for one that is not there, or is somebody else's
     */
    async conversation(caller: Caller, responseId: string): Promise<ModelMessage[]> {
      const turns: ModelMessage[][] = [];
      for (let id: string | null = responseId; id !== null && turns.length < maxChain; ) {
        const kept: KeptResponseDoc = await find(caller, id, 'previous_response_id');
        turns.push(unpackMessages(vault.open(caller.tenantId, kept.sealedMessages)));
        id = kept.previousId;
      }
      return turns.reverse().flat();
    },
    /** Items of earlier answers by their ids, each with what its provider wants back with it. */
    async items(caller: Caller, itemIds: readonly string[]): Promise<Map<string, { item: Item; state: unknown }>> {
      const { tenantId, identityId, userId } = caller;
      const found = new Map<string, { item: Item; state: unknown }>();
      if (itemIds.length === 0) return found;
      const holders = of(tenantId).find({ itemIds: { $in: itemIds }, identityId, userId }, { limit: maxChain });
      for await (const { sealedResponse, sealedMessages } of holders) {
        if (!sealedResponse) continue;
        const last = unpackMessages(vault.open(tenantId, sealedMessages)).at(-1);
        const state = last?.role === 'assistant' ? last.providerState : undefined;
        for (const item of opened<OpenAIResponse>(tenantId, sealedResponse).output as Item[]) {
          const id = idOf(item);
          if (id !== null && itemIds.includes(id)) found.set(id, { item, state });
        }
      }
      return found;
    },
    /** Deletes responses older than a month; called periodically. */
    async sweep(): Promise<void> {
      await collection.deleteMany({ expiresAt: { $lt: new Date(clock.now()) } });
    },
  };
}

const idOf = (item: unknown): string | null =>
  typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string' ? item.id : null;

const gone = (id: string, field: string | null) =>
  new Fault('NOT_FOUND', `There is no response "${id.slice(0, 100)}".`, {
    ...(field && { field }),
    hint: 'Responses are kept for 30 days, unless store was false; send the whole conversation as input instead.',
  });
