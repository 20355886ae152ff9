// Secrets of the server: keys that sign tokens are rotated, and what an earlier secret sealed is sealed anew.
import { randomBytes } from 'node:crypto';
import { type AuthCollections, userRecord } from '../../auth/collections.ts';
import type { Config } from '../../config.ts';
import { a2aReceiverSpec } from '../../groups/a2a/record.ts';
import { channelRecord } from '../../groups/channels/record.ts';
import { keptResponseSpec } from '../../groups/chat-completions/kept-responses.ts';
import { connectorRecord } from '../../groups/connectors/record.ts';
import type { Outcome, Task, TaskContext } from '../../groups/maintenance/tasks.ts';
import { memoryRecord } from '../../groups/memories/record.ts';
import { markSealedBy } from '../../groups/memories/sealing.ts';
import { webhookRecord } from '../../groups/webhooks/record.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Signer } from '../../kernel/signer.ts';
import { createVault, type Vault } from '../../kernel/vault.ts';
import type { Indexes } from '../../memory/ports.ts';
import { callSpec, providerKeySpec, providerSpec } from '../../ports/ai-router.ts';
import type { AnyCollectionSpec, Collection, CollectionSpec, Db, Entity, Filter } from '../../ports/db.ts';
import { pagesOf } from '../../ports/retention.ts';
import { projectRecord } from '../../projects/record.ts';
import { idempotencyCollection } from '../../stores/idempotency.ts';
import { runs } from '../../stores/runs/collections.ts';
import { nobodysTenant, type SigningKeys, signingKeyMs } from '../signing-keys.ts';
import { forgetFormerSecrets, signAnchorsAnew } from './former-secret.ts';

interface Deps {
  db: Db;
  clock: Clock;
  config: Pick<Config, 'secret' | 'previousSecrets'>;
  signingKeys: SigningKeys;
  signer: Signer;
  auth: Pick<AuthCollections, 'tenants'>;
  /** Encrypts memories. */
  seals: Indexes['seals'];
}

/** Fields that hold sealed text, by collection; `*` stands for each element of a list. */
const sealedFields: readonly { of: AnyCollectionSpec; purpose?: string; paths: readonly string[] }[] = [
  { of: runs, purpose: 'runs', paths: ['environmentJson'] },
  { of: userRecord.spec, purpose: 'second factor', paths: ['totp.sealed', 'totpPending.sealed'] },
  { of: projectRecord.spec, purpose: 'repositories', paths: ['repositoryCredentials.sealed'] },
  { of: webhookRecord.spec, purpose: 'webhooks', paths: ['sealedHeaders', 'secrets.*.sealed'] },
  {
    of: connectorRecord.spec,
    purpose: 'connectors',
    paths: ['sealedCredentials', 'sealedConnectionString', 'headers', 'sealedTokens'],
  },
  { of: a2aReceiverSpec, purpose: 'connectors', paths: ['sealedToken', 'sealedCredentials'] },
  { of: channelRecord.spec, purpose: 'channels', paths: ['sealedUrl', 'sealedSecret'] },
  { of: providerSpec, paths: ['sealedHeaders'] },
  { of: providerKeySpec, paths: ['sealedKey'] },
  { of: callSpec, paths: ['sealedRequest', 'sealedResponse'] },
  { of: keptResponseSpec, paths: ['sealedMessages', 'sealedResponse', 'sealedInput'] },
  { of: idempotencyCollection, purpose: 'idempotency', paths: ['answer.body'] },
];

export function secretTasks(deps: Deps): Record<'RotateSigningKeys' | 'EncryptSecrets', Task> {
  return {
    RotateSigningKeys: {
      scope: 'server',
      takes: [],
      work: async () => {
        const { id, previousUntilUtc } = await deps.signingKeys.rotate(randomBytes(32).toString('base64url'));
        const overlapHours = signingKeyMs / 3_600_000;
        return { processed: 1, result: { keyId: id, previousUntilUtc, overlapHours } };
      },
    },
    EncryptSecrets: { scope: 'server', takes: ['dryRun'], work: (context) => sealAnew(deps, context) },
  };
}

type Open = Entity & Record<string, unknown>;

interface Count {
  sealed: number;
  renewed: number;
  unreadable: number;
}

/** Milliseconds between two looks at what is left, and without any progress until it is given up. */
const lookMs = 200;
const stuckMs = 60_000;

