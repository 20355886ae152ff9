// The effective configuration: each setting with where it comes from, and overrides of those that can be changed.
import { useState } from 'react';
import type { SystemConfigEntryDto } from '../../../client/index.ts';
import { formatDate, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';

export function Settings() {
  const config = useResource('system config', () => client.system.config());
  const [changing, setChanging] = useState<SystemConfigEntryDto | null>(null);
  const { busy, act } = useAction();
  const change = async (key: string, value: string | null) => {
    const changed = await client.system.changeConfig({ body: { settings: { [key]: value } } });
    config.put(() => changed);
  };
  return (
    <Loaded resource={config} rows={12}>
      {({ entries, restartPending, updatedAtUtc, updatedByName }) => (
        <div className="stack">
          {restartPending && <p role="status">{t('An override waits for the next start of the server.')}</p>}
          {updatedAtUtc && (
            <p className="muted">
              {t('Overrides were changed by {name} on {date}.', {
                name: updatedByName ?? '–',
                date: formatDate(updatedAtUtc),
              })}
            </p>
          )}
          <Table
            rows={entries}
            keyOf={(entry) => entry.key}
            columns={[
              {
                head: t('Setting'),
                cell: (entry) => (
                  <>
                    <code>{entry.key}</code>
                    <div className="faint small">{entry.description}</div>
                  </>
                ),
              },
              { head: t('Value'), cell: (entry) => entry.value ?? '–' },
              { head: t('Default'), className: 'muted', cell: (entry) => entry.defaultValue ?? '–' },
              { head: t('Source'), cell: (entry) => words(entry.source) },
              {
                head: t('Actions'),
                cell: (entry) =>
                  entry.isEditable && may('SystemWrite') ? (
                    <div className="row">
                      <Button size="small" onClick={() => setChanging(entry)}>
                        {t('Override')}
                      </Button>
                      {entry.source === 'Override' && (
                        <Button size="small" disabled={busy} onClick={() => void act(() => change(entry.key, null))}>
                          {t('Reset')}
                        </Button>
                      )}
                    </div>
                  ) : (
                    <span className="faint small">{t('set at the start')}</span>
                  ),
              },
            ]}
          />
          {changing && <Override entry={changing} onClose={() => setChanging(null)} onSave={change} />}
        </div>
      )}
    </Loaded>
  );
}

interface OverrideProps {
  entry: SystemConfigEntryDto;
  onClose: () => void;
  onSave: (key: string, value: string) => Promise<unknown>;
}

function Override({ entry, onClose, onSave }: OverrideProps) {
  const [value, setValue] = useState(entry.value ?? '');
  return (
    <FormDialog
      title={t('Override {name}', { name: entry.key })}
      action={t('Save')}
      ready={value !== '' && value !== entry.value}
      onSubmit={() => onSave(entry.key, value)}
      onClose={onClose}
    >
      <p className="muted">
        {entry.description} {entry.requiresRestart ? t('It acts at the next start.') : t('It acts at once.')}
      </p>
      <TextField label={t('Value')} value={value} onChange={setValue} />
    </FormDialog>
  );
}
