// The parts of memory, one page each, as links above all of them.
import { useEffect, useRef } from 'react';
import type { Permission } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { may } from '../../state/app.ts';

const sections: readonly { path: string; label: string; needs?: Permission }[] = [
  { path: '/memory', label: 'Memories', needs: 'MemoriesRead' },
  { path: '/memory/facts', label: 'Facts', needs: 'FactsRead' },
  { path: '/memory/rules', label: 'Standing rules', needs: 'RulesRead' },
  { path: '/memory/lessons', label: 'Lessons', needs: 'MemoriesRead' },
  { path: '/memory/about-me', label: 'About me' },
  { path: '/memory/graph', label: 'Graph', needs: 'GraphRead' },
  { path: '/memory/interests', label: 'Interests', needs: 'IdentitiesRead' },
  { path: '/memory/hydration', label: 'Start of a session', needs: 'MemoriesRead' },
];

export function SectionLinks() {
  const { path } = useLocation();
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const here = list.current?.querySelector<HTMLElement>(`[href="#${path}"]`);
    // Only the list itself: the page stays where it is.
    if (list.current && here) list.current.scrollLeft = here.offsetLeft - 24;
  }, [path]);
  return (
    <nav ref={list} className="tabs" aria-label={t('Parts of memory')}>
      {sections
        .filter(({ needs }) => !needs || may(needs))
        .map((one) => (
          <a key={one.path} className="tab" href={`#${one.path}`} aria-current={one.path === path ? 'page' : undefined}>
            {t(one.label)}
          </a>
        ))}
    </nav>
  );
}
