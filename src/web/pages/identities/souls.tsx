// The soul of an identity as Markdown: exported, imported over, and its versions with what each changed.
import { useState } from 'react';
import { formatBytes, formatDate, t } from '../../base/i18n.ts';
import { patchFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { saveAs } from '../../base/save.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { DiffLines } from '../../ui/diff-lines.tsx';
import { readPatch } from '../../ui/patch.ts';
import { Pick } from '../../ui/pick.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ImportSoul } from './import-soul.tsx';

interface Props {
  id: number;
  name: string;
  onChange: () => void;
}

export function Souls({ id, name, onChange }: Props) {
  const { query } = useLocation();
  const list = useResource(`soul versions ${id}`, () =>
    client.soulVersions.list({ params: { id }, query: { pageSize: 100 } }),
  );
  const [importing, setImporting] = useState(false);
  const { busy, act } = useAction();
  const download = async () => saveAs(await client.souls.get({ params: { id }, query: {} }), `${name}.soul.md`);
  const changed = () => {
    list.reload();
    onChange();
  };
  return (
    <div className="stack">
      <div className="row wrap">
        <Button icon="down" disabled={busy} onClick={() => void act(download)}>
          {t('Export as soul.md')}
        </Button>
        {may('IdentitiesWrite') && <Button onClick={() => setImporting(true)}>{t('Import a soul')}</Button>}
      </div>
      <Loaded resource={list}>
        {({ items }) => {
          const chosen = items.find((one) => String(one.id) === query.get('version')) ?? items[0];
          if (!chosen)
            return <Empty title={t('No versions yet')}>{t('Each change of the soul is kept as a version.')}</Empty>;
          return (
            <div className="stack">
              <Pick
                label={t('Versions')}
                items={items}
                chosen={chosen.id}
                onPick={(one) => patchQuery({ version: one.id })}
              >
                {(one) => (
                  <>
                    <strong>{t('Version {n}', { n: one.number })}</strong>
                    <span className="small muted">
                      {[one.changedBy, formatDate(one.createdAtUtc), formatBytes(one.sizeBytes)]
                        .filter(Boolean)
                        .join(' · ')}
                    </span>
                  </>
                )}
              </Pick>
              <Version
                key={chosen.id}
                id={id}
                version={chosen}
                isLatest={chosen.id === items[0]?.id}
                onChange={changed}
              />
            </div>
          );
        }}
      </Loaded>
      {importing && <ImportSoul id={id} onClose={() => setImporting(false)} onDone={changed} />}
    </div>
  );
}

interface VersionProps {
  id: number;
  version: { id: number; number: number };
  isLatest: boolean;
  onChange: () => void;
}

function Version({ id, version, isLatest, onChange }: VersionProps) {
  const params = { id, versionId: version.id };
  const diff = useResource(`soul diff ${id} ${version.id}`, () => client.soulVersions.diff({ params, query: {} }));
  const [asking, setAsking] = useState(false);
  const restore = async () => {
    const patch = patchFromHere();
    await client.soulVersions.restore({ params });
    say(t('Version {n} restored', { n: version.number }));
    patch({ version: null });
    onChange();
  };
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Changes of version {n}', { n: version.number })}</h2>
        {may('IdentitiesWrite') && !isLatest && (
          <Button size="small" icon="refresh" onClick={() => setAsking(true)}>
            {t('Restore')}
          </Button>
        )}
      </div>
      <Loaded resource={diff} rows={4}>
        {({ diff: text }) => (
          // The reader of patches wants the line that begins a file.
          <DiffLines
            hunks={readPatch(`diff --git a/soul.md b/soul.md\n${text}`).flatMap(({ hunks }) => hunks)}
            label={t('Changes of version {n}', { n: version.number })}
          />
        )}
      </Loaded>
      {asking && (
        <Confirm
          title={t('Restore version {n}?', { n: version.number })}
          action={t('Restore')}
          danger={false}
          onConfirm={restore}
          onClose={() => setAsking(false)}
        >
          <p>{t('It becomes the newest version; the others are kept.')}</p>
        </Confirm>
      )}
    </section>
  );
}
