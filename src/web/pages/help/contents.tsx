// What the help holds: search, topics of the page one is at, topics by category, and answers to questions.
import '../../styles/help.css';
import type { HelpTopicDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Ask } from './ask.tsx';
import { TopicLink } from './topic-link.tsx';

interface Props {
  q: string;
  /** The path of the page that help is wanted for; empty for none. */
  route: string;
  /** What its topics are called. */
  hereTitle: string;
  onSearch: (q: string) => void;
}

export function HelpContents({ q, route, hereTitle, onSearch }: Props) {
  return (
    <>
      <div className="filters">
        <SearchField label={t('Search the help')} q={q} onSearch={onSearch} />
      </div>
      {q ? <Found q={q} /> : <Categories route={route} hereTitle={hereTitle} />}
      <Ask route={route} />
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
                  <TopicLink slug={slug}>{title}</TopicLink>
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

function Categories({ route, hereTitle }: Pick<Props, 'route' | 'hereTitle'>) {
  const all = useKept(
    useResource('help topics', () => Promise.all([client.help.categories(), client.help.topics({ query: {} })])),
  );
  const here = useKept(useResource(route ? `help of ${route}` : null, () => client.help.context({ query: { route } })));
  return (
    <>
      {here.data && here.data.length > 0 && <Section title={hereTitle} topics={here.data} />}
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
            <TopicLink slug={slug}>{name}</TopicLink>
            <p className="muted small">{summary}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