/** Memories are written anew with what they are found by: by their indexing, which is waited for. */
async function encryptAnew({ db, clock, seals }: Deps, { dryRun, step, signal }: TaskContext): Promise<Count> {
  const count: Count = { sealed: 0, renewed: 0, unreadable: 0 };
  if (!seals) return count;
  const memories = db.collection(memoryRecord.spec);
  const by = async (keys: readonly string[]) => {
    let found = 0;
    for (const sealedBy of keys) found += await memories.countDocuments({ sealedBy });
    return found;
  };
  const former = seals.keyIds.filter((key) => key !== seals.keyId);
  count.sealed = await memories.countDocuments({ sealedBy: { $gt: '' } });
  let left = await by(former);
  count.renewed = left;
  count.unreadable = count.sealed - left - (await by([seals.keyId]));
  if (dryRun) return count;
  for (const key of former) await markSealedBy(db, key);
  for (let movedAt = clock.steady(); left > 0; ) {
    await step(count.renewed - left);
    await clock.sleep(lookMs, signal);
    const now = await by(former);
    if (now < left) movedAt = clock.steady();
    left = now;
    if (left > 0 && clock.steady() - movedAt > stuckMs)
      throw new Fault('CONFLICT', `${left} encrypted memories still need the former secret.`, {
        hint: 'Keep RIVULET_PREVIOUS_SECRET; the log says why they cannot be written anew.',
      });
  }
  return count;
}

/** Fields that are sealed, page by page. */
async function sealFieldsAnew({ db, config }: Deps, { dryRun, step }: TaskContext): Promise<Record<string, Count>> {
  const counts: Record<string, Count> = {};
  let looked = 0;
  for (const { of, purpose, paths } of sealedFields) {
    const vault = createVault({ ...config, ...(purpose !== undefined && { purpose }) });
    const count = { sealed: 0, renewed: 0, unreadable: 0 };
    counts[of.name] = count;
    const collection = db.collection(of as CollectionSpec<Open>);
    for await (const page of pagesOf(collection, {})) {
      for (const doc of page) {
        const changes = stale(doc, paths, vault, count);
        if (changes.length === 0) continue;
        if (!dryRun) await write(collection, doc, changes);
        count.renewed += changes.length;
      }
      looked += page.length;
      await step(looked);
    }
  }
  return counts;
}

/** Everything that an earlier secret sealed or signed, so that the earlier secret can be forgotten. */
async function sealAnew(deps: Deps, context: TaskContext): Promise<Outcome> {
  const { dryRun } = context;
  const sealed: Record<string, Count> = {
    ...(await sealFieldsAnew(deps, context)),
    [memoryRecord.spec.name]: await encryptAnew(deps, context),
    signingKeys: await deps.signingKeys.sealAnew(dryRun),
  };
  const auditAnchors = await signAnchorsAnew(deps, dryRun);
  const sum = (of: 'renewed' | 'unreadable') => Object.values(sealed).reduce((total, one) => total + one[of], 0);
  const unreadable = sum('unreadable');
  const error = unreadable > 0 ? `${unreadable} values were sealed with a secret that is not known any more.` : null;
  if (error === null && !dryRun) await forgetFormerSecrets(deps.auth, deps.config);
  return { processed: sum('renewed') + auditAnchors.renewed, result: { ...sealed, auditAnchors }, error };
}

interface Renewal {
  path: string;
  from: string;
  to: string;
}

function stale(
  doc: Open,
  paths: readonly string[],
  vault: Vault,
  count: { sealed: number; unreadable: number },
): Renewal[] {
  const tenantId = (doc.tenantId as number | undefined) ?? nobodysTenant;
  return paths
    .flatMap((path) => textsAt(doc, path.split('.')))
    .flatMap(({ path, text }) => {
      if (!text.startsWith('v1.')) return [];
      count.sealed++;
      if (!vault.isStale(text)) return [];
      try {
        return [{ path, from: text, to: vault.seal(tenantId, vault.open(tenantId, text)) }];
      } catch {
        count.unreadable++;
        return [];
      }
    });
}

/** The texts at a path, with the paths that they really have. */
function textsAt(
  value: unknown,
  [head, ...rest]: string[],
  at: readonly string[] = [],
): { path: string; text: string }[] {
  if (head === undefined) return typeof value === 'string' ? [{ path: at.join('.'), text: value }] : [];
  if (head === '*')
    return Array.isArray(value) ? value.flatMap((one, index) => textsAt(one, rest, [...at, String(index)])) : [];
  if (typeof value !== 'object' || value === null) return [];
  return textsAt((value as Record<string, unknown>)[head], rest, [...at, head]);
}

/** Only where it is still what was read: what was sealed meanwhile is new. */
const write = (collection: Collection<Open>, { _id }: Open, changes: readonly Renewal[]) => {
  const same = Object.fromEntries(changes.map(({ path, from }) => [path, from]));
  const $set = Object.fromEntries(changes.map(({ path, to }) => [path, to]));
  return collection.updateOne({ _id, ...same } as Filter<Open>, { $set } as never);
};
