// Reads what belongs to an identity besides what it knows, as records of the portable format: its projects with their goals
// and tasks, its hints, hand-offs and prompts, its mirror, the entities that people made, and the souls that it had.
import type { Db, Filter } from '../../ports/db.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { perTenant } from '../../ports/tenanted.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import { roleIn } from '../../projects/roles.ts';
import { docRecord, versionRecord } from '../docs/record.ts';
import { type EdgeDoc, edgeRecord, type NodeDoc, nodeRecord } from '../graph/record.ts';
import { hintRecord } from '../identities/hints/record.ts';
import { soulVersionRecord } from '../identities/souls/versions.ts';
import { goalRecord } from '../knowledge-goals/record.ts';
import { trainingPairRecord } from '../mirror/pairs/record.ts';
import { reflectionRecord } from '../mirror/reflections/record.ts';
import { mayRead } from '../prompts/access.ts';
import { type PromptDoc, promptRecord } from '../prompts/record.ts';
import { type HandoffDoc, handoffRecord } from '../session/record.ts';
import { commentRecord, dependencyRecord, taskRecord } from '../tasks/record.ts';
import type { Atoms } from './atoms.ts';
import { historyRecords } from './history.ts';
import { type PortableRecord, portableRecord } from './portable-records.ts';
import type { Reach, ReachedIdentity, ReachedProject } from './reach.ts';
import { type EventsOf, guidsOf, numbered, pagesOf } from './reading.ts';

interface Deps {
  db: Db;
  eventsOf: EventsOf;
  guidsAmong: Atoms['guidsAmong'];
}

export function createRecords(deps: Deps) {
  const [ofProjects, ofIdentity, ofMirror, ofGraph, ofHistory] = [
    projectRecords(deps),
    personalRecords(deps),
    mirrorRecords(deps),
    graphRecords(deps),
    historyRecords(deps),
  ];
  return async function* records(reach: Reach, of: ReachedIdentity): AsyncGenerator<PortableRecord> {
    // In a tenant's export projects and what is in them stand beside the identities, once.
    if (reach.scope === 'Identity') yield* ofProjects(reach, of);
    yield* ofIdentity(reach, of);
    yield* ofMirror(reach, of);
    yield* ofGraph(reach, of);
    yield* ofHistory(reach, of);
  };
}

function projectRecords(deps: Deps) {
  const { db } = deps;
  const [ofTasks, ofDocuments] = [taskRecords(deps), versionRecords(deps)];
  const goals = perTenant(db.collection(goalRecord.spec));
  const tasks = perTenant(db.collection(taskRecord.spec));
  return async function* (reach: Reach, { identity }: ReachedIdentity): AsyncGenerator<PortableRecord> {
    const { tenantId } = reach.caller;
    const who = { identityId: identity._id, userId: null, role: 'Agent' } as const;
    for (const { project, cleared } of reach.projects) {
      const leads = project.leadIdentityId === identity._id;
      const role = roleIn({ ...project, leadIdentityId: null }, who) ?? (leads ? 'Maintainer' : 'Owner');
      yield portableRecord('project', project, { id: project.guid, role, leads });
      for await (const page of pagesOf(goals(tenantId), { projectId: project._id }, reach.at))
        for (const goal of page) yield portableRecord('goal', goal, { id: goal.guid, project: project.key });
      for await (const page of pagesOf(tasks(tenantId), { projectId: project._id }, reach.at)) {
        const above = await guidsOf(
          tasks(tenantId),
          page.map(({ parentTaskId }) => parentTaskId),
        );
        for (const task of page) {
          const parent = above.get(task.parentTaskId ?? 0) ?? null;
          const worker = {
            assigned: task.assigneeIdentityId === identity._id,
            reported: task.reporterIdentityId === identity._id,
          };
          yield portableRecord('task', task, { id: task.guid, project: project.key, parent, ...worker });
        }
      }
      yield* ofTasks(reach, project, identity._id);
      if (reach.archived) yield* ofDocuments(reach, { project, cleared });
    }
  };
}

/** What is said of the tasks of a project, and which waits for which of those that go along. */
function taskRecords({ db }: Deps) {
  const tasks = perTenant(db.collection(taskRecord.spec));
  const comments = perTenant(db.collection(commentRecord.spec));
  const dependencies = perTenant(db.collection(dependencyRecord.spec));
  return async function* (
    reach: Reach,
    { _id: projectId, key: project }: ProjectDoc,
    identityId: number,
  ): AsyncGenerator<PortableRecord> {
    const { tenantId } = reach.caller;
    for await (const page of pagesOf(comments(tenantId), { projectId }, reach.at)) {
      const about = await guidsOf(
        tasks(tenantId),
        page.map(({ taskId }) => taskId),
      );
      for (const { authorIdentityId, mentionIdentityIds, ...one } of page) {
        const speaker = { isOwn: authorIdentityId === identityId, mentioned: mentionIdentityIds.includes(identityId) };
        const task = about.get(one.taskId);
        if (task) yield portableRecord('comment', one, { id: one.guid, project, task, ...speaker });
      }
    }
    const within = { projectId: { $in: reach.projects.map((one) => one.project._id) } };
    for await (const page of pagesOf(dependencies(tenantId), { projectId }, reach.at)) {
      const ends = page.flatMap(({ taskId, dependsOnTaskId }) => [taskId, dependsOnTaskId]);
      const guids = await guidsOf(tasks(tenantId), ends, within);
      for (const one of page) {
        const [task, on] = [guids.get(one.taskId), guids.get(one.dependsOnTaskId)];
        if (task && on) yield portableRecord('dependency', one, { id: numbered(task, one._id), project, task, on });
      }
    }
  };
}

