// Serves exports: who may have what, and as which file.
import type { IdentityDoc, UserDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import type { FileReply } from '../../contract/replies.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { Access } from '../chat/access.ts';
import type { Archives } from './archive.ts';
import type { ShownBranch } from './branch.ts';
import { chatMarkdown } from './chat-markdown.ts';
import { exports as group } from './contract.ts';
import { type DtiMessage, dtiMessage, dtiText, type Person } from './dti.ts';
import { ompEntries, pamText } from './other-formats.ts';
import type { Reach, ReachedIdentity, Reaches } from './reach.ts';
import { bytesOf } from './writing.ts';
import { type ZipEntry, zipOf } from './zip.ts';

export interface ExportDeps {
  reaches: Reaches;
  archives: Archives;
  access: Access;
  branch: ShownBranch;
  users: PerTenant<UserDoc>;
  clock: Clock;
}

export const exportsService = implement(group, (deps: ExportDeps) => {
  const { reaches, archives, access, branch, users, clock } = deps;
  const one = ({ identities }: Reach) => identities[0] as ReachedIdentity;

  return {
    chatSession: async ({ caller, params, query }) => {
      const session = await access.session(caller, params.sessionId);
      const person = await personOf(users, caller);
      const { includeReasoning = false, includeSecrets = false } = query;
      async function* messages(): AsyncGenerator<DtiMessage> {
        for await (const message of branch(session)) {
          const said = dtiMessage(message, person, { includeReasoning, includeSecrets });
          if (said) yield said;
        }
      }
      const details = { createdBy: archives.exportedBy, at: clock.now() };
      const times = { startedAt: session.createdAt, endedAt: session.updatedAt };
      return json(`chat-${session._id}.dti.json`, dtiText({ ...details, ...times }, person, messages()));
    },
    chatMarkdown: async ({ caller, params, query }) => {
      const session = await access.session(caller, params.sessionId);
      const { messageId: end, allBranches = false, includeReasoning = false, includeSecrets = false } = query;
      if (end !== undefined) await requireIn(access, caller, session._id, end);
      const messages = branch(session, { end, all: allBranches });
      const options = { includeReasoning, includeSecrets, allBranches, at: clock.now() };
      return file(`chat-${session._id}.md`, 'text/markdown', chatMarkdown(session, messages, options));
    },
    identity: async ({ caller, params, query }) => {
      const reach = await reaches.ofIdentity(caller, params.identityId, query);
      return zip(`${nameOf(one(reach).identity)}.zip`, archives.entries(reach), reach.at);
    },
    portable: async ({ caller, params, query }) => {
      const reach = await reaches.ofIdentity(caller, params.identityId, query);
      const of = one(reach);
      const name = nameOf(of.identity);
      const { format = 'Portable' } = query;
      if (format === 'Portable') return json(`${name}.portable.json`, archives.portable(reach, of));
      const { exportedBy } = archives;
      const store = {
        identity: await archives.about(of),
        exportedBy,
        at: reach.at,
        atoms: () => archives.atomsOf(reach, of),
      };
      if (format === 'Pam') return json(`${name}.pam.json`, pamText(store));
      const counts = { memory: 0, fact: 0, rule: 0, link: 0 };
      for await (const { kind } of store.atoms()) counts[kind]++;
      return zip(`${name}.omp.zip`, ompEntries(store, counts), reach.at);
    },
    manifest: async ({ caller, query }) => {
      const { identityId, ...switches } = query;
      if (identityId === undefined) return archives.count(await reaches.ofTenant(caller, switches));
      return archives.count(await reaches.ofIdentity(caller, identityId, switches));
    },
    tenant: async ({ caller, query }) => {
      const reach = await reaches.ofTenant(caller, query);
      return zip('tenant.zip', archives.entries(reach), reach.at);
    },
  };
});

async function personOf(users: PerTenant<UserDoc>, { tenantId, userId, name }: Caller): Promise<Person> {
  const user = userId === null ? null : await users(tenantId).findOne({ _id: userId });
  const email = user?.email ?? null;
  return {
    name: user?.displayName ?? user?.username ?? name,
    identifier: email ?? user?.username ?? name,
    isEmail: email !== null,
  };
}

const nameOf = ({ name }: IdentityDoc) => name.replace(/[^A-Za-z0-9_-]+/g, '-') || 'identity';

/** @throws Fault NOT_FOUND where the chat has no such message */
async function requireIn(access: Access, caller: Caller, sessionId: number, messageId: number): Promise<void> {
  const { session } = await access.message(caller, messageId);
  if (session._id === sessionId) return;
  throw new Fault('NOT_FOUND', `There is no message ${messageId} in this chat.`, {
    hint: `List them with GET /api/chat/sessions/${sessionId}/messages.`,
  });
}

const file = (fileName: string, mediaType: string, texts: AsyncIterable<string>): FileReply => ({
  kind: 'file',
  mediaType,
  fileName,
  body: bytesOf(texts),
});

const json = (fileName: string, texts: AsyncIterable<string>) => file(fileName, 'application/json', texts);

const zip = (fileName: string, entries: readonly ZipEntry[], at: Date): FileReply => ({
  kind: 'file',
  mediaType: 'application/zip',
  fileName,
  body: zipOf(entries, at),
});
