// Keeps what runs have learned, finds it, and copies it to identities.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import { type Handlers, implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { usefulnessFactor } from '../../memory/usefulness.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { notThere } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { defined } from '../fields.ts';
import { kept } from '../kept.ts';
import { plainMemory } from '../memories/draft.ts';
import type { Library } from '../memories/library.ts';
import { toWriteDto } from '../memories/show.ts';
import type { Teller } from '../memories/tell.ts';
import { agentMemories } from './contract.ts';
import { AgentMemoryDto } from './dto.ts';
import type { LessonDeps, Lessons } from './lessons.ts';
import { type AgentMemoryDoc, lessonScope } from './record.ts';

export interface AgentMemoriesDeps extends LessonDeps {
  book: Lessons;
  acting: Acting;
  library: Library;
  tell: Teller;
  identities: PerTenant<IdentityDoc>;
  roleName(tenantId: number, id: number): Promise<string | null>;
  runExists(tenantId: number, id: number): Promise<boolean>;
}

export const agentMemoriesService = implement(agentMemories, (deps: AgentMemoriesDeps) => {
  const { lessons, book } = deps;
  const show = createShow(deps);

  return {
    ...kept(agentMemories, lessons, {
      show,
      draft: async (body, caller) => {
        const about = { identityId: body.identityId ?? null, sourceRunId: body.sourceRunId ?? null };
        await requireAbout(deps, caller, { ...about, roleDefinitionId: body.roleDefinitionId ?? null });
        return book.draft({
          ...about,
          title: body.title,
          content: body.content,
          kind: body.kind,
          roleDefinitionId: body.roleDefinitionId ?? null,
          projectId: body.projectId ?? null,
          confidence: body.confidence ?? 0.5,
          tags: [...new Set(body.tags ?? [])],
          expiresAt: body.expiresAtUtc ? new Date(body.expiresAtUtc) : null,
        });
      },
      expecting: ['revision'],
      change: async ({ expiresAtUtc, ...body }, old, caller) => {
        await requireAbout(deps, caller, { roleDefinitionId: body.roleDefinitionId ?? null });
        const expires = expiresAtUtc === undefined ? {} : { expiresAt: expiresAtUtc && new Date(expiresAtUtc) };
        return book.changed(old, { ...defined(body), ...expires } as Partial<AgentMemoryDoc>);
      },
      wrote: async (doc, caller, verb) => {
        if (verb === 'remove') await book.forget(caller, [doc._id]);
        else if (doc.pending) await book.finder.index(doc);
      },
    }),
    list: async ({ caller, query: { includeExpired, ...query } }) => {
      const within = includeExpired ? {} : { within: book.open() };
      const filters = { tag: (tags: string) => ({ tags }) };
      const { items, totalCount } = await lessons.page(caller, query, { ...within, filters });
      return toPage(await Promise.all(items.map((doc) => show(doc, caller))), totalCount, query);
    },
    ...searchHandler(deps, show),
    reinforce: async ({ caller, params, body }) => {
      await lessons.get(caller, params.id);
      const runId = body.runId ?? null;
      await requireAbout(deps, caller, { sourceRunId: runId });
      return show(await book.reinforce(caller, params.id, body.outcome, runId), caller);
    },
    promote: async ({ caller, params, body }) => {
      const doc = await lessons.get(caller, params.id);
      await deps.acting.require(caller, body.identityId);
      const { memory, how } = await deps.library.remember(caller, {
        ...plainMemory,
        title: doc.title,
        content: doc.content,
        tags: doc.tags,
        projectId: doc.projectId,
        type: body.type ?? 'Procedure',
        importance: body.importance ?? 5,
        isShared: body.isShared ?? false,
        // A run has concluded it; nobody has seen it for this identity.
        provenance: 'Inferred',
        identityId: body.identityId,
        sourceRunId: doc.sourceRunId,
      });
      if (how !== 'known') await deps.tell.written(memory);
      if (body.removeOriginal) {
        await lessons.remove(caller, doc._id);
        await book.forget(caller, [doc._id]);
      }
      return toWriteDto(memory);
    },
  };
});

function searchHandler({ lessons, book, clock }: AgentMemoriesDeps, show: Show): Pick<All, 'search'> {
  const isOpen = (doc: AgentMemoryDoc) => doc.endsAt.getTime() > clock.now();
  return {
    search: async ({ caller, query: { q, limit, minScore, ...which } }) => {
      const found = await book.finder.search({
        tenantId: caller.tenantId,
        scopes: [lessonScope],
        question: q,
        limit,
        minScore,
        load: async (ids) => {
          const all = await lessons
            .of(caller.tenantId)
            .find({ _id: { $in: [...ids] }, ...visibleTo<AgentMemoryDoc>(caller), ...defined(which) })
            .toArray();
          return all.filter(isOpen);
        },
        factor: (doc) => usefulnessFactor(doc.usefulness),
      });
      return Promise.all(
        found.map(async ({ doc, nearness: _, ...match }) => ({ memory: await show(doc, caller), ...match })),
      );
    },
  };
}

type All = Handlers<typeof agentMemories>;
type Show = ReturnType<typeof createShow>;

/** A memory with the names of what it is about. */
function createShow({ identities, roleName }: AgentMemoriesDeps) {
  return async (doc: AgentMemoryDoc, { tenantId }: Pick<Caller, 'tenantId'>): Promise<AgentMemoryDto> => {
    const { identityId, roleDefinitionId } = doc;
    const identity = identityId === null ? null : await identities(tenantId).findOne({ _id: identityId });
    return shown(AgentMemoryDto, doc, {
      hasEmbedding: doc.embeddingModel !== null,
      identityName: identity?.displayName ?? null,
      roleName: roleDefinitionId === null ? null : await roleName(tenantId, roleDefinitionId),
    });
  };
}

interface About {
  identityId?: number | null;
  sourceRunId?: number | null;
  roleDefinitionId?: number | null;
}

/** @throws Fault NOT_FOUND for what a memory names and is not there; OWNERSHIP_REQUIRED for the identity of others */
async function requireAbout(deps: AgentMemoriesDeps, caller: Caller, about: About): Promise<void> {
  const { identityId = null, sourceRunId = null, roleDefinitionId = null } = about;
  if (identityId !== null) await deps.acting.require(caller, identityId);
  if (sourceRunId !== null && !(await deps.runExists(caller.tenantId, sourceRunId)))
    throw notThere({ noun: 'run', list: 'GET /api/agent/runs' }, sourceRunId);
  if (roleDefinitionId !== null && (await deps.roleName(caller.tenantId, roleDefinitionId)) === null)
    throw notThere({ noun: 'role definition', list: 'GET /api/agent/role-definitions' }, roleDefinitionId);
}
