// Keeps prompts with the texts that they had, and fills them in.
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { ignoreDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { defined } from '../fields.ts';
import { kept } from '../kept.ts';
import { commandKey, isOwn, mayRead, requireChange } from './access.ts';
import { prompts as contract } from './contract.ts';
import type { PromptVersionDto } from './dto.ts';
import { checkText, fill } from './fill.ts';
import { type PromptDoc, type PromptVersionDoc, promptVersionRecord } from './record.ts';
import { toPromptDto, toPromptListDto } from './show.ts';

export interface PromptsDeps {
  prompts: Keeper<PromptDoc>;
  versions: Keeper<PromptVersionDoc>;
  ids: Ids;
  clock: Clock;
}

/** Versions of a prompt that are kept, the current one among them. */
const mostVersions = 100;
/** What a change looks at. */
const expecting = ['version', 'command', 'isShared'] as const;

export const promptsService = implement(contract, (deps: PromptsDeps) => {
  const { prompts, versions, clock } = deps;
  const find = (caller: Caller, id: number) => prompts.get(caller, id, mayRead(caller));
  const textOf = async (prompt: PromptDoc, version: number): Promise<string> => {
    if (version === prompt.version) return prompt.text;
    const found = await versions.of(prompt.tenantId).findOne({ promptId: prompt._id, version });
    if (found) return found.text;
    throw new Fault('NOT_FOUND', `The prompt ${prompt._id} has no version ${version}.`, {
      hint: `List them with GET /api/prompts/${prompt._id}/versions.`,
    });
  };
  return {
    ...kept(contract, prompts, {
      show: toPromptDto,
      showAll: (docs, caller) => docs.map((doc) => toPromptListDto(doc, caller)),
      mayRead,
      mayWrite: requireChange,
      filters: { tag: (tag: string) => ({ tags: tag }) },
      draft: ({ name, command, text, description, tags, isShared }, caller) => {
        const { userId, identityId } = caller;
        const owner = { createdByUserId: userId, createdByIdentityId: identityId, isShared: isShared ?? false };
        return {
          ...{ name, command, text: checkText(text), description: description ?? null, tags: tags ?? [] },
          ...{ ...owner, createdByName: caller.name, commandKey: commandKey({ ...owner, command }) },
          ...{ version: 1, writtenByName: caller.name, writtenAt: new Date(clock.now()) },
          ...{ useCount: 0, lastUsedAt: null },
        };
      },
      expecting,
      change: async ({ version, ...body }, old, caller) => {
        if (version != null && version !== old.version) throw isChanged(old, version);
        if (body.isShared === false && old.isShared && !isOwn(old, caller))
          throw new Fault('FORBIDDEN', 'Only its owner may take a prompt back from the others.', {
            hint: `It is ${old.createdByName}'s; you may change or delete it.`,
          });
        const next = { ...old, ...defined(body) } as PromptDoc;
        return { ...defined(body), ...(await rewritten(deps, old, caller, body.text)), ...keyed(next) };
      },
    }),
    remove: async ({ caller, params }) => {
      const doc = await find(caller, params.id);
      requireChange(doc, caller);
      // Its texts first: what is stopped between the two leaves a prompt that can be deleted again.
      await versions.of(caller.tenantId).deleteMany({ promptId: doc._id });
      await prompts.remove(caller, doc._id);
      return null;
    },
    use: async ({ caller, params, body }) => {
      const doc = await find(caller, params.id);
      const text = fill(doc.text, body?.values ?? {});
      const counted = { $inc: { useCount: 1 }, $set: { lastUsedAt: new Date(clock.now()) } };
      await prompts.of(caller.tenantId).updateOne({ _id: doc._id }, counted);
      return { promptId: doc._id, version: doc.version, text };
    },
    versions: async ({ caller, params }) => {
      const doc = await find(caller, params.id);
      // A text may be kept already that the prompt still shows.
      const former = { promptId: doc._id, version: { $lt: doc.version } };
      const all = await versions
        .of(doc.tenantId)
        .find(former, { sort: { version: -1 }, limit: mostVersions - 1 })
        .toArray();
      const current = versionShown({ ...doc, createdAt: doc.writtenAt }, true);
      return [current, ...all.map((one) => versionShown(one, false))];
    },
    restore: async ({ caller, params }) => {
      const work = async (old: PromptDoc) => {
        requireChange(old, caller);
        return rewritten(deps, old, caller, await textOf(old, params.version));
      };
      const options = { expecting, within: mayRead(caller), touches: true };
      return toPromptDto(await prompts.change(caller, params.id, work, options), caller);
    },
  };
});

/**
 * What another text changes of a prompt; nothing where it is the same. The former text is kept first, which changes
 * nothing until the prompt has its next version.
 */
async function rewritten({ versions, ids, clock }: PromptsDeps, old: PromptDoc, caller: Caller, text?: string) {
  if (text === undefined || text === old.text) return {};
  checkText(text);
  const { tenantId, _id: promptId, version, writtenByName } = old;
  const former = { tenantId, promptId, version, text: old.text, writtenByName, createdAt: old.writtenAt };
  const all = versions.of(tenantId);
  await all.insertOne({ ...former, _id: await ids.next(promptVersionRecord.spec.name) }).catch(ignoreDuplicate);
  await all.deleteMany({ promptId, version: { $lte: version + 1 - mostVersions } });
  return { text, version: version + 1, writtenByName: caller.name, writtenAt: new Date(clock.now()) };
}

const keyed = (doc: PromptDoc) => ({ command: doc.command, commandKey: commandKey(doc) });

const isChanged = ({ _id, version }: PromptDoc, expected: number) =>
  new Fault('PRECONDITION_FAILED', `The prompt is at version ${version}, not ${expected}.`, {
    hint: `Read it again with GET /api/prompts/${_id}.`,
  });

type Written = Pick<PromptVersionDoc, 'version' | 'text' | 'writtenByName' | 'createdAt'>;

const versionShown = ({ version, text, writtenByName, createdAt }: Written, isCurrent: boolean): PromptVersionDto => ({
  ...{ version, text, writtenByName, isCurrent },
  writtenAtUtc: createdAt.toISOString(),
});
