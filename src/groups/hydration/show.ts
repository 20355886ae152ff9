// A context and its receipt as they are answered.

import type { AuthCollections } from '../../auth/collections.ts';
import type { HydrationSource } from '../../contract/enums.ts';
import { type Candidate, type Composed, type Entry, keyOf } from '../../memory/hydration/compose.ts';
import type { UnitsOfTenants } from '../../org-units/units.ts';
import type { Db } from '../../ports/db.ts';
import { shown } from '../../ports/shown.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { personText } from '../agent/briefings/system-text.ts';
import { IdentityHintDto } from '../identities/hints/dto.ts';
import { personalityOf, plainPersonality } from '../identities/settings.ts';
import { toIdentityDto } from '../identities/to-dto.ts';
import { InterestDto } from '../interests/dto.ts';
import type { MemorySearchResult } from '../memories/dto.ts';
import { toListDto } from '../memories/show.ts';
import { createFigures } from '../projects/figures.ts';
import { createShow } from '../projects/show.ts';
import { SessionHandoffDto } from '../session/dto.ts';
import { toRuleDto } from '../standing-rules/show.ts';
import { createShowTasks } from '../tasks/show.ts';
import type { Made } from './book.ts';
import { type HydrationDto, HydrationItemDto, HydrationReceiptDto } from './dto.ts';
import type { Held, KindName } from './kinds.ts';
import type { ReceiptDoc } from './record.ts';

/** Collections that projects are counted from. */
const counted = new Set(['agent_runs', 'project_tasks', 'facts', 'docs']);

export const toItemDto = (entry: Entry) => shown(HydrationItemDto, entry, { id: entry.id });

export const toReceiptDto = (receipt: ReceiptDoc): HydrationReceiptDto =>
  shown(HydrationReceiptDto, receipt, { items: receipt.entries.map(toItemDto) });

interface Deps {
  db: Db;
  auth: AuthCollections;
  units: Pick<UnitsOfTenants, 'treeOf'>;
}

export function createShowHydration({ db, auth, units }: Deps) {
  const [users, identities] = [perTenant(auth.users), perTenant(auth.identities)];
  const projects = createShow({ users, identities, units, figures: createFigures({ db, kept: counted }) });
  const tasks = createShowTasks({ db });

  return async function show(made: Made, receipt: ReceiptDoc, asMarkdown: boolean, at: Date): Promise<HydrationDto> {
    const { session, composed, sheet } = made;
    const { tenantId, identity, config, hits } = session;
    const told = <Name extends KindName>(source: HydrationSource, kind: Name): Held[Name][] =>
      includedOf(composed, source).flatMap((one) => (one.kind === kind ? [sheet.get(keyOf(one)) as Held[Name]] : []));
    const [isTold] = told('Personality', 'identity');
    const [handoff] = told('Handoff', 'handoff');
    const memoriesOf = (source: HydrationSource) => told(source, 'memory').map(toListDto);
    const hitOf = ({ _id }: { _id: number }) => hits.get(_id) as MemorySearchResult['results'][number];
    const nameOf = (id: number | null) => (id === identity._id ? identity.displayName : null);
    return {
      identityId: identity._id,
      identity: toIdentityDto(identity),
      preset: config.preset,
      systemPrompt: isTold ? personText(isTold) : null,
      personality: isTold ? personalityOf(isTold) : plainPersonality,
      identityMemories: memoriesOf('IdentityMemories'),
      pinnedMemories: memoriesOf('PinnedMemories'),
      recentMemories: memoriesOf('RecentMemories'),
      projectMemories: memoriesOf('ProjectMemories'),
      surfacedMemories: told('SurfacedMemories', 'memory').map(hitOf),
      projects: await projects.showAll(tenantId, told('Projects', 'project')),
      tasks: await tasks.all(tenantId, told('Tasks', 'task')),
      keyFacts: told('KeyFacts', 'fact').map(({ dto }) => dto),
      facts: told('Facts', 'fact').map(({ dto }) => dto),
      standingRules: told('StandingRules', 'rule').map((rule) => toRuleDto(rule, nameOf(rule.identityId))),
      hints: told('Hints', 'hint').map((one) => shown(IdentityHintDto, one)),
      pendingReplies: told('PendingReplies', 'message'),
      interests: told('Interests', 'interest').map((one) => shown(InterestDto, one)),
      handoff: handoff ? shown(SessionHandoffDto, handoff, { status: 'Open' as const }) : null,
      markdown: asMarkdown ? composed.markdown : null,
      sources: composed.sources,
      tokenEstimate: composed.tokens,
      tokenBudget: receipt.tokenBudget,
      receipt: toReceiptDto(receipt),
      generatedAtUtc: at.toISOString(),
    };
  };
}

const includedOf = ({ entries }: Composed, source: HydrationSource): Pick<Candidate, 'kind' | 'id'>[] =>
  entries.filter((one) => one.source === source && one.leftOut === null);
