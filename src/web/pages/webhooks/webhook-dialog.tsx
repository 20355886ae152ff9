// Makes a webhook or changes one: where it sends, which events, and how long it tries.
import type { WebhookDto, WebhookWriteResult } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { nameOf, projectOptions, useIdentities, useProjects } from '../memory/chosen.tsx';
import { patternsOf, settingsOf, type Written, writtenOf } from './draft.ts';

interface Props {
  webhook?: WebhookDto;
  onClose: () => void;
  onDone: (result: WebhookWriteResult) => void;
}

interface FieldsProps {
  written: Written;
  onWrite: (change: Partial<Written>) => void;
}

export function WebhookDialog({ webhook, onClose, onDone }: Props) {
  const { written, write, clear } = useDraftRecord(`webhook.${webhook?.id ?? 'new'}`, writtenOf(webhook));
  const save = async () => {
    const body = settingsOf(written);
    const saved = webhook
      ? await client.webhooks.patch({ params: { id: webhook.id }, body })
      : await client.webhooks.create({ body });
    clear();
    onDone(saved);
  };
  const isReady = written.name.trim() !== '' && written.url.trim() !== '' && patternsOf(written).length > 0;
  return (
    <FormDialog
      wide
      title={webhook ? t('Change the webhook') : t('New webhook')}
      action={t('Save')}
      ready={isReady}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField label={t('Name')} value={written.name} onChange={(name) => write({ name })} required />
      <TextField
        name="url"
        label={t('URL')}
        type="url"
        value={written.url}
        onChange={(url) => write({ url })}
        placeholder="https://example.com/hooks"
        hint={t('Events are sent here by POST, signed as Standard Webhooks says. Redirects are not followed.')}
        required
      />
      <TextField
        label={t('Description')}
        value={written.description}
        onChange={(description) => write({ description })}
      />
      <h3>{t('Which events')}</h3>
      <EventFields written={written} onWrite={write} />
      <h3>{t('How they are sent')}</h3>
      <SendingFields written={written} onWrite={write} headerNames={webhook?.headerNames ?? []} />
    </FormDialog>
  );
}

function EventFields({ written, onWrite }: FieldsProps) {
  const identities = useIdentities();
  const projects = useProjects();
  return (
    <>
      <TextField
        mono
        name="eventTypes"
        label={t('Patterns of events')}
        value={written.patterns}
        onChange={(patterns) => onWrite({ patterns })}
        rows={3}
        placeholder={'run.ended\ntask.*'}
        hint={t(
          'One a line: a type of event, with * for any characters, or a topic before it, e.g. project:7/task.*. Any of them is enough.',
        )}
        required
      />
      <TextField
        mono
        label={t('Filter, as JSON')}
        value={written.filter}
        onChange={(filter) => onWrite({ filter })}
        rows={2}
        placeholder={'{"status":"Failed"}'}
        hint={t(
          'Fields of the event that must all hold: a value, or eq, ne, gt, gte, lt, lte, in, contains, exists, e.g. {example}.',
          { example: '{"costUsd":{"gt":1}}' },
        )}
      />
      <div className="form-grid">
        <SelectField
          label={t('Project')}
          value={written.project}
          onChange={(project) => onWrite({ project })}
          options={projectOptions(projects.data?.items ?? [], t('Any'))}
        />
        <SelectField
          label={t('Identity')}
          value={written.identity}
          onChange={(identity) => onWrite({ identity })}
          options={[
            ['', t('Any')],
            ...(identities.data?.items ?? []).map((one) => [String(one.id), nameOf(one)] as const),
          ]}
        />
      </div>
    </>
  );
}

function SendingFields({ written, onWrite, headerNames }: FieldsProps & { headerNames: readonly string[] }) {
  const has = headerNames.length > 0;
  return (
    <>
      <TextField
        mono
        label={t('Headers')}
        value={written.headers}
        onChange={(headers) => onWrite({ headers })}
        rows={2}
        placeholder="X-Team: lagoon"
        hint={
          has
            ? t('{names} are kept sealed. What you write replaces them all; a new URL needs them again.', {
                names: headerNames.join(', '),
              })
            : t('Of your own, one a line. They are kept sealed and never shown again.')
        }
      />
      {has && (
        <CheckField
          label={t('Send no headers of my own any more')}
          checked={written.dropsHeaders}
          onChange={(dropsHeaders) => onWrite({ dropsHeaders })}
        />
      )}
      <div className="form-grid">
        <TextField
          name="timeoutMs"
          label={t('Time limit of an attempt, in seconds')}
          type="number"
          value={written.timeoutSeconds}
          onChange={(timeoutSeconds) => onWrite({ timeoutSeconds })}
          hint={t('1 to 30.')}
        />
        <TextField
          name="maxAttempts"
          label={t('Attempts at most')}
          type="number"
          value={written.maxAttempts}
          onChange={(maxAttempts) => onWrite({ maxAttempts })}
          hint={t('Nine are a day.')}
        />
      </div>
    </>
  );
}
