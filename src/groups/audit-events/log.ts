// Appends to the audit log: entries that come at the same time are chained and stored by one write.
import { AsyncResource } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Collection, Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { genesis, hashOf, personalDigestOf } from './chain.ts';
import type { Draft } from './entry.ts';
import { type AuditEventDoc, aboutOf, auditHeads, auditRecord } from './record.ts';

interface Waiting {
  draft: Draft;
  at: Date;
  resolve(): void;
  reject(error: unknown): void;
}

type Head = Pick<AuditEventDoc, 'seq' | 'hash'>;

interface Chain {
  waiting: Waiting[];
  isWriting: boolean;
  /** The newest entry, as far as this node knows. */
  head: Head | null;
}

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  /** Told of entries after they were stored. */
  stored: (entries: readonly AuditEventDoc[]) => void;
}

/** Resolves when the entry is stored: who waits for it before answering has told of all that was answered. */
export type Append = (draft: Draft) => Promise<void>;

export function createAuditLog({ db, ids, clock, stored }: Deps): Append {
  const heads = db.collection(auditHeads);
  const chains = new Map<number, Chain>();

  const write = async (tenantId: number, chain: Chain): Promise<void> => {
    while (chain.waiting.length > 0) {
      const some = chain.waiting.splice(0);
      try {
        const written = await store({ db, ids }, tenantId, chain, some);
        for (const one of some) one.resolve();
        const head = { $max: { seq: written.at(-1)?.seq ?? 0 } };
        // The next batch tells it anew where this fails.
        heads.updateOne({ _id: tenantId }, head, { upsert: true }).catch(() => undefined);
        stored(written);
      } catch (error) {
        for (const one of some) one.reject(error);
      }
    }
    chain.isWriting = false;
  };

  // Of no request: what is written for many must not count as the work of the one that came first.
  const begin = AsyncResource.bind((tenantId: number, chain: Chain) => {
    setImmediate(() => void write(tenantId, chain));
  });

  return (draft) => {
    const { tenantId } = draft;
    const chain = chains.get(tenantId) ?? { waiting: [], isWriting: false, head: null };
    chains.set(tenantId, chain);
    return new Promise((resolve, reject) => {
      chain.waiting.push({ draft, at: new Date(clock.now()), resolve, reject });
      if (chain.isWriting) return;
      chain.isWriting = true;
      begin(tenantId, chain);
    });
  };
}

async function newest(entries: Collection<AuditEventDoc>, tenantId: number): Promise<Head> {
  const [last] = await entries.find({ tenantId }, { sort: { seq: -1 }, limit: 1 }).toArray();
  return last ?? { seq: 0, hash: genesis };
}

/** Entries with their place in the chain after `head`. */
async function link(ids: Ids, some: readonly Waiting[], head: Head): Promise<AuditEventDoc[]> {
  const linked: AuditEventDoc[] = [];
  let { seq, hash: prevHash } = head;
  for (const { draft, at } of some) {
    const salt = randomBytes(12).toString('base64url');
    const entry = {
      ...draft,
      _id: await ids.next(auditRecord.spec.name),
      guid: randomUUID(),
      seq: ++seq,
      salt,
      personalDigest: personalDigestOf(salt, draft),
      about: aboutOf(draft),
      prevHash,
      createdAt: at,
    };
    prevHash = hashOf(entry);
    linked.push({ ...entry, hash: prevHash });
  }
  return linked;
}

/** Stores entries after the newest one; another node may have been faster, then after its. */
async function store(
  { db, ids }: Pick<Deps, 'db' | 'ids'>,
  tenantId: number,
  chain: Chain,
  some: Waiting[],
): Promise<AuditEventDoc[]> {
  const entries = db.collection(auditRecord.spec);
  for (let left = some, written: AuditEventDoc[] = []; ; ) {
    chain.head ??= await newest(entries, tenantId);
    const linked = await link(ids, left, chain.head);
    try {
      await entries.insertMany(linked);
      const last = linked.at(-1) as AuditEventDoc;
      chain.head = { seq: last.seq, hash: last.hash };
      return [...written, ...linked];
    } catch (error) {
      chain.head = null;
      if (!isDuplicate(error)) throw error;
      // A store may have taken some of them before the one that was in the way.
      const guids = linked.map(({ guid }) => guid);
      const taken = await entries.find({ tenantId, guid: { $in: guids } }).toArray();
      written = [...written, ...linked.filter(({ guid }) => taken.some((one) => one.guid === guid))];
      left = left.filter((_, at) => !taken.some(({ guid }) => guid === linked[at]?.guid));
      if (left.length === 0) return written;
    }
  }
}
