// The help: topics by category, those of the page one comes from, search, and answers to questions.
import '../../styles/help.css';
import type { HelpTopicDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { href, patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import type { PageProps } from '../page-props.ts';
import { Ask } from './ask.tsx';
import { Topic } from './topic.tsx';

export function HelpPage({ params }: PageProps) {
  return <div className="page">{params.slug ? <Topic slug={params.slug} /> : <Contents />}</div>;
}

function Contents() {
  const { query } = useLocation();
  const [q, from] = [query.get('q') ?? '', query.get('from') ?? ''];
  return (
    <>
      <div className="page-head">
        <h1>{t('Help')}</h1>
      </div>
      <div className="filters">
        <SearchField label={t('Search the help')} q={q} onSearch={(text) => patchQuery({ q: text })} />
      </div>
      {q ? <Found q={q} /> : <Categories from={from} />}
      <Ask route={from} />
    </>
  );
}

function Found({ q }: { q: string }) {
  const hits = useKept(useResource(`help search ${q}`, () => client.help.search({ query: { q, limit: 20 } })));
  return (
    <Loaded resource={hits}>
      {(found) =>
        found.length === 0 ? (
          <Empty title={t('No topic matches')}>{t('Try other words, or ask a question below.')}</Empty>
        ) : (
          <section className="help-section" aria-label={t('Topics found')}>
            <ul>
              {found.map(({ slug, title, snippet }) => (
                <li key={slug}>
                  <a href={href(`/help/${slug}`)}>{title}</a>
                  <p className="muted small">{snippet}</p>
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Loaded>
  );
}

function Categories({ from }: { from: string }) {
  const all = useKept(
    useResource('help topics', () => Promise.all([client.help.categories(), client.help.topics({ query: {} })])),
  );
  const here = useKept(
    useResource(from ? `help of ${from}` : null, () => client.help.context({ query: { route: from } })),
  );
  return (
    <>
      {here.data && here.data.length > 0 && <Section title={t('About the page you came from')} topics={here.data} />}
      <Loaded resource={all}>
        {([categories, topics]) =>
          categories.map(({ key, title }) => (
            <Section key={key} title={title} topics={topics.filter(({ category }) => category === key)} />
          ))
        }
      </Loaded>
    </>
  );
}

function Section({ title, topics }: { title: string; topics: HelpTopicDto[] }) {
  return (
    <section className="help-section" aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {topics.map(({ slug, title: name, summary }) => (
          <li key={slug}>
            <a href={href(`/help/${slug}`)}>{name}</a>
            <p className="muted small">{summary}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
