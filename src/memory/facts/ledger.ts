// Writer of facts: each change is one write of the fact's document, which carries the versions until they are stored.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { type By, nameTaken } from '../../ports/keeper.ts';
import { onceScope } from '../../ports/once.ts';
import { perTenant } from '../../ports/tenanted.ts';
import type { Words } from '../../ports/words.ts';
import { countsOf } from '../recall/words.ts';
import { arrange, createNeighbours, shownBy } from './arrange.ts';
import { type FactDoc, factRecord, versionRecord } from './records.ts';
import { type FactVersion, holdsAt, restated, type Statement, statementOf } from './version.ts';

/** A statement; absent fields stay as they are, or take their defaults in a new version. */
export type Said = Pick<Statement, 'value'> & Partial<Omit<Statement, 'value' | 'retractedAt' | 'recordedAt' | 'seq'>>;

/** Key of the tool call, so that it takes effect once. */
interface Once {
  onceKey?: string;
}

export interface Written {
  fact: FactDoc;
  version: FactVersion;
  /** True when the statement was known and nothing was written. */
  how: 'known' | 'written';
}

export interface LedgerDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  words: Words;
  /** Called with each version that was written, corrected or retracted. */
  told?: (written: Written) => Promise<void>;
}

/** Who wrote what is taken back. */
export type Source = { sourceRunId: number } | { sourceImportId: number };

const isOf = (one: Statement, source: Source): boolean =>
  'sourceRunId' in source ? one.sourceRunId === source.sourceRunId : one.sourceImportId === source.sourceImportId;

export const factKind = 'fact';
/** Scopes of a project's facts in the index of words: current or future ones, and ended ones. */
export const scopeOf = (projectId: number, hasEnded: boolean) => `project:${projectId}${hasEnded ? ':ended' : ''}`;

/** Text shown in place of an erased value. */
const erased = '(unlearned)';

/** Limit of corrections of one version; further changes need a new version. */
const mostCorrections = 500;

export const createLedger = (deps: LedgerDeps) => new Ledger(deps);

