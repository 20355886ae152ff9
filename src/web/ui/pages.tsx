// From page to page of a long list: the first, the last, the one beside, or any by its number.
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { formatNumber, t } from '../base/i18n.ts';
import { patchQuery } from '../base/router.ts';
import { Button, IconButton } from './button.tsx';
import { lastPage } from './past-end.ts';

interface PagesProps {
  page: number;
  /** Null where they were not counted. */
  pages: number | null;
  hasNext: boolean;
  onGo: (page: number) => void;
}

export function Pages({ page, pages, hasNext, onGo }: PagesProps) {
  const [text, setText] = useState(String(page));
  useEffect(() => setText(String(page)), [page]);
  const instead = pages === null ? null : lastPage(page, pages);
  const latest = useRef(onGo);
  latest.current = onGo;
  useEffect(() => {
    if (instead !== null) latest.current(instead);
  }, [instead]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = Math.round(Number(text));
    if (wanted >= 1) onGo(Math.min(wanted, pages ?? wanted));
  };
  if (page === 1 && !hasNext) return null;
  return (
    <nav className="pages" aria-label={t('Pages of the list')}>
      <Button size="small" disabled={page <= 1} onClick={() => onGo(1)}>
        {t('First')}
      </Button>
      <IconButton icon="back" label={t('Previous page')} disabled={page <= 1} onClick={() => onGo(page - 1)} />
      <form className="row" onSubmit={submit}>
        <input
          className="input num"
          type="number"
          min={1}
          max={pages ?? undefined}
          aria-label={t('Page')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={submit}
        />
        {pages !== null && <span className="num muted">{t('of {pages}', { pages: formatNumber(pages) })}</span>}
      </form>
      <IconButton icon="chevron" label={t('Next page')} disabled={!hasNext} onClick={() => onGo(page + 1)} />
      {pages !== null && (
        <Button size="small" disabled={page >= pages} onClick={() => onGo(pages)}>
          {t('Last')}
        </Button>
      )}
    </nav>
  );
}

/** The page of a list that the URL asks for. */
export const pageIn = (query: URLSearchParams) => Math.max(1, Number(query.get('page')) || 1);

/** Goes to a page of a list whose page stands in the URL. */
export const goToPage = (to: number) => patchQuery({ page: to === 1 ? null : to });

interface UrlPagesProps {
  page: number;
  /** The list as it was answered. */
  list: { totalPages: number; hasNextPage: boolean };
}

/** Pages of a list whose page stands in the URL. */
export const UrlPages = ({ page, list }: UrlPagesProps) => (
  <Pages page={page} pages={list.totalPages} hasNext={list.hasNextPage} onGo={goToPage} />
);
