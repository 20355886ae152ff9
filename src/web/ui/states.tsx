// Empty, loading, error and forbidden, each designed once.
import { type ReactNode, useEffect } from 'react';
import { type ApiError, isAway } from '../../client/index.ts';
import { t } from '../base/i18n.ts';
import { useLocation } from '../base/router.ts';
import type { Resource } from '../state/resource.ts';
import { Button, LinkButton } from './button.tsx';
import { goToPage, pageIn } from './pages.tsx';
import { pageInstead } from './past-end.ts';

const Art = () => (
  <svg className="art" viewBox="0 0 132 44" aria-hidden="true">
    <path
      d="M2 14c22 0 22 16 44 16s22-16 44-16 18 8 40 8"
      fill="none"
      stroke="currentColor"
      strokeWidth="5"
      strokeLinecap="round"
    />
    <path
      d="M46 30c14 0 18 8 30 8"
      fill="none"
      stroke="currentColor"
      strokeWidth="3"
      strokeLinecap="round"
      opacity="0.6"
    />
  </svg>
);

interface EmptyProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** The notice is all that the page shows. */
  isPage?: boolean;
}

/** What the place is for, and the one next step. */
export function Empty({ title, children, action, isPage = false }: EmptyProps) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="state">
      <Art />
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

interface Back {
  href: string;
  label: string;
}

interface FailureProps {
  error: ApiError;
  retry?: () => void;
  /** Where to go when what was looked for is not there. */
  back?: Back;
  /** The notice is all that the page shows. */
  isPage?: boolean;
}

function titleOf(error: ApiError): string {
  if (error.status === 403) return t('Permission denied');
  if (error.status === 404) return t('Not found');
  return isAway(error) ? t('Away for the moment') : t('Request failed');
}

/** Of what was to be loaded; `useResource` asks again by itself where the server is away for the moment. */
export function Failure({ error, retry, back, isPage = false }: FailureProps) {
  const Heading = isPage ? 'h1' : 'h2';
  const forbidden = error.status === 403;
  // The hints of what is not there name operations; here a link leads back.
  const hint = back && error.status === 404 ? null : error.hint;
  return (
    <div className="state" role="alert">
      <Heading>{titleOf(error)}</Heading>
      <p>{error.message}</p>
      {hint && <p>{hint}</p>}
      {isAway(error) && <p>{t('The page asks again by itself, every few seconds.')}</p>}
      <span className="details">{[error.code, error.requestId].filter(Boolean).join(' · ')}</span>
      {error.status > 0 && error.status !== 404 && (
        <a href={`#/help/error-${error.code.toLowerCase().replaceAll('_', '-')}`}>{t('Cause and cure')}</a>
      )}
      {retry && !forbidden && error.status !== 404 && (
        <Button icon="refresh" onClick={retry}>
          {t('Try again')}
        </Button>
      )}
      {back && error.status === 404 && (
        <LinkButton href={back.href} icon="back">
          {back.label}
        </LinkButton>
      )}
    </div>
  );
}

export function Skeleton({ rows = 6, height = 18 }: { rows?: number; height?: number }) {
  return (
    <div className="stack" role="status" aria-busy="true" aria-label={t('Loading')} style={{ padding: 14 }}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity
        <div key={index} className="skeleton" style={{ height, width: `${92 - ((index * 17) % 38)}%` }} />
      ))}
    </div>
  );
}

/** Shows a resource in whichever state it is. */
export function Loaded<T>({
  resource,
  children,
  rows,
  back,
}: {
  resource: Resource<T>;
  children: (data: T) => ReactNode;
  rows?: number;
  /** Where to go from a page that shows nothing but this, when it is not there. */
  back?: Back;
}) {
  const { query } = useLocation();
  const instead = pageInstead(resource.data);
  const isPastEnd = instead !== null && pageIn(query) > instead;
  useEffect(() => {
    if (isPastEnd) goToPage(instead);
  }, [isPastEnd, instead]);
  // What was kept of the page that is gone says nothing of the one that is still to come.
  const isComing = isPastEnd || (instead !== null && resource.loading);
  if (resource.data !== null && !isComing) return <>{children(resource.data)}</>;
  if (resource.error)
    return <Failure error={resource.error} retry={resource.reload} {...(back && { back, isPage: true })} />;
  return <Skeleton rows={rows ?? 6} />;
}
