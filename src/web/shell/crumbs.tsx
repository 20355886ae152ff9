// Where we are.
import { t } from '../base/i18n.ts';
import { match, useLocation } from '../base/router.ts';
import { pages } from '../pages/registry.tsx';

export function Crumbs() {
  const { path } = useLocation();
  const [first, second] = path.split('/').filter(Boolean);
  // A council has no list of its own: it belongs to runs.
  const top = pages.find((page) => page.path === (first === 'councils' ? '/runs' : `/${first}`));
  const here = pages.find((page) => match(page.path, path));
  if (!top) return <div className="crumbs" />;
  return (
    <nav className="crumbs" aria-label={t('Breadcrumb')}>
      {second ? (
        <>
          <a href={`#${top.path}`}>{t(top.title)}</a>
          <span className="sep" aria-hidden="true">
            /
          </span>
          <span className="truncate" aria-current="page">
            {t(here?.title ?? '')} {/^\d+$/.test(second) && second}
          </span>
        </>
      ) : (
        <span aria-current="page">{t(top.title)}</span>
      )}
    </nav>
  );
}
