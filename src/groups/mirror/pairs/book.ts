// The training pairs: how they are added, and what becomes of them by curation.
import type { Caller } from '../../../contract/caller.ts';
import type { CurationStatus } from '../../../contract/enums.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import type { Draft } from '../../../ports/record.ts';
import { shown } from '../../../ports/shown.ts';
import { flagsOf, scan } from '../../../scrub/scrub.ts';
import type { Curator, Curators } from '../curators.ts';
import { TrainingPairDto } from '../dto.ts';
import type { Owned } from '../owned.ts';
import { mayCurate } from '../transitions.ts';
import { type NewPair, pairDraft } from './drafts.ts';
import type { TrainingPairDoc } from './record.ts';

interface Deps {
  pairs: Keeper<TrainingPairDoc>;
  owned: Owned;
  curators: Curators;
  /** Told of pairs that were curated or are gone, so that datasets follow. */
  followed(pair: TrainingPairDoc, how: 'curated' | 'removed'): Promise<void>;
}

export function createPairBook({ pairs, owned, curators, followed }: Deps) {
  /** Null where the pair does not take the status. */
  const curate = async (caller: Caller, curator: Curator, id: number, { to, notes, acceptFlags }: Curation) => {
    const change = (old: TrainingPairDoc): Partial<Draft<TrainingPairDoc>> => {
      if (!mayCurate(old.curationStatus, to)) throw stays(old, to);
      if (to === 'Approved' && !acceptFlags && scrubFlagsOf(old).length > 0) throw stays(old, to);
      return { curationStatus: to, ...curator, ...(notes == null ? {} : { curationNotes: notes }) };
    };
    try {
      return await pairs.change(caller, id, change, { expecting: ['curationStatus'] });
    } catch (error) {
      if (error instanceof Fault && (error.code === 'INVALID_TRANSITION' || error.code === 'NOT_FOUND')) return null;
      throw error;
    }
  };

  return {
    show: (doc: TrainingPairDoc): TrainingPairDto => shown(TrainingPairDto, doc, { scrubFlags: scrubFlagsOf(doc) }),
    add: async (caller: Caller, pair: NewPair) => pairs.insert(caller, pairDraft(await curators.of(caller), pair)),
    async remove(caller: Caller, id: number): Promise<void> {
      const pair = await owned.one(pairs, caller, id);
      await pairs.remove(caller, pair._id);
      await followed(pair, 'removed');
    },
    /** Approves or rejects several; what the caller may not know of, or what stays as it is, is skipped. */
    async curate(caller: Caller, ids: readonly number[], curation: Curation) {
      const { to } = curation;
      const curator = await curators.of(caller);
      if (curator.curatorType !== 'Human')
        throw new Fault('FORBIDDEN', 'Only people approve and reject what is trained on.', {
          hint: 'Ask a person to do it with their own session or key.',
        });
      const wanted = [...new Set(ids)];
      const found = await pairs
        .of(caller.tenantId)
        .find({ _id: { $in: wanted } })
        .toArray();
      const open = new Set((await owned.among(caller, found)).map(({ _id }) => _id));
      const updatedIds: number[] = [];
      for (const id of wanted) {
        const curated = open.has(id) ? await curate(caller, curator, id, curation) : null;
        if (!curated) continue;
        await followed(curated, 'curated');
        updatedIds.push(id);
      }
      const done = new Set(updatedIds);
      const skippedIds = wanted.filter((id) => !done.has(id));
      return {
        ...{ updated: updatedIds.length, skipped: skippedIds.length, updatedIds, skippedIds },
        curationStatus: to,
      };
    },
  };
}
export interface Curation {
  to: 'Approved' | 'Rejected';
  notes?: string | null | undefined;
  /** Somebody has looked at what was found in the texts. */
  acceptFlags?: boolean | null | undefined;
}

/** What is found in any of its texts. */
export const scrubFlagsOf = ({
  systemPrompt,
  userPrompt,
  chosenResponse,
  rejectedResponse,
}: TrainingPairDoc): string[] =>
  flagsOf([systemPrompt, userPrompt, chosenResponse, rejectedResponse].flatMap((text) => scan(text)));

export type PairBook = ReturnType<typeof createPairBook>;

const stays = ({ _id, curationStatus }: TrainingPairDoc, to: CurationStatus) =>
  new Fault('INVALID_TRANSITION', `Training pair ${_id} is ${curationStatus} and cannot become ${to}.`);
