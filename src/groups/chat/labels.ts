// Folders and tags over all chats of their owner: counted, renamed, taken away. No chat goes with them.
import type { Caller } from '../../contract/caller.ts';
import type { Handlers } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import { noteWrite } from '../../ports/audit.ts';
import { type Filter, startsWith } from '../../ports/db.ts';
import { defined } from '../fields.ts';
import { ownedBy } from './access.ts';
import { type chat, longestFolder } from './contract.ts';
import { type ChatSessionDoc, sessionRecord } from './documents.ts';
import type { ChatLabelDto } from './dto.ts';
import { hasTag, movedFolder, tagsIn, tagText } from './filing.ts';
import type { SessionsDeps } from './sessions.ts';

type Deps = Pick<SessionsDeps, 'sessions' | 'sink'>;
type Filed = Partial<Pick<ChatSessionDoc, 'folder' | 'tagText'>>;
interface Counted {
  _id: string | null;
  count: number;
}

/** Chats that are written at once. */
const atOnce = 50;

export function labelHandlers(deps: Deps): Pick<Handlers<typeof chat>, 'labels' | 'renameFolder' | 'renameTag'> {
  const { sessions } = deps;
  return {
    labels: async ({ caller, query }) => {
      const own = sessions(caller.tenantId).aggregate<Counted>;
      const $match = { ...ownedBy(caller), ...defined(query) } as Record<string, unknown>;
      const counted = { count: { $sum: 1 } };
      const [folders, tags] = await Promise.all([
        own([{ $match }, { $group: { _id: '$folder', ...counted } }]).toArray(),
        own([{ $match }, { $group: { _id: '$tagText', ...counted } }]).toArray(),
      ]);
      return {
        folders: labelsOf(folders, (path) => (path ? [path] : [])).sort(byName),
        tags: labelsOf(tags, (text) => tagsIn(text ?? '')).sort((a, b) => b.count - a.count || byName(a, b)),
      };
    },
    renameFolder: async ({ caller, body: { folder, to } }) => {
      const within = { $or: [{ folder }, { folder: { $regex: startsWith(`${folder}/`) } }] };
      const moved = ({ folder: path }: ChatSessionDoc): Filed | null => {
        const after = path == null ? path : movedFolder(path, folder, to ?? '');
        return after === path ? null : { folder: after ?? null };
      };
      const found = await owned(deps, caller, within);
      if (found.some((doc) => (moved(doc)?.folder?.length ?? 0) > longestFolder)) throw tooLong(folder);
      return { count: await refile(deps, caller, found, moved) };
    },
    renameTag: async ({ caller, body: { tag, to } }) => {
      const renamed = ({ tagText: text }: ChatSessionDoc): Filed | null => {
        const tags = tagsIn(text);
        if (!tags.includes(tag) || tag === to) return null;
        const after = tags.flatMap((one) => (one === tag ? (to ?? []) : one));
        return { tagText: tagText([...new Set(after)]) };
      };
      return { count: await refile(deps, caller, await owned(deps, caller, hasTag(tag)), renamed) };
    },
  };
}

const byName = (a: ChatLabelDto, b: ChatLabelDto) => (a.name < b.name ? -1 : 1);

function labelsOf(rows: readonly Counted[], namesIn: (text: string | null) => string[]): ChatLabelDto[] {
  const counts = new Map<string, number>();
  for (const { _id, count } of rows) for (const name of namesIn(_id)) counts.set(name, (counts.get(name) ?? 0) + count);
  return [...counts].map(([name, count]) => ({ name, count }));
}

const tooLong = (folder: string) =>
  new Fault(
    'VALIDATION_FAILED',
    `A folder below ${folder} would have a path of more than ${longestFolder} characters.`,
    {
      hint: 'Choose a shorter name, or rename the folders below it first.',
    },
  );

/** Own chats with a folder or tag, as far as that says. What is changed may match again: they are asked for once. */
function owned({ sessions }: Deps, caller: Caller, within: Filter<ChatSessionDoc>): Promise<ChatSessionDoc[]> {
  const filter = { $and: [ownedBy(caller), within] } as Filter<ChatSessionDoc>;
  return sessions(caller.tenantId)
    .find(filter, { projection: { folder: 1 } })
    .toArray();
}

/** Changes how own chats are filed, each by itself: after a crash the same request does the rest. Says how many. */
async function refile(
  deps: Deps,
  caller: Caller,
  found: readonly Pick<ChatSessionDoc, '_id'>[],
  change: (doc: ChatSessionDoc) => Filed | null,
): Promise<number> {
  let count = 0;
  for (let from = 0; from < found.length; from += atOnce) {
    const some = found.slice(from, from + atOnce);
    const done = await Promise.all(some.map(({ _id }) => refileOne(deps, caller, _id, change)));
    count += done.filter(Boolean).length;
  }
  return count;
}

async function refileOne(
  { sessions, sink }: Deps,
  caller: Caller,
  _id: number,
  change: (doc: ChatSessionDoc) => Filed | null,
): Promise<boolean> {
  const own = sessions(caller.tenantId);
  for (;;) {
    const before = await own.findOne({ ...ownedBy(caller), _id });
    const set = before && change(before);
    if (!set) return false;
    // Only as it was read: who files it meanwhile is heard.
    const asRead = 'tagText' in set ? { tagText: before.tagText } : { folder: before.folder };
    const doc = await own.findOneAndUpdate(
      { _id, deletedAt: null, ...asRead } as Filter<ChatSessionDoc>,
      { $set: set },
      { returnDocument: 'after' },
    );
    if (!doc) continue;
    noteWrite(caller, { kind: 'chat session', how: 'changed', doc, before });
    await sink.session(sessionRecord(doc));
    return true;
  }
}
