// Serves imports: takes archives, shows what was read of them, and has them committed, taken back or discarded.
import type { Acting } from '../../auth/acting.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import { requireChangeIn } from '../../ports/in-project.ts';
import { isMarked, onceScope, ownMark } from '../../ports/once.ts';
import { shown } from '../../ports/shown.ts';
import type { Archives } from './archives.ts';
import { imports as contract } from './contract.ts';
import { decide } from './deciding.ts';
import { ImportConversationDetailDto, ImportMessageDto, type ImportReviewDto } from './dto.ts';
import { type Jobs, jobOf } from './jobs.ts';
import { type Imports, ownerOf, ownImports, toImportDto } from './keeping.ts';
import type { CommitChoice, ConversationDoc, ImportDoc } from './record.ts';
import { type ChoiceDeps, chooseRestore } from './restoring/choice.ts';
import type { StagedSets } from './staging.ts';
import { draftOf, requireFile } from './upload.ts';

interface Deps extends ChoiceDeps {
  imports: Imports;
  archives: Archives;
  jobs: Jobs;
  acting: Pick<Acting, 'require'>;
  clock: Clock;
  review(doc: ImportDoc, wanted: object): Promise<ImportReviewDto>;
}

/** Milliseconds that a request waits for the job that it has begun. */
const patienceMs = 8000;
const defaultImportance = 5;

export const importService = implement(contract, (deps: Deps) => {
  const { imports, review, sets } = deps;
  const find = async (caller: Caller, id: number) => {
    const doc = await imports.find(caller, id);
    if (doc?.owner === ownerOf(caller)) return doc;
    throw new Fault('NOT_FOUND', `There is no import ${id}.`, { hint: 'List yours with GET /api/import.' });
  };
  return {
    list: async ({ caller, query }) => {
      const { items, totalCount } = await imports.page(caller, query, { within: ownImports(caller) });
      return toPage(items.map(toImportDto), totalCount, query);
    },
    upload: ({ caller, body: { fields, files } }) => upload(deps, caller, fields, files.file),
    get: async ({ caller, params }) => toImportDto(await find(caller, params.id)),
    remove: async ({ caller, params }) => discard(deps, caller, await find(caller, params.id)),
    review: async ({ caller, params, query }) => review(await find(caller, params.id), query),
    decide: async ({ caller, params, body }) => {
      const doc = requireReady(await find(caller, params.id));
      const ids = await decide(sets, doc, body);
      const next = ({ decisions }: ImportDoc) => ({ decisions: decisions + 1 });
      return review(await imports.change(caller, doc._id, next, { expecting: ['decisions'] }), { ids });
    },
    conversation: async ({ caller, params }) => {
      const doc = await find(caller, params.id);
      return toDetail(sets, await conversationOf(sets, doc, params.conversationId));
    },
    commit: async ({ caller, params, body }) => {
      const doc = await find(caller, params.id);
      if (isMarked(doc)) return toImportDto(doc);
      const choice = await choiceOf(deps, caller, doc, body);
      const job = { ...jobOf(deps.clock, 'commit'), doneTo: 0, progressPercent: 0, commits: doc.commits + 1 };
      const where = { identityId: choice.identityId, projectId: choice.projectId };
      return begin(deps, caller, doc, { ...job, ...where, commit: choice, statusId: 'Committing', errorMessage: null });
    },
    undo: async ({ caller, params }) => {
      const doc = await find(caller, params.id);
      if (isMarked(doc)) return toImportDto(doc);
      if (doc.statusId !== 'Committed')
        throw new Fault('INVALID_TRANSITION', `Import ${doc._id} is ${doc.statusId}, not Committed.`, {
          hint: 'Only what was committed can be taken back.',
        });
      if (doc.identityId !== null) await deps.acting.require(caller, doc.identityId);
      requireChangeIn(caller, doc.projectId);
      const job = { ...jobOf(deps.clock, 'undo'), progressPercent: 0 };
      return begin(deps, caller, doc, { ...job, statusId: 'Committing' });
    },
  };
});

async function upload(
  { imports, archives, jobs, acting, clock }: Deps,
  caller: Caller,
  fields: Parameters<typeof draftOf>[1],
  file: Parameters<typeof requireFile>[0],
) {
  const { path, fileName, sizeBytes } = requireFile(file);
  if (fields.identityId != null) await acting.require(caller, fields.identityId);
  requireChangeIn(caller, fields.projectId ?? null);
  const archiveKey = `${ownerOf(caller)} ${await archives.digest(path)}`;
  const there = await imports.of(caller.tenantId).findOne({ archiveKey });
  if (there && onceScope()?.took(there._id)) return toImportDto(there);
  if (there) throw known(there);
  const archive = await archives.take(path);
  try {
    const draft = draftOf(caller, fields, { fileName, sizeBytes, archive, archiveKey });
    const made = await imports.insert(caller, { ...draft, ...jobOf(clock, 'parse') });
    void jobs.run(made);
    return toImportDto(made);
  } catch (error) {
    await archives.remove(archive);
    const first = isDuplicate(error) && (await imports.of(caller.tenantId).findOne({ archiveKey }));
    throw first ? known(first) : error;
  }
}

const known = ({ _id, statusId }: ImportDoc) =>
  new Fault('DUPLICATE', `This archive was uploaded before, as import ${_id}, which is ${statusId}.`, {
    hint:
      statusId === 'Committed'
        ? `Take it back with POST /api/import/${_id}/undo to commit it otherwise, or upload a newer export.`
        : `Go on with GET /api/import/${_id}/review, or discard it with DELETE /api/import/${_id}.`,
  });

