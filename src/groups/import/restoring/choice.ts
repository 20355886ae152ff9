// What a commit that restores needs to be settled before it begins: who asks, what they may write, the identity and the
// projects that it goes to.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Caller } from '../../../contract/caller.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../ports/ids.ts';
import { requireChangeIn } from '../../../ports/in-project.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import type { ProjectDoc } from '../../../projects/record.ts';
import type { ImportDoc, RestoreChoice } from '../record.ts';
import type { StagedSets } from '../staging.ts';
import { needsOf, wholeKinds, wholeOf } from './wholes.ts';

export interface ChoiceDeps {
  sets: StagedSets;
  ids: Ids;
  identities: PerTenant<IdentityDoc>;
  projects: PerTenant<ProjectDoc>;
}

/** The choice, and the identity that it restores: the one that was named, or the id of one that it makes. */
export interface Chosen {
  restore: RestoreChoice;
  identityId: number;
}

/** @throws Fault FORBIDDEN, VALIDATION_FAILED, DUPLICATE */
export async function chooseRestore(
  deps: ChoiceDeps,
  caller: Caller,
  doc: ImportDoc,
  named: number | null,
): Promise<Chosen> {
  requirePerson(caller);
  await requireRights(deps, caller, doc, named);
  const identityId = named ?? (await newIdentity(deps, doc));
  const projects = await chooseProjects(deps, caller, doc);
  const identityUserId = named === null ? await deps.ids.next('users') : 0;
  const by = { userId: caller.userId as number, ownIdentityId: caller.identityId };
  return { identityId, restore: { makesIdentity: named === null, identityUserId, projects, ...by } };
}

/** What is restored says of itself where it comes from, and may bind agents: a person answers for that. */
function requirePerson({ userId, role }: Caller): void {
  if (userId !== null && role !== 'Agent') return;
  throw new Fault('FORBIDDEN', 'Only people restore an export as it was.', {
    hint: 'Leave restore out: memories and facts of it are kept, as reported.',
  });
}

async function requireRights({ sets }: ChoiceDeps, caller: Caller, doc: ImportDoc, named: number | null) {
  const all = sets.items(doc.tenantId);
  let found = false;
  for (const wholeKind of wholeKinds) {
    const one = await all.findOne({ importId: doc._id, wholeKind, approved: true }, { projection: { _id: 1 } });
    if (!one) continue;
    found = true;
    // An identity that is there keeps what it is like.
    const isLeft = named !== null && (wholeKind === 'identity' || wholeKind === 'soul');
    const missing = isLeft ? undefined : needsOf[wholeKind].find((one) => !caller.permissions.has(one));
    if (missing)
      throw new Fault('FORBIDDEN', `To restore what this import has of the kind ${wholeKind} you need ${missing}.`, {
        hint: 'Leave these entries out with PATCH …/review, or ask for the permission.',
      });
  }
  const chat = await sets
    .conversations(doc.tenantId)
    .findOne({ importId: doc._id, session: { $gt: '' }, approved: true });
  if (chat && !caller.permissions.has('ChatWrite'))
    throw new Fault('FORBIDDEN', 'To restore chats you need ChatWrite.', { hint: 'Leave the chats out.' });
  if (!found && !chat)
    throw new Fault('VALIDATION_FAILED', 'This import is no export of ours, so nothing can be restored as it was.', {
      hint: 'Leave restore out: conversations become memories.',
    });
}

async function newIdentity({ sets, ids, identities }: ChoiceDeps, { tenantId, _id: importId }: ImportDoc) {
  const heads = await sets
    .items(tenantId)
    .find({ importId, wholeKind: 'identity', approved: true }, { limit: 2 })
    .toArray();
  const [head] = heads;
  if (!head || heads.length > 1)
    throw new Fault(
      'VALIDATION_FAILED',
      head
        ? 'The archive has several identities, and they are restored one by one.'
        : 'An import is committed to an identity, and none is named.',
      { hint: head ? 'Upload the portable.json of one of them.' : 'Send identityId, or include the entry identity.' },
    );
  const { name } = wholeOf('identity', head);
  const there = await identities(tenantId).findOne({ nameKey: name.toLowerCase(), deletedAt: null });
  if (there)
    throw new Fault('DUPLICATE', `There is an identity named "${name}" already.`, {
      hint: `Send identityId ${there._id} to restore into it, or rename it first.`,
    });
  return ids.next('identities');
}

/** Projects that are included: one with the same key that is there takes what belongs to it. */
async function chooseProjects({ sets, ids, projects }: ChoiceDeps, caller: Caller, doc: ImportDoc) {
  const chosen: RestoreChoice['projects'] = [];
  const included = { importId: doc._id, wholeKind: 'project', approved: true } as const;
  for await (const item of sets.items(doc.tenantId).find(included, { sort: { _id: 1 } })) {
    const { key } = wholeOf('project', item);
    const there = await projects(doc.tenantId).findOne({ key, deletedAt: null }, { projection: { _id: 1 } });
    if (there) requireChangeIn(caller, there._id);
    chosen.push({ key, projectId: there?._id ?? (await ids.next('projects')), isNew: !there });
  }
  return chosen;
}
