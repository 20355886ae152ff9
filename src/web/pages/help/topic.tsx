// One topic of the help, with what is related to it and whether it helped.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useTitle } from '../../base/title.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { TopicLink } from './topic-link.tsx';

interface Props {
  slug: string;
  /** The tab is named after it. */
  isPage?: boolean;
}

export function Topic({ slug, isPage = false }: Props) {
  const topic = useResource(`help ${slug}`, () => client.help.get({ params: { slug }, query: {} }));
  return (
    <>
      {isPage && <TabName name={topic.data?.title ?? t('Help')} />}
      <Loaded resource={topic} {...(isPage && { back: { href: '#/help', label: t('All topics') } })}>
        {({ title, contentMarkdown, related }) => (
          <article className="help-article">
            <TopicLink slug={null}>{t('All topics')}</TopicLink>
            <h1>{title}</h1>
            <Markdown text={sections(contentMarkdown)} />
            {related.length > 0 && (
              <section aria-label={t('Related topics')}>
                <h2>{t('Related topics')}</h2>
                <ul>
                  {related.map((other) => (
                    <li key={other.slug}>
                      <TopicLink slug={other.slug}>{other.title}</TopicLink>
                    </li>
                  ))}
                </ul>
              </section>
            )}
            <Vote key={slug} slug={slug} />
          </article>
        )}
      </Loaded>
    </>
  );
}

function TabName({ name }: { name: string }) {
  useTitle(name);
  return null;
}

function Vote({ slug }: { slug: string }) {
  const [helpful, setHelpful] = useState<boolean | null>(null);
  const [comment, setComment] = useState('');
  const { busy, act } = useAction();
  const send = async (word: boolean, about: string) => {
    const done = await act(() =>
      client.help.feedback({ params: { slug }, body: { helpful: word, ...(about ? { comment: about } : {}) } }),
    );
    if (!done) return;
    setHelpful(word);
    say(t('Thank you'));
  };
  return (
    <section className="row wrap end" aria-label={t('Did this help?')}>
      <span>{t('Did this help?')}</span>
      <Button size="small" disabled={busy} pressed={helpful === true} onClick={() => void send(true, '')}>
        {t('Yes')}
      </Button>
      <Button size="small" disabled={busy} pressed={helpful === false} onClick={() => void send(false, comment)}>
        {t('No')}
      </Button>
      {helpful === false && (
        <>
          <TextField label={t('What is missing?')} value={comment} onChange={setComment} />
          <Button size="small" disabled={busy || !comment.trim()} onClick={() => void send(false, comment)}>
            {t('Send')}
          </Button>
        </>
      )}
    </section>
  );
}

/** Its text without the title, which the page shows itself, and with sections one level below that. */
const sections = (markdown: string) => markdown.replace(/^# .*\n/, '').replaceAll(/^#(?=#+ )/gm, '');
