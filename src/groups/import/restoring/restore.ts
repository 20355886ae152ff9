// Restores an export of ours as it was: everything as what it was, by the ids that each item notes before it is written.
import type { Held } from '../jobs.ts';
import type { CommitChoice, ConversationDoc } from '../record.ts';
import { createRestoringChats } from './chats.ts';
import { createRestoringDocuments, type DocumentDeps } from './documents.ts';
import { createRestoringFacts, type FactDeps } from './facts.ts';
import { createRestoringMail } from './mail.ts';
import { createRestoringRecords, type RecordDeps } from './records.ts';
import { createRestoring } from './restoring.ts';
import { createRestoringRules, type RuleDeps } from './rules.ts';
import { createRestoringRuns, type RunDeps } from './runs.ts';
import type { WorldDeps } from './world.ts';
import { createWorld } from './world.ts';

export type RestoreDeps = WorldDeps & RecordDeps & RuleDeps & DocumentDeps & FactDeps & RunDeps;

/** What memories and conversations that are no chats become, as any commit has it. */
export interface Remembering {
  memories(projectOf: (key: string | null) => number | null): Promise<void>;
  links(): Promise<void>;
  conversation(one: ConversationDoc): Promise<void>;
}

export function createRestore(deps: RestoreDeps) {
  const { sets } = deps;
  const world = createWorld(deps);
  const records = createRestoringRecords(deps);
  const rules = createRestoringRules(deps);
  const documents = createRestoringDocuments(deps);
  const facts = createRestoringFacts(deps);
  const chats = createRestoringChats(deps);
  const runs = createRestoringRuns(deps);
  const mail = createRestoringMail(deps);

  return {
    async all(held: Held, commit: CommitChoice, remember: Remembering): Promise<void> {
      const r = createRestoring(deps, held, commit);
      const { tenantId, _id: importId } = held.doc;
      const steps = [
        () => world.make(r),
        () => records.entities(r),
        () => remember.memories(r.projectOf),
        () => remember.links(),
        () => facts(r),
        () => rules.all(r),
        () => documents.all(r),
        () => records.all(r),
        () => runs.all(r),
        () => mail.all(r),
      ];
      for (const [at, step] of steps.entries()) {
        held.check();
        await step();
        await held.set({ progressPercent: 5 + at * 8 });
      }
      const approved = { importId, approved: true };
      const total = Math.max(1, await sets.conversations(tenantId).countDocuments(approved));
      let done = 0;
      for await (const one of sets.conversations(tenantId).find(approved, { sort: { _id: 1 } })) {
        held.check();
        if (!one.session || !(await chats.restore(r, one))) await remember.conversation(one);
        const progressPercent = Math.min(99, 90 + Math.floor((10 * ++done) / total));
        if (progressPercent > held.doc.progressPercent) await held.set({ progressPercent });
      }
    },
    /** Takes back what was restored besides memories and facts; what holds others comes last. */
    async remove(held: Held): Promise<void> {
      const { doc } = held;
      const { tenantId, _id: importId } = doc;
      if (!doc.commit?.restore) return;
      for (const one of [chats, mail, runs, records, documents, rules]) {
        held.check();
        await one.remove(tenantId, importId);
        await held.set({ progressPercent: held.doc.progressPercent + 10 });
      }
      await world.remove(doc);
    },
  };
}
export type Restore = ReturnType<typeof createRestore>;
