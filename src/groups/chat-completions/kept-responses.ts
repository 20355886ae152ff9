// Keeps responses for a month, so that a later call can go on from one by its id.
import type { ModelMessage } from '../../../runtime/model.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Vault } from '../../kernel/vault.ts';
import { type Db, defineCollection } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { perTenant } from '../../ports/tenanted.ts';

interface KeptResponseDoc {
  _id: number;
  tenantId: number;
  /** As clients know it, `resp_…`. */
  responseId: string;
  /** Only who made it may go on from it. */
  identityId: number | null;
  userId: number | null;
  previousId: string | null;
  /** Sealed JSON of the messages that this call added, its answer last. */
  sealedMessages: string;
  expiresAt: Date;
}

export const keptResponseSpec = defineCollection<KeptResponseDoc>({
  name: 'keptResponses',
  indexes: [{ keys: { tenantId: 1, responseId: 1 }, unique: true }, { keys: { expiresAt: 1 } }],
});

const keptMs = 30 * 86_400_000;
/** Calls that one conversation can hold; each is a read. */
const maxChain = 1_000;

export type KeptResponses = ReturnType<typeof createKeptResponses>;

export function createKeptResponses({ db, ids, vault, clock }: { db: Db; ids: Ids; vault: Vault; clock: Clock }) {
  const collection = db.collection(keptResponseSpec);
  const of = perTenant(collection);
  return {
    async keep(
      { tenantId, identityId, userId }: Caller,
      response: { responseId: string; previousId: string | null; messages: ModelMessage[] },
    ): Promise<void> {
      const { responseId, previousId, messages } = response;
      const sealedMessages = vault.seal(tenantId, pack(messages));
      const expiresAt = new Date(clock.now() + keptMs);
      const _id = await ids.next(keptResponseSpec.name);
      await of(tenantId).insertOne({
        _id,
        tenantId,
        responseId,
        identityId,
        userId,
        previousId,
        sealedMessages,
        expiresAt,
      });
    },
    /**
     * All messages up to and with the answer of this response.
     *
     * @throws Fault NOT_FOUND for one that is not there, or is somebody else's
     */
    async conversation({ tenantId, identityId, userId }: Caller, responseId: string): Promise<ModelMessage[]> {
      const turns: ModelMessage[][] = [];
      for (let id: string | null = responseId; id !== null && turns.length < maxChain; ) {
        const kept: KeptResponseDoc | null = await of(tenantId).findOne({ responseId: id, identityId, userId });
        if (!kept) throw gone(id);
        turns.push(unpack(vault.open(tenantId, kept.sealedMessages)));
        id = kept.previousId;
      }
      return turns.reverse().flat();
    },
    /** Forgets what is older than a month. To be called now and then. */
    async sweep(): Promise<void> {
      await collection.deleteMany({ expiresAt: { $lt: new Date(clock.now()) } });
    },
  };
}

const gone = (id: string) =>
  new Fault('NOT_FOUND', `There is no response "${id.slice(0, 100)}".`, {
    field: 'previous_response_id',
    hint: 'Responses are kept for 30 days, unless store was false; send the whole conversation as input instead.',
  });

interface Image {
  type: 'image' | 'file';
  data: unknown;
}

/** Images are bytes or addresses, which JSON has no words for. */
const pack = (messages: ModelMessage[]): string =>
  JSON.stringify(messages, (_, value: unknown) => (isImage(value) ? { ...value, data: packed(value.data) } : value));

const packed = (data: unknown) =>
  data instanceof URL ? { url: data.href } : { base64: Buffer.from(data as Uint8Array).toString('base64') };

const unpack = (json: string): ModelMessage[] =>
  JSON.parse(json, (_, value: unknown) => (isImage(value) ? { ...value, data: unpacked(value.data) } : value));

function unpacked(data: unknown): Uint8Array | URL {
  const { url, base64 } = data as { url?: string; base64?: string };
  return url === undefined ? Buffer.from(base64 ?? '', 'base64') : new URL(url);
}

const isImage = (value: unknown): value is Image =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  (value.type === 'image' || value.type === 'file') &&
  'mediaType' in value;