export class Ledger {
  readonly facts;
  readonly versions;
  readonly #deps: LedgerDeps;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.facts = perTenant(deps.db.collection(factRecord.spec));
    this.versions = perTenant(deps.db.collection(versionRecord.spec));
  }

  /** A key of a project in its present state. */
  async find(tenantId: number, projectId: number, key: string): Promise<FactDoc | null> {
    const fact = await this.facts(tenantId).findOne({ projectId, key });
    return fact && this.#upToDate(fact);
  }

  /** A version with its fact. */
  async version(tenantId: number, id: number): Promise<{ fact: FactDoc; version: FactVersion } | null> {
    const found = await this.versions(tenantId).findOne({ _id: id });
    const fact = found && (await this.facts(tenantId).findOne({ _id: found.factId }));
    if (!fact) return null;
    const settled = await this.#upToDate(fact);
    const version = await this.versions(tenantId).findOne({ _id: id });
    return version && { fact: settled, version };
  }

  /** Updates a project before a read: completes writes of dead processes, and turns versions whose time has come. */
  async catchUp(tenantId: number, projectId: number): Promise<void> {
    const now = new Date(this.#deps.clock.now());
    const of = this.facts(tenantId);
    const [left, due] = await Promise.all([
      of.find({ projectId, pendingSince: { $lte: now } }).toArray(),
      of.find({ projectId, turnsAt: { $lte: now } }).toArray(),
    ]);
    const all = new Map([...left, ...due].map((fact) => [fact._id, fact]));
    for (const fact of all.values()) await this.#upToDate(fact);
  }

  /** Completes the writes of dead processes for any tenant; runs in the background. */
  async repair(olderThan: Date): Promise<void> {
    const left = this.#deps.db.collection(factRecord.spec).find({ pendingSince: { $lt: olderThan } }, { limit: 500 });
    for await (const fact of left) await this.#settle(fact);
  }

  /** States a key's value from a moment on; the value before ends there. */
  async assert(by: By, projectId: number, key: string, said: Said & Once): Promise<Written> {
    const id = await this.#deps.ids.next('fact_versions');
    for (;;) {
      const fact = await this.find(by.tenantId, projectId, key);
      const known = fact && (await this.#made(fact, id, said.onceKey));
      if (fact && known) return { fact, version: known, how: 'known' };
      const now = this.#nowFor(fact);
      const from = said.validFrom ?? (fact?.isCurrent && fact.validFrom > now ? fact.validFrom : now);
      const same = fact && (await this.#sameAt(fact, from, said.value));
      if (fact && same) return this.#restate(by, fact, same, attributed(same, said));
      const rev = (fact?.rev ?? 0) + 1;
      const factId = fact?._id ?? (await this.#deps.ids.next('facts'));
      const version = newVersion({ ...said, validFrom: from }, { id, factId, projectId, key, now, rev, by });
      const written = await this.#write(by, fact, { factId, projectId, key }, [version], []);
      if (written) return this.#tell(by, written, version._id, null);
    }
  }

  /** Corrects a version: its old value was never true. A new key renames the fact with all its versions. */
  async correct(by: By, id: number, change: Partial<Statement> & { key?: string | undefined }): Promise<Written> {
    for (;;) {
      const { key, ...rest } = change;
      const { fact, version } = await this.#live(by.tenantId, id);
      if (key !== undefined && key !== fact.key && !(await this.#rename(by, fact, key))) continue;
      const current = await this.#live(by.tenantId, id);
      return this.#restate(by, current.fact, key === undefined ? version : current.version, rest);
    }
  }

  /** Retracts a version as if it had never been written: versions that it had closed hold again. */
  async retract(by: By, id: number): Promise<Written> {
    const { fact, version } = await this.#live(by.tenantId, id);
    return this.#restate(by, fact, version, { retractedAt: this.#nowFor(fact) });
  }

  /**
   * Retracts and erases all that a run or an import wrote; returns the ids of the removed versions. A version that
   * another writer had stated returns to that writer's statement.
   */
  async unlearn(by: By, source: Source): Promise<number[]> {
    const written = await this.versions(by.tenantId).find(source).toArray();
    const live = written.filter(({ retractedAt }) => retractedAt === null);
    for (const { _id } of live) {
      const { fact, version } = await this.#live(by.tenantId, _id);
      const theirs = version.earlier.findLast((one) => !isOf(one, source));
      if (theirs) await this.#restate(by, fact, version, statementOf(theirs));
      else await this.retract(by, _id);
      await this.#erase(by, _id, source);
    }
    return live.map(({ _id }) => _id);
  }

  /** Erases an earlier statement of a source in a version that no longer states it. */
  async #erase({ tenantId }: By, id: number, source: Source): Promise<void> {
    const of = this.versions(tenantId);
    const version = await of.findOne({ _id: id });
    if (!version) return;
    const blank = <S extends Statement>(one: S): S => (isOf(one, source) ? { ...one, value: erased } : one);
    const { value, earlier } = { ...blank(version), earlier: version.earlier.map(blank) };
    await of.updateOne({ _id: id, rev: version.rev }, { $set: { value, earlier } });
    const shown = { _id: version.factId, versionId: id, isCurrent: false };
    if (value === erased) await this.facts(tenantId).updateOne(shown, { $set: { value } });
  }

  async #live(tenantId: number, id: number) {
    const found = await this.version(tenantId, id);
    if (found && found.version.retractedAt === null) return found;
    throw new Fault('NOT_FOUND', `There is no fact ${id}.`, {
      hint: 'List them with GET /api/projects/{projectId}/facts.',
    });
  }

  /** Version that an earlier attempt of this write made. */
  #made(fact: FactDoc, id: number, onceKey: string | undefined): Promise<FactVersion | null> {
    const of = this.versions(fact.tenantId);
    if (onceKey !== undefined) return of.findOne({ factId: fact._id, onceKey });
    return onceScope()?.repeated ? of.findOne({ _id: id, factId: fact._id }) : Promise.resolve(null);
  }

  /** Version that states the same for that moment already. */
  async #sameAt(fact: FactDoc, from: Date, value: string): Promise<FactVersion | null> {
    const { before } = createNeighbours(this.versions(fact.tenantId), fact._id, new Map());
    const there = await before({ validFrom: from, seq: Number.MAX_SAFE_INTEGER });
    return there && there.value === value && holdsAt(from, there) ? there : null;
  }

  async #restate(by: By, first: FactDoc, version: FactVersion, change: Partial<Statement>): Promise<Written> {
    for (let fact = first, old = version; ; ) {
      const differs = Object.entries(change).some(
        ([name, value]) => value !== undefined && String(value) !== String(old[name as keyof Statement]),
      );
      if (!differs) return { fact, version: old, how: 'known' };
      if (old.earlier.length >= mostCorrections)
        throw new Fault('CONFLICT', `Fact ${old._id} was corrected ${mostCorrections} times.`, {
          hint: 'Write a new value with POST /api/projects/{projectId}/facts.',
        });
      const rev = fact.rev + 1;
      const isMoved = change.validFrom !== undefined && change.validFrom.getTime() !== old.validFrom.getTime();
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      const now = restated(old, { ...given, ...(isMoved && { seq: rev }) }, { recordedAt: this.#nowFor(fact), rev });
      requireOrder(now);
      const written = await this.#write(by, fact, { ...fact, factId: fact._id }, [now], [old]);
      if (written) return this.#tell(by, written, now._id, old);
      ({ fact, version: old } = await this.#live(by.tenantId, old._id));
    }
  }

  /** Present time, but never before the fact's latest write. */
  #nowFor(fact: FactDoc | null): Date {
    return new Date(Math.max(this.#deps.clock.now(), fact?.seenAt.getTime() ?? 0));
  }

  /** Applies a change in one write; null when a concurrent writer was first. */
  async #write(
    { tenantId }: By,
    old: FactDoc | null,
    { factId, projectId, key }: { factId: number; projectId: number; key: string },
    written: FactVersion[],
    left: FactVersion[],
  ): Promise<FactDoc | null> {
    const now = this.#nowFor(old);
    const rev = (old?.rev ?? 0) + 1;
    const arranged = await arrange(this.versions(tenantId), { factId, written, left, now, rev });
    const { changed, current, turnsAt } = arranged;
    const shown = current ?? (old ? null : (changed[0] as FactVersion));
    const fields = {
      ...(shown && shownBy(shown, current !== null)),
      ...(!current && { isCurrent: false }),
      rev,
      turnsAt,
      seenAt: now,
      pending: changed,
      pendingSince: changed.length > 0 ? now : null,
    };
    if (old) {
      const same = { _id: old._id, rev: old.rev };
      const doc = await this.facts(tenantId).findOneAndUpdate(same, { $set: fields }, { returnDocument: 'after' });
      return doc && this.#settle(doc);
    }
    const doc = { _id: factId, tenantId, projectId, key, createdAt: now, ...fields } as FactDoc;
    try {
      await this.facts(tenantId).insertOne(doc);
      return await this.#settle(doc);
    } catch (error) {
      if (isDuplicate(error)) return null;
      throw error;
    }
  }

  /** Renames a fact; false when a concurrent writer was first. @throws Fault DUPLICATE */
  async #rename({ tenantId }: By, fact: FactDoc, key: string): Promise<boolean> {
    const now = this.#nowFor(fact);
    const $set = { key, rev: fact.rev + 1, seenAt: now, pendingSince: now };
    try {
      const same = { _id: fact._id, rev: fact.rev };
      const doc = await this.facts(tenantId).findOneAndUpdate(same, { $set }, { returnDocument: 'after' });
      if (doc) await this.#settle(doc);
      return doc !== null;
    } catch (error) {
      throw isDuplicate(error) ? nameTaken('fact', key, error) : error;
    }
  }

  async #upToDate(fact: FactDoc): Promise<FactDoc> {
    let now = await this.#settle(fact);
    while (now.turnsAt && now.turnsAt.getTime() <= this.#deps.clock.now()) {
      const turned = await this.#write(now, now, { ...now, factId: now._id }, [], []);
      const next = turned ?? (await this.facts(fact.tenantId).findOne({ _id: fact._id }));
      if (!next) return now;
      now = await this.#settle(next);
    }
    return now;
  }

  /** Stores the versions that a fact carries. Any process may do so, repeatedly. */
  async #settle(fact: FactDoc): Promise<FactDoc> {
    if (fact.pendingSince === null) return fact;
    const { tenantId, _id, rev, key } = fact;
    const of = this.versions(tenantId);
    for (const version of fact.pending) {
      const one = { ...version, key };
      try {
        await of.insertOne(one);
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        await of.replaceOne({ _id: one._id, rev: { $lt: one.rev } }, one);
      }
    }
    // A renamed fact carries no versions: all of them take the new key.
    const renamed = fact.pending.length === 0 ? await of.find({ factId: _id }).toArray() : [];
    if (renamed.length > 0) await of.updateMany({ factId: _id }, { $set: { key } });
    await this.#index([...fact.pending, ...renamed].map((version) => ({ ...version, key })));
    const done = { pending: [], pendingSince: null };
    await this.facts(tenantId).updateOne({ _id, rev }, { $set: done });
    return { ...fact, ...done };
  }

  async #index(versions: readonly FactVersion[]): Promise<void> {
    const { words, clock } = this.#deps;
    for (const one of versions) {
      const { _id: id, tenantId, projectId, key, value, category, validUntil, retractedAt } = one;
      if (retractedAt) await words.remove(factKind, tenantId, [id]);
      else {
        const hasEnded = validUntil !== null && validUntil.getTime() <= clock.now();
        const counts = countsOf(`${key.replace(/[._\-/:]/g, ' ')} ${key} ${category ?? ''} ${value}`);
        await words.upsert(factKind, [{ id, tenantId, scopes: [scopeOf(projectId, hasEnded)], counts }]);
      }
    }
  }

  async #tell(by: By, fact: FactDoc, id: number, before: FactVersion | null): Promise<Written> {
    const version = (await this.versions(by.tenantId).findOne({ _id: id })) as FactVersion;
    noteWrite(by, {
      kind: 'fact',
      how: before ? (version.retractedAt ? 'removed' : 'changed') : 'created',
      doc: version,
      before,
    });
    const written: Written = { fact, version, how: 'written' };
    await this.#deps.told?.(written);
    return written;
  }
}

