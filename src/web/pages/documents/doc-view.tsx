// One document: read, written with a live preview, its versions, its settings.
import { useState } from 'react';
import { type DocDto, isAway } from '../../../client/index.ts';
import { useDraft } from '../../base/draft.ts';
import { formatAgo, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { DocEditor } from './doc-editor.tsx';
import { DocSettings } from './doc-settings.tsx';
import { DocVersions } from './doc-versions.tsx';

type Tab = 'read' | 'write' | 'versions' | 'settings';

interface Props {
  id: number;
  news: number;
  onGone: () => void;
}

export function DocView({ id, news, onGone }: Props) {
  const resource = useKept(useResource(`doc ${id}`, () => client.docs.get({ params: { id } })));
  const { data: doc, error, reload, put } = resource;
  useReloadOn(news, reload);
  // A document that is open stays so while the server is away.
  if (error && !(doc && isAway(error)))
    return <Failure error={error} back={{ href: '#/documents', label: t('All documents') }} />;
  if (!doc) return <Skeleton rows={10} />;
  // What is written next begins from what was saved, not from what a load may still show.
  const onSaved = (saved: DocDto) => put((shown) => (shown.version > saved.version ? shown : saved));
  return <OpenDoc doc={doc} onSaved={onSaved} onGone={onGone} />;
}

interface OpenProps {
  doc: DocDto;
  /** With the answer of each write. */
  onSaved: (saved: DocDto) => void;
  onGone: () => void;
}

function OpenDoc({ doc, onSaved, onGone }: OpenProps) {
  const draft = useDraft(`doc ${doc.id}`);
  const [tab, setTab] = useState<Tab>(draft.text !== '' ? 'write' : 'read');
  const [isDeleting, setDeleting] = useState(false);
  const items: TabItem<Tab>[] = [
    { key: 'read', label: t('Read') },
    ...(may('DocsWrite')
      ? [{ key: 'write' as const, label: draft.text === '' ? t('Write') : t('Write (draft)') }]
      : []),
    { key: 'versions', label: t('Versions'), count: doc.version },
    ...(may('DocsWrite') ? [{ key: 'settings' as const, label: t('Settings') }] : []),
  ];
  return (
    <article className="doc-view" aria-label={doc.title}>
      <div className="doc-head">
        <div className="grow">
          <h2 className="doc-title">{doc.title}</h2>
          <p className="faint small doc-about">
            <span>{doc.path}</span>
            <span>{words(doc.type)}</span>
            <span className="tag">{words(doc.classification)}</span>
            {doc.isPublished && <span className="tag">{t('published')}</span>}
            <span>{formatAgo(doc.updatedAtUtc, Date.now())}</span>
          </p>
        </div>
        <Publish doc={doc} onSaved={onSaved} />
      </div>
      <Tabs label={t('The document')} items={items} active={tab} onChange={setTab} />
      {tab === 'read' && <Reading doc={doc} />}
      {tab === 'write' && <DocEditor doc={doc} kept={draft} onSaved={onSaved} onClose={() => setTab('read')} />}
      {tab === 'versions' && <DocVersions doc={doc} onRestored={onSaved} />}
      {tab === 'settings' && <DocSettings doc={doc} onSaved={onSaved} onDelete={() => setDeleting(true)} />}
      {isDeleting && (
        <Confirm
          title={t('Delete {title}?', { title: doc.title })}
          action={t('Delete')}
          onConfirm={async () => {
            await client.docs.remove({ params: { id: doc.id }, query: { cascade: true } });
            say(t('Deleted'));
            onGone();
          }}
          onClose={() => setDeleting(false)}
        >
          <p>{t('Its versions go with it, and all documents below it.')}</p>
        </Confirm>
      )}
    </article>
  );
}

function Reading({ doc }: { doc: DocDto }) {
  const links = useResource(`doc links ${doc.id} ${doc.version}`, () => client.docs.links({ params: { id: doc.id } }));
  const from = links.data?.linkedFrom ?? [];
  return (
    <div className="doc-read">
      {doc.content.trim() === '' ? (
        <p className="muted">{t('Nothing is written here yet.')}</p>
      ) : (
        <Markdown text={doc.content} />
      )}
      {from.length > 0 && (
        <section className="doc-links" aria-label={t('Linked from')}>
          <h3>{t('Linked from')}</h3>
          <ul>
            {from.map((one) => (
              <li key={one.id}>
                <a href={`#/documents?project=${doc.projectId}&doc=${one.id}`}>{one.title}</a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Publish({ doc, onSaved }: { doc: DocDto; onSaved: (saved: DocDto) => void }) {
  const { busy, act } = useAction();
  if (!may('DocsPublish') || !may('DocsWrite')) return null;
  const params = { id: doc.id };
  const publish = async () => {
    if (doc.classification !== 'Public')
      onSaved(await client.docs.patch({ params, body: { classification: 'Public' } }));
    onSaved(await client.docs.publish({ params, body: {} }));
    say(t('Published'));
  };
  const unpublish = async () => {
    onSaved(await client.docs.unpublish({ params }));
    say(t('It is a draft again'));
  };
  const tip = doc.classification === 'Public' ? {} : { tip: t('Makes it public, for everybody to read') };
  return doc.isPublished ? (
    <Button disabled={busy} onClick={() => void act(unpublish)}>
      {t('Unpublish')}
    </Button>
  ) : (
    <Button disabled={busy} {...tip} onClick={() => void act(publish)}>
      {doc.classification === 'Public' ? t('Publish') : t('Make public and publish')}
    </Button>
  );
}
