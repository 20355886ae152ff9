// What may be done with a lesson: say whether it helped, give it to an identity, change it, forget it.
import { useState } from 'react';
import type { AgentMemoryDto, ReinforcementOutcome } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { nameOf, useIdentities } from './chosen.tsx';

interface Props {
  lesson: AgentMemoryDto;
  onChange: () => void;
  onDone: () => void;
}

export function LessonActions({ lesson, onChange, onDone }: Props) {
  const [asking, setAsking] = useState<'promote' | 'forget' | null>(null);
  const { busy, act } = useAction();
  const params = { id: lesson.id };
  const reinforce = (outcome: ReinforcementOutcome) =>
    void act(() => client.agentMemories.reinforce({ params, body: { outcome } })).then((done) => done && onDone());
  const forget = async () => {
    await client.agentMemories.remove({ params });
    say(t('Forgotten'));
    onDone();
  };
  return (
    <span className="row">
      <IconButton icon="up" label={t('It helped')} disabled={busy} onClick={() => reinforce('Helped')} />
      <IconButton icon="thumbDown" label={t('It hurt')} disabled={busy} onClick={() => reinforce('Hurt')} />
      <Menu
        label={t('More about “{title}”', { title: lesson.title })}
        items={[
          { label: t('Change'), icon: 'edit', onSelect: onChange },
          { label: t('Give it to an identity'), icon: 'identity', onSelect: () => setAsking('promote') },
          { label: t('Forget'), icon: 'close', danger: true, onSelect: () => setAsking('forget') },
        ]}
      >
        <Icon name="more" />
      </Menu>
      {asking === 'promote' && <Promotion lesson={lesson} onClose={() => setAsking(null)} onDone={onDone} />}
      {asking === 'forget' && (
        <Confirm
          title={t('Forget “{title}”?', { title: lesson.title })}
          action={t('Forget')}
          onConfirm={forget}
          onClose={() => setAsking(null)}
        >
          <p>{t('No further run is told of it. What runs wrote because of it stays.')}</p>
        </Confirm>
      )}
    </span>
  );
}

function Promotion({ lesson, onClose, onDone }: Omit<Props, 'onChange'> & { onClose: () => void }) {
  const identities = useIdentities();
  const items = identities.data?.items ?? [];
  const [chosen, setChosen] = useState('');
  const [removeOriginal, setRemove] = useState(false);
  const identity = chosen || String(items[0]?.id ?? '');
  const promote = async () => {
    await client.agentMemories.promote({
      params: { id: lesson.id },
      body: { identityId: Number(identity), removeOriginal },
    });
    say(t('It is among the memories of the identity'));
    onDone();
  };
  return (
    <FormDialog
      title={t('Give “{title}” to an identity', { title: lesson.title })}
      action={t('Give')}
      ready={identity !== ''}
      onSubmit={promote}
      onClose={onClose}
    >
      <p className="muted">{t('It becomes one of its own memories, which it finds and keeps.')}</p>
      <SelectField
        label={t('Identity')}
        value={identity}
        onChange={setChosen}
        options={items.map((one) => [String(one.id), nameOf(one)] as const)}
      />
      <CheckField label={t('Take it out of the lessons')} checked={removeOriginal} onChange={setRemove} />
    </FormDialog>
  );
}
