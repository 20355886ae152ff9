// What the palette finds: things of every kind that the server knows, in groups, those with a page of theirs.
import { useEffect, useState } from 'react';
import type { GlobalSearchHit, SearchHitKind } from '../../client/index.ts';
import { formatAgo, t } from '../base/i18n.ts';
import { go, match } from '../base/router.ts';
import { pages } from '../pages/registry.tsx';
import { client, may } from '../state/app.ts';
import { useResource } from '../state/resource.ts';
import type { IconName } from '../ui/icon.tsx';
import type { Choice } from './choices.tsx';
import { noteOpened, type Opened, recent } from './recent.ts';

/** How long typing must pause before it is searched for, ms. */
const typingMs = 150;
const mostHits = 24;

const kinds = (): Record<SearchHitKind, readonly [group: string, icon: IconName]> => ({
  Run: [t('Runs'), 'runs'],
  ChatSession: [t('Chats'), 'chat'],
  ChatMessage: [t('Chat messages'), 'chat'],
  Task: [t('Tasks'), 'check'],
  Project: [t('Projects'), 'folder'],
  Doc: [t('Documents'), 'file'],
  Escalation: [t('Escalations'), 'gate'],
  Message: [t('Messages'), 'mail'],
  Identity: [t('Identities'), 'identity'],
  KnowledgeGoal: [t('Knowledge goals'), 'goal'],
  HelpTopic: [t('Help'), 'flag'],
  Memory: [t('Memories'), 'models'],
  AgentMemory: [t('Lessons'), 'models'],
  PersonalMemory: [t('Personal memories'), 'models'],
  Fact: [t('Facts'), 'file'],
  StandingRule: [t('Standing rules'), 'gate'],
  GraphNode: [t('Entities'), 'fork'],
  Routine: [t('Routines'), 'refresh'],
  Connector: [t('Connectors'), 'tool'],
  Reflection: [t('Reflections'), 'models'],
});

/** Whether the dashboard has a page for it that its reader may open. */
function hasPage(url: string): boolean {
  const [path = ''] = url.split('?');
  return pages.some((page) => match(page.path, path) !== null && (!page.needs || may(page.needs)));
}

function toChoice(one: Opened, group: string, detail?: string): Choice {
  const [path = '', query = ''] = one.url.split('?');
  return {
    key: `${group} ${one.kind} ${one.id}`,
    group,
    label: one.title || t('New chat'),
    icon: kinds()[one.kind][1],
    run: () => {
      noteOpened(one);
      go(path, Object.fromEntries(new URLSearchParams(query)));
    },
    ...(detail && { detail: <span className="faint small">{detail}</span> }),
  };
}

const toFound = (hit: GlobalSearchHit): Choice => {
  const age = hit.updatedAtUtc ? formatAgo(hit.updatedAtUtc, Date.now()) : '';
  return toChoice(
    hit,
    kinds()[hit.kind][0],
    [hit.kind === 'HelpTopic' ? '' : `#${hit.id}`, age].filter(Boolean).join(' · '),
  );
};

/** What fits what was typed; before anything is typed, what was opened last. */
export function useFound(query: string): { choices: Choice[]; isSearching: boolean } {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(query.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [query]);
  const found = useResource(asked ? `find ${asked}` : null, (signal) =>
    client.globalSearch.search({ query: { q: asked, limit: mostHits }, signal }),
  );
  if (query.trim() === '') {
    const opened = recent().filter(({ url }) => hasPage(url));
    return { choices: opened.map((one) => toChoice(one, t('Recent'))), isSearching: false };
  }
  const hits = (found.data?.hits ?? []).filter(({ url }) => hasPage(url));
  return { choices: hits.map(toFound), isSearching: asked !== query.trim() || found.loading };
}
