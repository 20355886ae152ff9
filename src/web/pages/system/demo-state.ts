// What there is of a demo, in words, and what can be done with it.
import type { DemoStatusDto } from '../../../client/index.ts';
import { formatNumber, plural, t } from '../../base/i18n.ts';

const counted: Readonly<Record<string, [one: string, many: string]>> = {
  routines: ['{n} routine', '{n} routines'],
  runs: ['{n} run', '{n} runs'],
  chats: ['{n} chat', '{n} chats'],
  roles: ['{n} role', '{n} roles'],
  routes: ['{n} route', '{n} routes'],
  models: ['{n} model', '{n} models'],
  providers: ['{n} provider', '{n} providers'],
  tasks: ['{n} task', '{n} tasks'],
  projects: ['{n} project', '{n} projects'],
  identities: ['{n} identity', '{n} identities'],
  users: ['{n} user', '{n} users'],
};

/** `1 project, 2 chats`; empty where nothing was made. */
export function madeOf({ createdCounts }: DemoStatusDto): string {
  const said = Object.entries(createdCounts).map(([kind, count]) => {
    const forms = counted[kind];
    return forms ? plural(count, ...forms) : `${formatNumber(count)} ${t(kind)}`;
  });
  return said.join(', ');
}

/**
 * A demo of some size that is not there was cut short: the server refuses to fill it until what there is was removed,
 * be it nothing.
 */
export function waysOf({ seeded, size, createdCounts }: DemoStatusDto): { fill: boolean; remove: boolean } {
  const cutShort = !seeded && size !== null;
  return { fill: !seeded && !cutShort, remove: seeded || cutShort || Object.keys(createdCounts).length > 0 };
}
