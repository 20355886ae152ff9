// The help as a page: its contents with the topics of the page one comes from, or one topic.
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import type { PageProps } from '../page-props.ts';
import { HelpContents } from './contents.tsx';
import { Topic } from './topic.tsx';

export function HelpPage({ params }: PageProps) {
  return <div className="page">{params.slug ? <Topic slug={params.slug} isPage /> : <Contents />}</div>;
}

function Contents() {
  const { query } = useLocation();
  return (
    <>
      <div className="page-head">
        <h1>{t('Help')}</h1>
      </div>
      <HelpContents
        q={query.get('q') ?? ''}
        route={query.get('from') ?? ''}
        hereTitle={t('About the page you came from')}
        onSearch={(text) => patchQuery({ q: text })}
      />
    </>
  );
}