function requireReady(doc: ImportDoc): ImportDoc {
  if (doc.statusId === 'ReadyForReview') return doc;
  throw new Fault('INVALID_TRANSITION', `Import ${doc._id} is ${doc.statusId}, not ReadyForReview.`, {
    hint:
      doc.statusId === 'Committed'
        ? `Take it back first with POST /api/import/${doc._id}/undo.`
        : `Follow it with GET /api/import/${doc._id} or the topic import:${doc._id}.`,
  });
}

/** Begins a job, unless another request was faster, and waits a while for its end. */
async function begin({ imports, jobs, clock }: Deps, caller: Caller, doc: ImportDoc, to: Partial<ImportDoc>) {
  const change = (now: ImportDoc) => {
    if (now.statusId !== doc.statusId || now.job !== null) throw busy(now);
    return { ...to, ...ownMark(now) };
  };
  const begun = await imports.change(caller, doc._id, change, { expecting: ['statusId', 'job'] });
  const enough = new AbortController();
  await Promise.race([jobs.run(begun), clock.sleep(patienceMs, enough.signal).catch(() => undefined)]);
  enough.abort();
  return toImportDto(await imports.get(caller, doc._id));
}

const busy = ({ _id, statusId }: ImportDoc) =>
  new Fault('INVALID_TRANSITION', `Import ${_id} is ${statusId}: another request was first.`, {
    hint: `Follow it with GET /api/import/${_id}.`,
  });

async function discard({ imports, jobs, clock }: Deps, caller: Caller, doc: ImportDoc): Promise<null> {
  if (doc.statusId === 'Committed' || doc.statusId === 'Committing')
    throw new Fault('INVALID_TRANSITION', `Import ${doc._id} is ${doc.statusId}.`, {
      hint: `What it wrote is taken back with POST /api/import/${doc._id}/undo; then it can be discarded.`,
    });
  const change = (now: ImportDoc) => {
    if (now.statusId === 'Committed' || now.statusId === 'Committing') throw busy(now);
    return jobOf(clock, 'remove');
  };
  const leaving = await imports.change(caller, doc._id, change, { expecting: ['statusId'] });
  await jobs.run(leaving);
  return null;
}

async function conversationOf(sets: StagedSets, { tenantId, _id: importId }: ImportDoc, id: string) {
  const found = /^\d{1,15}$/.test(id)
    ? await sets.conversations(tenantId).findOne({ _id: Number(id), importId })
    : null;
  if (found) return found;
  throw new Fault('NOT_FOUND', `This import has no conversation ${id.slice(0, 40)}.`, {
    hint: `List them with GET /api/import/${importId}/review.`,
  });
}

async function toDetail(sets: StagedSets, conversation: ConversationDoc) {
  const messages = [];
  for await (const one of sets.messagesOf(conversation.tenantId, conversation._id))
    messages.push({ ...shown(ImportMessageDto, one, { id: one.id, sentAtUtc: one.sentAt?.toISOString() ?? null }) });
  return shown(ImportConversationDetailDto, conversation, { messages });
}

type Asked = { [Key in Exclude<keyof CommitChoice, 'restore'>]?: CommitChoice[Key] | null | undefined } & {
  restore?: boolean | null | undefined;
};

/** @throws Fault INVALID_TRANSITION, VALIDATION_FAILED, NOT_FOUND, OWNERSHIP_REQUIRED, FORBIDDEN */
async function choiceOf(deps: Deps, caller: Caller, doc: ImportDoc, body: Asked): Promise<CommitChoice> {
  const { sets, acting } = deps;
  const { tenantId, _id: importId } = requireReady(doc);
  const approved = { importId, approved: true } as const;
  const items = { ...approved, ...(body.restore ? {} : { restoreOnly: { $ne: true } }) } as const;
  const facts = await sets.items(tenantId).countDocuments({ ...items, kind: 'Fact' });
  const others =
    (await sets.conversations(tenantId).countDocuments(approved)) +
    (await sets.items(tenantId).countDocuments({ ...items, kind: 'Memory' }));
  if (facts + others === 0)
    throw new Fault('VALIDATION_FAILED', 'Nothing of this import is included.', {
      hint: `Include something with PATCH /api/import/${importId}/review.`,
    });
  // Null, and not left out: whatever identity the upload named, this one is made anew.
  const isNew = body.restore === true && body.identityId === null;
  const named = isNew ? null : (body.identityId ?? doc.identityId);
  const projectId = body.projectId ?? doc.projectId;
  requireChangeIn(caller, projectId);
  if (named !== null) await acting.require(caller, named);
  const chosen = body.restore ? await chooseRestore(deps, caller, doc, named) : null;
  const identityId = chosen?.identityId ?? named;
  if (identityId === null)
    throw new Fault('VALIDATION_FAILED', 'An import is committed to an identity, and none is named.', {
      hint: 'Send identityId: whose memories it shall become.',
    });
  if (facts > 0 && projectId === null && !chosen)
    throw new Fault('VALIDATION_FAILED', 'Facts are kept in a project, and none is named.', {
      hint: 'Send projectId, or leave the facts out.',
    });
  return {
    identityId,
    projectId,
    importance: body.importance ?? defaultImportance,
    isShared: body.isShared ?? null,
    tags: [...new Set(body.tags ?? [])],
    memoryPerConversation: body.memoryPerConversation ?? true,
    restore: chosen?.restore ?? null,
  };
}