/** Earlier versions of documents: the newest is the document itself. */
function versionRecords({ db }: Deps) {
  const docs = perTenant(db.collection(docRecord.spec));
  const versions = perTenant(db.collection(versionRecord.spec));
  return async function* (reach: Reach, { project, cleared }: ReachedProject): AsyncGenerator<PortableRecord> {
    const { tenantId } = reach.caller;
    const seen = { projectId: project._id, deletedAt: null, classification: { $in: cleared } };
    const named = { projection: { _id: 1, guid: 1, version: 1, createdAt: 1 } } as const;
    for await (const page of pagesOf(docs(tenantId), seen, reach.at, named))
      for (const { _id: docId, guid, version } of page) {
        if (version === 1) continue;
        const earlier = { docId, version: { $lt: version } };
        for await (const some of pagesOf(versions(tenantId), earlier, reach.at, { pageSize: textsAtOnce }))
          for (const one of some)
            yield portableRecord('version', one, {
              id: numbered(guid, one.version),
              project: project.key,
              document: guid,
            });
      }
  };
}

/** Whole texts that are read at once. */
const textsAtOnce = 20;

function personalRecords({ db, guidsAmong }: Deps) {
  const hints = perTenant(db.collection(hintRecord.spec));
  const handoffs = perTenant(db.collection(handoffRecord.spec));
  const prompts = perTenant(db.collection(promptRecord.spec));
  const souls = perTenant(db.collection(soulVersionRecord.spec));
  return async function* (reach: Reach, of: ReachedIdentity): AsyncGenerator<PortableRecord> {
    const { tenantId } = reach.caller;
    const { _id: identityId } = of.identity;
    for await (const page of pagesOf(hints(tenantId), { identityId }, reach.at)) {
      const ids = page.flatMap(({ sourceMemoryId }) => sourceMemoryId ?? []);
      const guids = await guidsAmong(reach, of, ids);
      for (const hint of page)
        yield portableRecord('hint', hint, { id: hint.guid, memory: guids.get(hint.sourceMemoryId ?? 0) ?? null });
    }
    const left = { forIdentityId: identityId, ...visibleTo<HandoffDoc>(reach.caller) } as Filter<HandoffDoc>;
    for await (const page of pagesOf(handoffs(tenantId), left, reach.at))
      for (const one of page)
        yield portableRecord('handoff', one, { id: one.guid, project: reach.keyOf(one.projectId) });
    const saved = { createdByIdentityId: identityId, ...mayRead(reach.caller) } as Filter<PromptDoc>;
    for await (const page of pagesOf(prompts(tenantId), saved, reach.at))
      for (const one of page) yield portableRecord('prompt', one, { id: one.guid });
    if (!reach.archived) return;
    for await (const page of pagesOf(souls(tenantId), { identityId }, reach.at))
      for (const one of page) yield portableRecord('soul', one, { id: numbered(of.identity.guid, one.number) });
  };
}

function mirrorRecords({ db }: Deps) {
  const reflections = perTenant(db.collection(reflectionRecord.spec));
  const pairs = perTenant(db.collection(trainingPairRecord.spec));
  return async function* (reach: Reach, { identity: { _id: identityId } }: ReachedIdentity) {
    const { tenantId } = reach.caller;
    for await (const page of pagesOf(reflections(tenantId), { identityId }, reach.at))
      for (const one of page) yield portableRecord('reflection', one, { id: one.guid });
    for await (const page of pagesOf(pairs(tenantId), { identityId }, reach.at)) {
      const from = await guidsOf(
        reflections(tenantId),
        page.map(({ sourceReflectionId }) => sourceReflectionId),
      );
      for (const one of page)
        yield portableRecord('pair', one, { id: one.guid, reflection: from.get(one.sourceReflectionId ?? 0) ?? null });
    }
  };
}

/** Entities and relations that somebody stated: those that were found in texts are found there again. */
function graphRecords({ db }: Deps) {
  const nodes = perTenant(db.collection(nodeRecord.spec));
  const edges = perTenant(db.collection(edgeRecord.spec));
  return async function* (reach: Reach, { identity: { _id: identityId } }: ReachedIdentity) {
    const { tenantId } = reach.caller;
    const filter = { identityId, isFound: false, ...visibleTo<NodeDoc>(reach.caller) } as Filter<NodeDoc>;
    const guids = new Map<number, string>();
    for await (const page of pagesOf(nodes(tenantId), filter, reach.at))
      for (const node of page) {
        guids.set(node._id, node.guid);
        yield portableRecord('entity', node, { id: node.guid, project: reach.keyOf(node.projectId) });
      }
    const stated = { identityId, sourceMemoryId: null, sourceFactId: null } as const;
    for (const [nodeId, from] of guids)
      for await (const page of pagesOf(edges(tenantId), { fromNodeId: nodeId, ...stated } as Filter<EdgeDoc>, reach.at))
        for (const edge of page) {
          const to = guids.get(edge.toNodeId);
          if (to) yield portableRecord('relation', edge, { id: edge.guid, from, to });
        }
  };
}
