// Export: what would be taken along of an identity or of the tenant, counted, and the download with its progress.
import { useState } from 'react';
import type { ExportManifest } from '../../../client/index.ts';
import { formatBytes, formatNumber, t } from '../../base/i18n.ts';
import { saveAs } from '../../base/save.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { nameOf, useIdentities } from '../memory/chosen.tsx';
import { measured } from './measured.ts';

type Format = 'Zip' | 'Portable' | 'Pam' | 'Omp';

type Counted = Exclude<keyof ExportManifest, 'version' | 'exportedAtUtc'>;
/** What people read of the manifest, in this order. */
const shown: readonly (readonly [Counted, string])[] = [
  ['identityCount', 'Identities'],
  ['memoryCount', 'Memories'],
  ['hebbianLinkCount', 'Links between memories'],
  ['factCount', 'Facts'],
  ['projectCount', 'Projects'],
  ['taskCount', 'Tasks'],
  ['docCount', 'Documents'],
  ['chatSessionCount', 'Chats'],
  ['messageCount', 'Messages'],
  ['handoffCount', 'Hand-offs'],
  ['hintCount', 'Hints'],
  ['reflectionCount', 'Reflections'],
  ['trainingPairCount', 'Training pairs'],
  ['graphNodeCount', 'Entities'],
  ['graphEdgeCount', 'Relations'],
  ['agentRunCount', 'Runs'],
  ['agentEventCount', 'Events of runs'],
];
const extensions: Record<Format, string> = { Zip: 'zip', Portable: 'portable.json', Pam: 'pam.json', Omp: 'omp.zip' };

export function ExportPage() {
  const identities = useIdentities();
  const [whose, setWhose] = useState('tenant');
  const [format, setFormat] = useState<Format>('Zip');
  const [includeArchived, setArchived] = useState(false);
  const [includeChats, setChats] = useState(false);
  const switches = { includeArchived, includeChats };
  const identityId = whose === 'tenant' ? null : Number(whose);
  const options = [
    ['tenant', t('The whole tenant')] as const,
    ...(identities.data?.items ?? []).map((one) => [String(one.id), nameOf(one)] as const),
  ];
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Export')}</h1>
      </div>
      <section className="card">
        <div className="card-body stack">
          <div className="form-grid">
            <SelectField label={t('Of')} value={whose} onChange={setWhose} options={options} />
            {identityId !== null && (
              <SelectField
                label={t('Format')}
                value={format}
                onChange={setFormat}
                options={[
                  ['Zip', t('ZIP with everything')],
                  ['Portable', t('Portable JSON')],
                  ['Pam', t('Portable AI Memory')],
                  ['Omp', t('Markdown (Open Memory Protocol)')],
                ]}
              />
            )}
          </div>
          <CheckField label={t('With what is archived')} checked={includeArchived} onChange={setArchived} />
          <CheckField label={t('With my chats')} checked={includeChats} onChange={setChats} />
          <Download identityId={identityId} format={identityId === null ? 'Zip' : format} switches={switches} />
        </div>
      </section>
      <Counts identityId={identityId} switches={switches} />
    </div>
  );
}

interface Asked {
  identityId: number | null;
  switches: { includeArchived: boolean; includeChats: boolean };
}

function Download({ identityId, format, switches }: Asked & { format: Format }) {
  const { busy, act } = useAction();
  const [bytes, setBytes] = useState<number | null>(null);
  const download = async () => {
    const response = await fileOf(identityId, format, switches);
    await saveAs(measured(response, setBytes), `${identityId ?? 'tenant'}.${extensions[format]}`);
  };
  return (
    <div className="row">
      <Button kind="primary" icon="down" disabled={busy} onClick={() => void act(download)}>
        {t('Download')}
      </Button>
      <output className="muted" aria-live="polite">
        {bytes === null ? '' : formatBytes(bytes)}
      </output>
    </div>
  );
}

function fileOf(identityId: number | null, format: Format, switches: Asked['switches']): Promise<Response> {
  if (identityId === null) return client.exports.tenant({ query: switches });
  const params = { identityId };
  if (format === 'Zip') return client.exports.identity({ params, query: switches });
  return client.exports.portable({ params, query: { ...switches, format } });
}

function Counts({ identityId, switches }: Asked) {
  const query = { ...switches, ...(identityId === null ? {} : { identityId }) };
  const manifest = useResource(`export ${JSON.stringify(query)}`, () => client.exports.manifest({ query }));
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('What is inside')}</h2>
      </div>
      <div className="card-body">
        <Loaded resource={manifest}>
          {(counts) => (
            <dl className="facts">
              {shown.map(([field, label]) => (
                <div key={field}>
                  <dt>{t(label)}</dt>
                  <dd>{formatNumber(counts[field])}</dd>
                </div>
              ))}
            </dl>
          )}
        </Loaded>
      </div>
    </section>
  );
}
