// What an answer has made, beside the chat: at work or as source, in each of its versions, to copy and to save.
import '../../styles/artifacts.css';
import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { lazyPart } from '../../base/lazy-part.ts';
import { currentLocation, go, patchQuery, useLocation } from '../../base/router.ts';
import { saveAs } from '../../base/save.ts';
import { IconButton } from '../../ui/button.tsx';
import { Code, copyText } from '../../ui/code.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import type { OpenCode } from '../../ui/open-code.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { ArtifactFrame } from './artifact-frame.tsx';
import { type Artifact, createArtifactReader, fileNameOf, isArtifact, pageOf, versionsOf } from './artifacts.ts';

const Highlighted = lazyPart(
  () => import('../../ui/highlight.tsx'),
  (part) => part.Highlighted,
);
const Diagram = lazyPart(
  () => import('../../ui/diagram.tsx'),
  (part) => part.Diagram,
);

export interface Answer {
  id: number;
  text: string;
}

/** The artifact that the URL names, with its versions; `v` names one, else the newest is shown. */
export function useArtifact(answers: readonly Answer[]) {
  const [reader] = useState(createArtifactReader);
  const { query } = useLocation();
  const key = query.get('artifact');
  const all = key === null ? [] : reader(answers);
  const found = all.find((one) => one.key === key);
  if (!found) return null;
  const versions = versionsOf(all, found);
  const asked = Number(query.get('v')) || versions.length;
  const at = Math.min(Math.max(1, asked), versions.length) - 1;
  return { artifact: versions[at] as Artifact, versions, at, isSource: query.get('view') === 'source' };
}

/** Opens a block of an answer beside the chat. The same function for as long as the chat is shown. */
export function useOpenArtifact(answers: readonly Answer[]): (id: number) => OpenCode {
  const newest = useRef(answers);
  newest.current = answers;
  const [reader] = useState(createArtifactReader);
  const [known] = useState(() => new Map<number, OpenCode>());
  return useCallback(
    (id) => {
      const open: OpenCode = (code) => {
        if (!isArtifact(code)) return null;
        return () => {
          const all = reader(newest.current);
          const found = all.find((one) => one.key.startsWith(`${id}.`) && one.text === code.text);
          if (!found) return;
          const versions = versionsOf(all, found);
          const at = versions.indexOf(found) + 1;
          const { path, query } = currentLocation();
          const { view: _, ...kept } = Object.fromEntries(query);
          go(path, { ...kept, artifact: found.key, v: at === versions.length ? null : at });
        };
      };
      const same = known.get(id) ?? open;
      known.set(id, same);
      return same;
    },
    [reader, known],
  );
}

const close = () => patchQuery({ artifact: null, v: null, view: null });

export function ArtifactPanel({ shown }: { shown: NonNullable<ReturnType<typeof useArtifact>> }) {
  const { artifact, versions, at, isSource } = shown;
  const { kind, language, text } = artifact;
  const title = artifact.title || (kind === 'code' ? t('Code') : kindWords[kind]);
  const panel = useRef<HTMLElement>(null);
  useShortcuts([{ keys: 'Escape', label: t('Close the panel'), run: close }]);
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus();
    return () => (before instanceof HTMLElement ? before.focus() : undefined);
  }, []);
  const previews = kind !== 'code';
  const show = (step: number) => patchQuery({ v: at + step === versions.length - 1 ? null : at + step + 1 });
  return (
    <section ref={panel} className="artifact" aria-label={t('Artifact')} tabIndex={-1}>
      <header className="artifact-head">
        <h2 className="truncate grow">{title}</h2>
        {versions.length > 1 && (
          <span className="row branches">
            <IconButton icon="back" label={t('Earlier version')} disabled={at === 0} onClick={() => show(-1)} />
            <span className="num small">{t('Version {n} of {all}', { n: at + 1, all: versions.length })}</span>
            <IconButton
              icon="chevron"
              label={t('Later version')}
              disabled={at === versions.length - 1}
              onClick={() => show(1)}
            />
          </span>
        )}
        <IconButton icon="copy" label={t('Copy the source')} onClick={() => copyText(text)} />
        <IconButton
          icon="down"
          label={t('Download')}
          onClick={() => void saveAs(new Response(text), fileNameOf(artifact))}
        />
        <IconButton icon="close" label={t('Close the panel')} onClick={close} />
      </header>
      {previews && (
        <Tabs
          label={t('How it is shown')}
          items={[
            { key: 'preview', label: t('Preview') },
            { key: 'source', label: t('Source') },
          ]}
          active={isSource ? 'source' : 'preview'}
          onChange={(tab) => patchQuery({ view: tab === 'source' ? 'source' : null })}
        />
      )}
      {previews && !isSource ? (
        <Preview artifact={artifact} title={title} />
      ) : (
        <div className="artifact-source">
          <Code
            key={artifact.key}
            text={text}
            wrap={false}
            whole
            render={(part) => (
              <Suspense fallback={part}>
                <Highlighted text={part} language={language} />
              </Suspense>
            )}
          />
        </div>
      )}
    </section>
  );
}

const kindWords = { html: 'HTML', svg: 'SVG', markdown: 'Markdown', mermaid: 'Mermaid' } as const;

function Preview({ artifact, title }: { artifact: Artifact; title: string }) {
  const { kind, text, key } = artifact;
  if (kind === 'html' || kind === 'svg') return <ArtifactFrame key={key} html={pageOf(artifact)} title={title} />;
  return (
    <div className="artifact-text">
      {kind === 'markdown' ? (
        <Markdown text={text} />
      ) : (
        <Suspense fallback={<Code text={text} wrap={false} />}>
          <Diagram text={text} />
        </Suspense>
      )}
    </div>
  );
}
