// Entries of the audit log: each operation that was carried out, refused or failed, with the documents that it wrote.
import { createHash } from 'node:crypto';
import type { Caller } from '../contract/caller.ts';

/** One document that was written. */
export interface Write {
  /** What such a document is called, e.g. `role`. */
  kind: string;
  how: 'created' | 'changed' | 'removed';
  id: number | string;
  /** What people call it, where it has a name. */
  name: string | null;
  /** Fields that differ between before and after; none where it was created or removed. */
  fields: readonly string[];
  /** Digest of the document as it was; null for a new one. */
  before: string | null;
  /** Digest of it as it is; null for one that was removed. */
  after: string | null;
}

/** An operation for the audit log, once a request: a repeat that gets the kept answer has no entry. */
export interface AuditedOperation {
  /** E.g. `Roles_patch`. */
  id: string;
  group: string;
  /** Null where nobody was signed in. */
  caller: Caller | null;
  /** `Denied` where the caller lacks the right, or is nobody. */
  outcome: 'Success' | 'Denied' | 'Failed';
  /** The code and message of what it failed with. */
  fault: { code: string; message: string } | null;
  params: Readonly<Record<string, string | number>>;
  /** The validated input, secrets included: never store those. Undefined where the request failed before validation. */
  body: unknown;
  writes: readonly Write[];
  /** Of an operation that nobody signed in for: the account that it was about, e.g. whose password was reset. */
  account: { tenantId: number; userId: number } | null;
  requestId: string;
  ip: string;
  userAgent: string | null;
}

/** Hears of each write and each denied attempt before its caller is answered. */
export type Audit = (operation: AuditedOperation) => void | Promise<void>;

const watched = new WeakMap<object, Write[]>();

/** A caller whose writes are noted in the list; for one request. */
export function watchWrites<By extends Caller | null>(caller: By): { caller: By; writes: Write[] } {
  const writes: Write[] = [];
  if (caller === null) return { caller, writes };
  const own = { ...caller };
  watched.set(own, writes);
  return { caller: own, writes };
}

interface Noted {
  kind: string;
  how: Write['how'];
  /** As it is now; of a removed one, as it was. */
  doc: object;
  /** As it was; null for a new one. */
  before: object | null;
}

/** Notes a write for the audit log; keepers do so by themselves. What the server writes on its own is not noted. */
export function noteWrite(by: object, noted: Noted): void {
  watched.get(by)?.push(writeOf(noted));
}

function writeOf({ kind, how, doc, before }: Noted): Write {
  const { _id, name = null } = doc as { _id: number | string; name?: string | null };
  return {
    kind,
    how,
    id: _id,
    name: typeof name === 'string' ? name : null,
    fields: how === 'changed' && before ? changedFields(before, doc) : [],
    before: how === 'created' || !before ? null : digestOf(before),
    after: how === 'removed' ? null : digestOf(doc),
  };
}

/** What an operation knows of itself, before it is carried out (no result yet) or after. */
export interface About {
  params: Readonly<Record<string, string | number>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  caller: Caller | null;
  result: unknown;
}

/** A document as it is kept. */
export interface KeptAs {
  _id: number | string;
  tenantId?: number;
}

/**
 * Finds the documents that an operation is about, for operations that write by other means than keepers: they are read
 * before and after it, and those that differ are noted.
 */
export interface Subject {
  /** What such a document is called, e.g. `run`. */
  kind: string;
  find(about: About): Promise<readonly KeptAs[]>;
}

/** The subject of an operation, by its group and id; undefined for one that notes its own writes. */
export type SubjectOf = (operationId: string) => Subject | undefined;

/** The writes that lie between two looks at the same subject. */
export function writesBetween(kind: string, before: readonly KeptAs[], after: readonly KeptAs[]): Write[] {
  const old = new Map(before.map((doc) => [doc._id, doc]));
  const now = new Map(after.map((doc) => [doc._id, doc]));
  const changed = after.map((doc) => {
    const was = old.get(doc._id) ?? null;
    return writeOf({ kind, how: was ? 'changed' : 'created', doc, before: was });
  });
  const removed = before.filter(({ _id }) => !now.has(_id));
  return [
    ...changed.filter((write) => write.before !== write.after),
    ...removed.map((doc) => writeOf({ kind, how: 'removed', doc, before: doc })),
  ];
}

/** SHA-256 of a document, whatever the order of its fields. */
export const digestOf = (doc: object): string => createHash('sha256').update(canonical(doc)).digest('hex');

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function changedFields(before: object, after: object): string[] {
  const [old, now] = [before, after] as Record<string, unknown>[];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => canonical(old?.[name] ?? null) !== canonical(now?.[name] ?? null)).sort();
}
