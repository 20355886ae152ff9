// What is known of a tenant's demo: one document a tenant, in which ids stand before the things that have them.
import type { DemoSize } from '../../contract/enums.ts';
import { defineCollection, type Entity } from '../../ports/db.ts';

/** Series of ids that are noted, with what their things are called. */
export const noted = {
  agent_routines: 'routines',
  agent_runs: 'runs',
  chat_sessions: 'chats',
  agent_roles: 'roles',
  ai_routes: 'routes',
  ai_models: 'models',
  ai_providers: 'providers',
  project_tasks: 'tasks',
  projects: 'projects',
  identities: 'identities',
  users: 'users',
} as const;
export type Series = keyof typeof noted;

export interface DemoDoc extends Entity {
  /** Of the tenant, which has one demo at most. */
  _id: number;
  tenantId: number;
  /** `Started`: it has runs only. `Seeding` and `Resetting` stay where a crash cut them short. */
  state: 'Started' | 'Seeding' | 'Seeded' | 'Resetting';
  size: DemoSize | null;
  username: string | null;
  ids: Partial<Record<Series, number[]>>;
  /** What a reset takes away besides, noted before it goes: once half of it is gone nothing else leads to the rest. */
  going?: { runs: number[]; threads: number[] };
  /** Who is at work on it, and until when others wait for them. */
  holder: string | null;
  heldUntil: Date;
  createdAt: Date;
  seededAt: Date | null;
}

export const demoSpec = defineCollection<DemoDoc>({ name: 'demos' });
