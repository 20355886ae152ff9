// The versions of a document: what changed in each, and the way back to it.
import { useState } from 'react';
import type { DocDto } from '../../../client/index.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { DiffLines } from '../../ui/diff-lines.tsx';
import { readPatch } from '../../ui/patch.ts';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

export function DocVersions({ doc, onRestored }: { doc: DocDto; onRestored: (restored: DocDto) => void }) {
  const [chosen, setChosen] = useState(doc.version);
  const list = useKept(
    useResource(`doc versions ${doc.id} ${doc.version}`, () =>
      client.docs.versions({ params: { id: doc.id }, query: { pageSize: 100 } }),
    ),
  );
  const detail = useKept(
    useResource(`doc version ${doc.id} ${chosen}`, () =>
      client.docs.version({ params: { id: doc.id, version: chosen } }),
    ),
  );
  const { busy, act } = useAction();
  const restore = () =>
    act(async () => {
      onRestored(await client.docs.restore({ params: { id: doc.id, version: chosen }, body: {} }));
      say(t('Version {n} is current again', { n: chosen }));
    });
  return (
    <div className="doc-versions">
      <Loaded resource={list}>
        {({ items }) => (
          <ul className="doc-version-list" aria-label={t('Versions')}>
            {items.map((one) => (
              <li key={one.id}>
                <button
                  type="button"
                  className="doc-version"
                  aria-pressed={one.version === chosen}
                  onClick={() => setChosen(one.version)}
                >
                  <span className="num">{t('Version {n}', { n: one.version })}</span>
                  <span className="faint small">
                    {[one.authorName, formatAgo(one.createdAtUtc, Date.now()), one.isCurrent && t('current')]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                  {one.changeSummary && <span className="small">{one.changeSummary}</span>}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Loaded resource={detail}>
        {({ version, diff, isCurrent }) => (
          <div className="grow doc-diff">
            {may('DocsWrite') && !isCurrent && (
              <Button size="small" disabled={busy} onClick={() => void restore()}>
                {t('Restore version {n}', { n: version })}
              </Button>
            )}
            {diff === null ? (
              <p className="muted">{t('The first version.')}</p>
            ) : (
              <DiffLines
                hunks={readPatch(`diff --git a/document b/document\n${diff}`).flatMap(({ hunks }) => hunks)}
                label={t('What version {n} changed', { n: version })}
              />
            )}
          </div>
        )}
      </Loaded>
    </div>
  );
}