interface Birth {
  id: number;
  factId: number;
  projectId: number;
  key: string;
  now: Date;
  rev: number;
  by: By;
}

function newVersion(said: Said & Once & { validFrom: Date }, birth: Birth): FactVersion {
  const { id, factId, projectId, key, now, rev, by } = birth;
  const version: FactVersion = {
    _id: id,
    guid: randomUUID(),
    tenantId: by.tenantId,
    factId,
    projectId,
    key,
    value: said.value,
    category: said.category ?? null,
    importance: said.importance ?? 5,
    isCritical: said.isCritical ?? false,
    provenance: said.provenance ?? 'Observed',
    temporalSource: said.temporalSource ?? null,
    validFrom: said.validFrom,
    statedUntil: said.statedUntil ?? null,
    validUntil: said.statedUntil ?? null,
    retractedAt: null,
    sourceRootRunId: said.sourceRootRunId ?? null,
    sourceRunId: said.sourceRunId ?? null,
    sourceChatSessionId: said.sourceChatSessionId ?? null,
    ...(said.sourceImportId != null && { sourceImportId: said.sourceImportId }),
    onceKey: said.onceKey ?? null,
    wasCritical: said.isCritical ?? false,
    earlier: [],
    recordedAt: now,
    createdAt: now,
    updatedAt: now,
    seq: rev,
    rev,
  };
  requireOrder(version);
  return version;
}

/** Change of a known value's statement, with its writer where that is new. */
function attributed(known: FactVersion, said: Said & Once): Partial<Statement> {
  const change = withoutTime(said);
  const isNew = Object.entries(change).some(
    ([name, value]) => String(value) !== String(known[name as keyof Statement]),
  );
  const { sourceRootRunId = null, sourceRunId = null, sourceChatSessionId = null, sourceImportId = null } = said;
  return isNew ? { ...change, sourceRootRunId, sourceRunId, sourceChatSessionId, sourceImportId } : {};
}

/** Repeating a statement does not change when its value began, nor its first writer. */
function withoutTime(said: Said & Once): Partial<Statement> {
  const { category, importance, isCritical, statedUntil } = said;
  return {
    ...(category !== undefined && { category }),
    ...(importance !== undefined && { importance }),
    ...(isCritical !== undefined && { isCritical }),
    ...(statedUntil !== undefined && { statedUntil }),
  };
}

function requireOrder({ validFrom, statedUntil }: Statement): void {
  if (statedUntil && statedUntil <= validFrom)
    throw new Fault('VALIDATION_FAILED', 'A fact cannot end before it begins.', {
      hint: 'Give a validUntilUtc after validFromUtc, or leave it out.',
    });
}
