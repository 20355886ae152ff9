// Takes an archive: dropped or chosen, for whose memories and which project's facts, with the progress of its upload.
import { type DragEvent, useState } from 'react';
import { useDraft } from '../../base/draft.ts';
import { formatBytes, formatPercent, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { useStore } from '../../base/store.ts';
import { server } from '../../state/app.ts';
import { upload, uploadArchive } from '../../state/uploads.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { say } from '../../ui/toast.tsx';
import { nameOf, projectOptions, useIdentities, useProjects } from '../memory/chosen.tsx';
import { Progress } from './marks.tsx';

/** What the server takes at most. */
const mostBytes = 629_145_600;

export function UploadCard() {
  const identities = useIdentities().data?.items ?? [];
  const projects = useProjects().data?.items ?? [];
  const own = server.get()?.principal.identity?.id ?? identities[0]?.id ?? '';
  const identity = useDraft('import.identity');
  const project = useDraft('import.project');
  const [scrub, setScrub] = useState(true);
  const [extractFacts, setExtractFacts] = useState(false);
  const identityId = identity.text || String(own);
  const take = async (file: File | undefined) => {
    if (!file) return;
    const fields = {
      ...(identityId && { identityId }),
      ...(project.text && { projectId: project.text }),
      scrub: String(scrub),
      extractFacts: String(extractFacts),
    };
    const goOn = goFromHere();
    const made = await uploadArchive(file, fields);
    if (!made) return;
    if (!goOn(`/imports/${made.id}`)) say(t('{name} is uploaded', { name: file.name }));
  };
  return (
    <section className="card" aria-label={t('New import')}>
      <div className="card-body stack">
        <DropField onFile={(file) => void take(file)} />
        <div className="form-grid">
          {identities.length > 1 && (
            <SelectField
              label={t('For the memories of')}
              value={identityId}
              onChange={identity.write}
              options={identities.map((one) => [String(one.id), nameOf(one)] as const)}
            />
          )}
          {projects.length > 0 && (
            <SelectField
              label={t('Facts go to')}
              value={project.text}
              onChange={project.write}
              options={projectOptions(projects, t('No project yet'))}
            />
          )}
        </div>
        <CheckField label={t('Flag secrets and personal data')} checked={scrub} onChange={setScrub} />
        <CheckField
          label={t('Find facts in what I have said, such as “Ada works for Initech”')}
          checked={extractFacts}
          onChange={setExtractFacts}
        />
      </div>
    </section>
  );
}

function DropField({ onFile }: { onFile: (file: File | undefined) => void }) {
  const { sending, failed } = useStore(upload);
  const [over, setOver] = useState(false);
  const [tooLarge, setTooLarge] = useState<string | null>(null);
  const take = (file: File | undefined) => {
    const isTooLarge = (file?.size ?? 0) > mostBytes;
    setTooLarge(isTooLarge && file ? file.name : null);
    if (!isTooLarge) onFile(file);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  if (sending) return <Sending {...sending} />;
  return (
    <>
      <label
        className="import-drop"
        data-over={over}
        onDragOver={onDragOver}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <Icon name="upload" />
        <strong>{t('Drop an archive here, or choose it')}</strong>
        <span className="small muted">
          {t(
            'A ZIP from ChatGPT, Claude, Gemini, Grok, DeepSeek, Mistral or Copilot, or one file of it; up to 600 MB.',
          )}
        </span>
        <input
          className="visually-hidden"
          type="file"
          accept=".zip,.json,.html,.csv"
          onChange={(event) => {
            take(event.target.files?.[0]);
            // The same file can be chosen again.
            event.target.value = '';
          }}
        />
      </label>
      {tooLarge !== null && (
        <p className="banner" data-tone="bad" role="alert">
          {t('{name} is larger than 600 MB. Upload one of its files, or a part of a split export.', { name: tooLarge })}
        </p>
      )}
      {failed && tooLarge === null && (
        <div className="banner" data-tone="bad" role="alert">
          <span className="grow">
            <strong>{t('{name} was not uploaded.', { name: failed.fileName })}</strong> {failed.error.message}{' '}
            {failed.error.code === 'DUPLICATE'
              ? t('It is in the list below: go on with it, or discard it first.')
              : failed.error.hint}
          </span>
        </div>
      )}
    </>
  );
}

function Sending({ fileName, sent, total, stop }: { fileName: string; sent: number; total: number; stop: () => void }) {
  const isSent = total > 0 && sent >= total;
  return (
    <div className="import-drop" data-sending="true">
      <strong className="import-name">{fileName}</strong>
      <Progress label={t('Upload of {name}', { name: fileName })} value={sent} max={total || 1} />
      <span className="small muted num">
        {isSent
          ? t('All of it is sent; the server looks at it.')
          : `${formatBytes(sent)} / ${formatBytes(total)} · ${formatPercent(total > 0 ? sent / total : 0)}`}
      </span>
      <Button size="small" icon="stop" onClick={stop}>
        {t('Stop')}
      </Button>
    </div>
  );
}
