// What the items of a context are called, from the context itself.
import type { HydrationDto } from '../../../client/index.ts';
import { titleKey } from './receipt.tsx';

export function titlesOf(context: HydrationDto): ReadonlyMap<string, string> {
  const memories = [
    ...context.identityMemories,
    ...context.pinnedMemories,
    ...context.recentMemories,
    ...context.projectMemories,
    ...context.surfacedMemories.map(({ memory }) => memory),
  ];
  return new Map([
    ...memories.map(({ id, title }) => [titleKey('memory', id), title] as const),
    ...[...context.keyFacts, ...context.facts].map(
      ({ id, key, value }) => [titleKey('fact', id), `${key}: ${value}`] as const,
    ),
    ...context.standingRules.map(({ id, assertion }) => [titleKey('rule', id), assertion] as const),
    ...context.tasks.map(({ id, title }) => [titleKey('task', id), title] as const),
    ...context.projects.map(({ id, name }) => [titleKey('project', id), name] as const),
    ...context.interests.map(({ id, topic }) => [titleKey('interest', id), topic] as const),
  ]);
}
