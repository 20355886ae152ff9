// Members of a spawn tree, as a value: a changed copy costs as much in a tree of a thousand runs as in one of ten.

export interface TreeMember {
  parent: number | null;
  depth: number;
  identityId: number;
  /** Idempotency key of its spawn. */
  key: string | null;
  /** Requested stop; no model call of a stopped member is ever reserved. */
  stop: 'cancel' | 'pause' | null;
  ended: boolean;
  /** True while a node holds its lease. */
  active: boolean;
  tokens: number;
  costUsd: number;
}

/** Members that a copy holds apart from the map that it shares with the one before. */
const apartLimit = 32;

/** What each spawn and each change of a tree asks of its members; a copy carries it on. */
interface Sums {
  /** Children of each member that has some, in order of their ids. */
  children: ReadonlyMap<number, readonly number[]>;
  /** Children by the keys of their spawns. All copies share it: it may name some that are not of this one. */
  keyed: Map<string, number[]>;
  /** Number of members that have not ended. */
  live: number;
  /** Number of members that are at work, or will be without a new command. */
  busy: number;
}

const isBusy = ({ active, ended, stop }: TreeMember) => active || (!ended && stop === null);
const keyOf = (parent: number, key: string) => `${parent}:${key}`;

/** Members by their ids; iterated in order of the ids. No member ever leaves. */
export class Members {
  readonly #shared: ReadonlyMap<number, TreeMember>;
  readonly #apart: ReadonlyMap<number, TreeMember>;
  readonly #sums: Sums;

  private constructor(shared: ReadonlyMap<number, TreeMember>, apart: ReadonlyMap<number, TreeMember>, sums: Sums) {
    this.#shared = shared;
    this.#apart = apart;
    this.#sums = sums;
  }

  /** Members as documents hold them. */
  static of(stored: Readonly<Record<string, TreeMember>>): Members {
    const none = new Members(new Map(), new Map(), { children: new Map(), keyed: new Map(), live: 0, busy: 0 });
    return none.with(new Map(Object.entries(stored).map(([id, member]) => [Number(id), member])));
  }

  get(id: number): TreeMember | undefined {
    return this.#apart.get(id) ?? this.#shared.get(id);
  }

  get live(): number {
    return this.#sums.live;
  }

  get busy(): number {
    return this.#sums.busy;
  }

  *[Symbol.iterator](): Generator<[id: number, member: TreeMember]> {
    for (const id of [...new Set([...this.#shared.keys(), ...this.#apart.keys()])].sort((a, b) => a - b))
      yield [id, this.get(id)!];
  }

  /** Children of a member, in order of their ids. */
  childrenOf(id: number): readonly number[] {
    return this.#sums.children.get(id) ?? [];
  }

  /** The child that a spawn with this idempotency key has made. */
  childByKey(parent: number, key: string): number | undefined {
    const isIt = (id: number) => this.get(id)?.parent === parent && this.get(id)?.key === key;
    return this.#sums.keyed.get(keyOf(parent, key))?.find(isIt);
  }

  /** A copy with changed or added members; these themselves where there are none. */
  with(some: ReadonlyMap<number, TreeMember>): Members {
    if (some.size === 0) return this;
    const sums = summed(this, this.#sums, some);
    if (this.#apart.size + some.size <= apartLimit)
      return new Members(this.#shared, new Map([...this.#apart, ...some]), sums);
    return new Members(new Map([...this.#shared, ...this.#apart, ...some]), new Map(), sums);
  }

  /** Members that are other ones in a copy before, or none. */
  changedSince(before: Members): Record<string, TreeMember> {
    const some = this.#shared === before.#shared ? this.#apart : new Map([...this.#shared, ...this.#apart]);
    const changed: Record<string, TreeMember> = {};
    for (const [id, member] of some) if (before.get(id) !== member) changed[id] = member;
    return changed;
  }
}

function summed(before: Pick<Members, 'get'>, sums: Sums, some: ReadonlyMap<number, TreeMember>): Sums {
  let { live, busy, keyed } = sums;
  const added = new Map<number, number[]>();
  for (const [id, member] of some) {
    const old = before.get(id);
    live += Number(!member.ended) - Number(old !== undefined && !old.ended);
    busy += Number(isBusy(member)) - Number(old !== undefined && isBusy(old));
    const { parent, key } = member;
    if (old || parent === null) continue;
    append(added, parent, id);
    if (key !== null) append(keyed, keyOf(parent, key), id);
  }
  if (added.size === 0) return { ...sums, live, busy };
  const children = new Map(sums.children);
  for (const [parent, ids] of added) {
    const siblings = [...(children.get(parent) ?? []), ...ids];
    // Ids are drawn before the tree is asked, so that a later one may come first.
    if (siblings.some((id, at) => id < (siblings[at - 1] ?? 0))) siblings.sort((one, other) => one - other);
    children.set(parent, siblings);
  }
  return { children, keyed, live, busy };
}

function append<Key>(lists: Map<Key, number[]>, key: Key, id: number): void {
  const list = lists.get(key);
  if (list) list.push(id);
  else lists.set(key, [id]);
}
