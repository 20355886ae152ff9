// The parts of memory, one page each, as links above all of them.
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
];

export function SectionLinks() {
  const { path } = useLocation();
  return (
    <nav className="tabs" aria-label={t('Parts of memory')}>
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
