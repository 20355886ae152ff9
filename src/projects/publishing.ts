// Notes what is published to the topic of a project, so that its activity is what happened and nothing else.
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Db } from '../ports/db.ts';
import type { Ids } from '../ports/ids.ts';
import type { Publication, Publisher } from '../ports/stream.ts';
import { type ActivityDoc, activityRecord, type Happening, shortTitle, theServer } from './activity.ts';

interface Deps {
  publisher: Publisher;
  db: Db;
  ids: Ids;
  clock: Clock;
  log: Logger;
}

type Data = Readonly<Record<string, unknown>>;
type Told = Omit<Happening, 'projectId'>;

const text = (value: unknown) => (typeof value === 'string' ? shortTitle(value) : '');
const identity = (id: unknown, name: unknown) =>
  typeof id === 'number'
    ? { actorKind: 'Identity' as const, actorId: id, actorName: typeof name === 'string' ? name : null }
    : theServer;

const ofRun =
  (action: (run: Data) => string) =>
  (run: Data): Told => ({
    kind: 'Run',
    action: action(run),
    targetId: Number(run.id),
    title: text(run.goal),
    detail: text(run.progressSummary) || null,
    ...identity(run.identityId, run.identityName),
  });

const ofEscalation =
  (action: string) =>
  (one: Data): Told => ({
    kind: 'Escalation',
    action,
    targetId: Number(one.id),
    title: text(one.situation),
    detail: text(one.decision) || null,
    ...theServer,
    ...(typeof one.decidedBy === 'string' && { actorKind: 'User' as const, actorName: one.decidedBy }),
  });

const ofDoc =
  (action: string) =>
  (doc: Data): Told => ({
    kind: 'Doc',
    action,
    targetId: Number(doc.id),
    title: text(doc.title) || `document ${doc.id}`,
    detail: null,
    ...theServer,
  });

/** How each event reads as an activity; tasks and projects note what they do themselves, with who did it. */
const readings: Readonly<Record<string, (data: Data) => Told>> = {
  'run.created': ofRun(() => 'created'),
  'run.ended': ofRun(({ status }) => String(status).toLowerCase()),
  'escalation.raised': ofEscalation('raised'),
  'escalation.resolved': ofEscalation('resolved'),
  'fact.written': (fact) => ({
    kind: 'Fact',
    action: 'written',
    targetId: Number(fact.id),
    title: text(fact.key),
    // Not what it says: a fact may be unlearned, and is read where it is kept.
    detail: null,
    ...theServer,
  }),
  'knowledge.goal.updated': (goal) => ({
    kind: 'KnowledgeGoal',
    action: 'updated',
    targetId: Number(goal.id),
    title: text(goal.topic),
    detail: text(goal.status) || null,
    ...theServer,
  }),
  'rule.updated': (rule) => ({
    kind: 'StandingRule',
    action: 'updated',
    targetId: Number(rule.id),
    title: text(rule.assertion),
    detail: text(rule.status) || null,
    ...identity(rule.identityId, rule.identityName),
  }),
  'doc.updated': ofDoc('updated'),
  'doc.published': ofDoc('published'),
  'doc.deleted': ofDoc('deleted'),
};

/** A publisher whose events of projects are kept as activities; one that cannot be kept is only logged. */
export function noteActivities({ publisher, db, ids, clock, log }: Deps): Publisher {
  const all = db.collection(activityRecord.spec);
  const note = async ({ tenantId, topics, type, data }: Publication) => {
    const read = readings[type];
    const projectId = read && Number(topics.find((topic) => topic.startsWith('project:'))?.slice('project:'.length));
    if (!read || !projectId) return;
    const doc: ActivityDoc = {
      _id: await ids.next(activityRecord.spec.name),
      tenantId,
      createdAt: new Date(clock.now()),
      projectId,
      ...read(data as Data),
    };
    await all.insertOne(doc);
  };
  const kept = async (publication: Publication) => {
    await publisher.publish(publication);
    await note(publication).catch((error: unknown) =>
      log.warn({ err: error, type: publication.type }, 'an activity of a project was not kept'),
    );
  };
  return {
    publish: (publication) =>
      publication.type in readings ? kept(publication as Publication) : publisher.publish(publication),
  };
}
