// Key columns of a collection.
import type { Rollup } from '../../ports/db.ts';
import type { PlainObject } from '../subset/values.ts';
import type { SlotKind } from './catalog.ts';
import { decodeDocument } from './codec.ts';
import { fieldsOf } from './index-record.ts';
import { compileFilter, type Predicate } from './matcher.ts';

/** A key column: of a path, or, for sparse and partial indexes, of whether a document belongs to the index. */
export interface Slot {
  readonly number: number;
  readonly kind: SlotKind;
  readonly path: string | null;
  readonly parts: readonly string[];
  readonly member: Predicate | null;
  readonly source: string;
  readonly filter: PlainObject | null;
  /** Length of a time bucket in ms. */
  readonly bucketMs: number | null;
  /** Fields of the document that the key is made of. */
  readonly fields: readonly string[];
  /** Whether the path has ever reached an array. */
  arrays: boolean;
  /** Whether a unique index holds this path; such a path may not reach an array. */
  readonly unique: boolean;
}

/** A column as the catalog has it. */
export function slotOf(
  { number, kind, source }: Pick<Slot, 'number' | 'kind' | 'source'>,
  { arrays, unique }: Pick<Slot, 'arrays' | 'unique'>,
): Slot {
  const path = kind === 'path' ? source : null;
  const bucket = kind === 'bucket' ? (JSON.parse(source) as Rollup['per']) : null;
  const parts = (bucket?.path ?? (kind === 'member' ? null : source))?.split('.') ?? [];
  const filter = kind === 'member' ? decodeDocument<PlainObject>(source) : null;
  return {
    number,
    kind,
    path,
    parts,
    source,
    filter,
    bucketMs: bucket?.ms ?? null,
    member: filter && compileFilter(filter),
    fields: filter ? fieldsOf(filter) : parts.slice(0, 1),
    arrays,
    unique,
  };
}
