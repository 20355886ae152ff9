// Makes a channel or changes one: which service, where, which events, and who answers what comes in.
import { useState } from 'react';
import type { ChannelDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { nameOf, projectOptions, useIdentities, useProjects } from '../memory/chosen.tsx';
import { asked, type Kind, settingsOf, type Written, writtenOf } from './draft.ts';

interface Props {
  channel?: ChannelDto;
  onClose: () => void;
  onDone: (channel: ChannelDto) => void;
}

type Hushed = Partial<Pick<Written, 'url' | 'secrets'>>;

interface FieldsProps {
  written: Written;
  onWrite: (change: Partial<Written>) => void;
}

const kinds: readonly Kind[] = ['Slack', 'Discord', 'Telegram', 'Mattermost', 'Ntfy', 'Email', 'Webhook'];
const priorities = ['Low', 'Normal', 'High', 'Urgent'] as const;

export function ChannelDialog({ channel, onClose, onDone }: Props) {
  const draft = useDraftRecord(`channel.${channel?.id ?? 'new'}`, writtenOf(channel));
  const { clear } = draft;
  // Drafts outlive a reload, which secrets must not.
  const [hushed, setHushed] = useState<Hushed>({});
  const written = { ...draft.written, ...hushed };
  const write = ({ url, secrets, ...rest }: Partial<Written>) => {
    if (url !== undefined || secrets !== undefined)
      setHushed({ ...hushed, ...(url !== undefined && { url }), ...(secrets !== undefined && { secrets }) });
    if (Object.keys(rest).length > 0) draft.write(rest);
  };
  const save = async () => {
    const body = settingsOf(written);
    const saved = channel
      ? await client.channels.patch({ params: { id: channel.id }, body })
      : await client.channels.create({ body: { ...body, kind: written.kind } });
    clear();
    onDone(saved);
    onClose();
  };
  return (
    <FormDialog
      wide
      title={channel ? t('Change the channel') : t('New channel')}
      action={t('Save')}
      ready={written.name.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField label={t('Name')} value={written.name} onChange={(name) => write({ name })} required />
      <div className="form-grid">
        {!channel && (
          <SelectField<Kind>
            label={t('Service')}
            value={written.kind}
            // What is a token of one service is none of another.
            onChange={(kind) => write({ kind, secrets: {} })}
            options={kinds.map((one) => [one, words(one)] as const)}
          />
        )}
        <SelectField<Written['direction']>
          label={t('Direction')}
          value={written.direction}
          onChange={(direction) => write({ direction })}
          options={[
            ['Outbound', t('Sends')],
            ['Both', t('Sends and listens')],
            ['Inbound', t('Listens')],
          ]}
        />
      </div>
      <PlaceFields written={written} onWrite={write} isNew={!channel} />
      <h3>{t('What is sent')}</h3>
      <EventFields written={written} onWrite={write} />
      <h3>{t('What comes in')}</h3>
      <InboundFields written={written} onWrite={write} />
    </FormDialog>
  );
}

function PlaceFields({ written, onWrite, isNew }: FieldsProps & { isNew: boolean }) {
  const { url, target } = asked[written.kind];
  const kept = isNew ? '' : ` ${t('Leave it empty to keep it.')}`;
  return (
    <>
      <TextField
        name="url"
        label={t('URL')}
        type="url"
        value={written.url}
        onChange={(one) => onWrite({ url: one })}
        hint={t(url) + kept}
      />
      {target !== null && (
        <TextField
          name="targetAddress"
          label={t('Place')}
          value={written.target}
          onChange={(one) => onWrite({ target: one })}
          hint={t(target) + kept}
        />
      )}
      <SecretFields written={written} onWrite={onWrite} isNew={isNew} />
    </>
  );
}

/** A field for each part of the secret: what is written replaces all parts that are stored. */
function SecretFields({ written: { kind, secrets }, onWrite, isNew }: FieldsProps & { isNew: boolean }) {
  const parts = asked[kind].secrets;
  const isWhole = parts.length === 1;
  const sealed = isWhole
    ? t('It is kept sealed and never shown again.')
    : t('They are kept sealed and never shown again.');
  const kept = isWhole
    ? t('Leave it empty to keep it.')
    : t('Leave all empty to keep them: what you write replaces all of them.');
  const about = isNew ? sealed : `${sealed} ${kept}`;
  const fields = parts.map(({ name, label, hint }) => (
    <TextField
      key={name}
      {...(isWhole && { name: 'secret' })}
      label={t(label)}
      type="password"
      autoComplete="new-password"
      value={secrets[name] ?? ''}
      onChange={(text) => onWrite({ secrets: { ...secrets, [name]: text } })}
      hint={isWhole ? `${t(hint)} ${about}` : t(hint)}
    />
  ));
  if (isWhole) return fields;
  return (
    <>
      <div className="form-grid">{fields}</div>
      <p className="small muted">{about}</p>
    </>
  );
}

function EventFields({ written, onWrite }: FieldsProps) {
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
        placeholder={'escalation.*\nrun.failed'}
        hint={t('One a line: a type of event, with * for any characters, or a topic before it, e.g. project:7/task.*.')}
      />
      <div className="form-grid">
        <SelectField<Written['minPriority']>
          label={t('Priority at least')}
          value={written.minPriority}
          onChange={(minPriority) => onWrite({ minPriority })}
          options={priorities.map((one) => [one, words(one)] as const)}
        />
        <SelectField
          label={t('Project')}
          value={written.project}
          onChange={(project) => onWrite({ project })}
          options={projectOptions(projects.data?.items ?? [], t('Any'))}
        />
      </div>
    </>
  );
}

function InboundFields({ written, onWrite }: FieldsProps) {
  const identities = useIdentities();
  return (
    <>
      <SelectField
        label={t('Identity')}
        value={written.identity}
        onChange={(identity) => onWrite({ identity })}
        options={[
          ['', t('None: messages go into your inbox')],
          ...(identities.data?.items ?? []).map((one) => [String(one.id), nameOf(one)] as const),
        ]}
        hint={t('An agent answers in a chat, a person has it in the inbox.')}
      />
      <TextField
        mono
        label={t('Settings, as JSON')}
        value={written.settings}
        onChange={(settings) => onWrite({ settings })}
        rows={2}
        placeholder={'{"deciders":["U0123"]}'}
        hint={t(
          'deciders: ids of people of the service who may decide what runs ask, or "*". inbound: chat or message.',
        )}
      />
    </>
  );
}
