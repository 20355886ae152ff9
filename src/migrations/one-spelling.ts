// Gives the collections of earlier versions the one spelling that collections have: `agentNotes` is `agent_notes`.
import { type Db, defineCollection, type Entity } from '../ports/db.ts';
import { countersCollection } from '../stores/ids.ts';
import type { Migration } from '../stores/migrations.ts';
import { renameCollection } from '../stores/rename.ts';

/** Names until this migration, and since. */
export const renamed: Readonly<Record<string, string>> = {
  agentFeedback: 'agent_feedback',
  agentNotes: 'agent_notes',
  agentRoles: 'agent_roles',
  agentTasks: 'agent_tasks',
  agentToolProfiles: 'agent_tool_profiles',
  aiBudgets: 'ai_budgets',
  aiCalls: 'ai_calls',
  aiModels: 'ai_models',
  aiProviderKeys: 'ai_provider_keys',
  aiProviders: 'ai_providers',
  aiRouterSettings: 'ai_router_settings',
  aiRoutes: 'ai_routes',
  apiKeys: 'api_keys',
  authSessions: 'auth_sessions',
  chatMessages: 'chat_messages',
  chatSessions: 'chat_sessions',
  idempotencyKeys: 'idempotency_keys',
  keptResponses: 'kept_responses',
  messageThreads: 'message_threads',
  migrationLocks: 'migration_locks',
  sharedFolders: 'shared_folders',
  streamEvents: 'stream_events',
  streamOrigin: 'stream_origin',
  streamTopics: 'stream_topics',
  trainingPairs: 'training_pairs',
  workspaceSnapshots: 'workspace_snapshots',
};

/** Requests with a key whose server died: they hold the ids that they took, by series. */
interface Claim extends Entity {
  _id: string;
  ids: Record<string, number[]>;
  answer: unknown;
}
const feedback = defineCollection<Entity & { runCreatedAt?: number }>({ name: 'agent_feedback', times: 'ms' });
const claims = defineCollection<Claim>({ name: 'idempotency_keys' });

export const oneSpelling: Migration = {
  number: 4,
  name: 'collections have one spelling and times one kind',
  async up(db) {
    for (const [from, to] of Object.entries(renamed)) {
      await moveCounter(db, from, to);
      await renameCollection(db, from, to);
    }
    await renameTaken(db);
    // A time as a number that nobody reads any more.
    await db.collection(feedback).updateMany({ runCreatedAt: { $gt: 0 } }, { $unset: { runCreatedAt: true } });
  },
};

/** Ids go on where they were: their series have the names of collections. */
async function moveCounter(db: Db, from: string, to: string): Promise<void> {
  const counters = db.collection(countersCollection);
  const counter = await counters.findOne({ _id: from });
  if (!counter) return;
  await counters.updateOne({ _id: to }, { $max: { next: counter.next } }, { upsert: true });
  await counters.deleteOne({ _id: from });
}

async function renameTaken(db: Db): Promise<void> {
  const collection = db.collection(claims);
  for await (const { _id, ids } of collection.find({ answer: null })) {
    const series = Object.entries(ids).map(([name, taken]) => [renamed[name] ?? name, taken]);
    await collection.updateOne({ _id }, { $set: { ids: Object.fromEntries(series) } });
  }
}
