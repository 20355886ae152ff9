// Asks every source of a hydration what it proposes, and finds again what a receipt names.
import { HydrationSource } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Candidate, Entry, Proposal } from '../../memory/hydration/compose.ts';
import type { Held, KindName, Kinds, Session } from './kinds.ts';
import { isEnabled, type Sources } from './sources.ts';

interface Deps {
  kinds: Kinds;
  sources: Sources;
  clock: Clock;
}

/** What was found, by kind and id: for answers that show it whole. */
export type Sheet = ReadonlyMap<string, Held[KindName]>;

export interface Gathered {
  proposals: Proposal[];
  sheet: Sheet;
}

interface AnyKind {
  idOf(doc: unknown): number;
  textOf(doc: unknown, session: Session): string;
  load(session: Session, ids: number[]): Promise<unknown[]>;
}
interface AnySource {
  kind: KindName;
  limit(session: Session): number;
  find(session: Session, limit: number): Promise<unknown[]>;
  why(doc: unknown, session: Session): string;
}

export function createGathering({ kinds, sources, clock }: Deps) {
  const kindOf = (name: string) => kinds[name as KindName] as AnyKind | undefined;

  async function ask(name: HydrationSource, session: Session, sheet: Map<string, unknown>): Promise<Proposal> {
    const source = sources[name] as AnySource;
    const kind = kindOf(source.kind) as AnyKind;
    const limit = source.limit(session);
    const enabled = isEnabled(session, name) && limit > 0;
    const from = clock.steady();
    const found = enabled ? await source.find(session, limit + 1) : [];
    const candidates = found.slice(0, limit).flatMap((doc): Candidate[] => {
      const text = kind.textOf(doc, session);
      const id = kind.idOf(doc);
      sheet.set(`${source.kind}:${id}`, doc);
      return text === '' ? [] : [{ source: name, kind: source.kind, id, text, why: source.why(doc, session) }];
    });
    return { source: name, enabled, candidates, candidateCount: found.length, tookMs: clock.steady() - from };
  }

  return {
    /** @param leaving - sources that somebody else tells */
    async gather(session: Session, leaving: ReadonlySet<HydrationSource> = new Set()): Promise<Gathered> {
      const sheet = new Map<string, Held[KindName]>();
      const names = HydrationSource.options.filter((one) => !leaving.has(one));
      return { proposals: await Promise.all(names.map((name) => ask(name, session, sheet))), sheet };
    },
    /** The candidates of a receipt as they read now; what is gone, or may not be known any more, is not among them. */
    async again(session: Session, entries: readonly Entry[]): Promise<Candidate[]> {
      const texts = new Map<string, string>();
      for (const name of new Set(entries.map(({ kind }) => kind))) {
        const kind = kindOf(name);
        if (!kind) continue;
        const ids = [...new Set(entries.filter((one) => one.kind === name).map(({ id }) => id))];
        for (const doc of await kind.load(session, ids))
          texts.set(`${name}:${kind.idOf(doc)}`, kind.textOf(doc, session));
      }
      return entries.flatMap(({ source, kind, id, why }) => {
        const text = texts.get(`${kind}:${id}`);
        return text ? [{ source, kind, id, why, text }] : [];
      });
    },
  };
}
export type Gathering = ReturnType<typeof createGathering>;
