// What is asked before an import is committed, taken back or discarded, with what that reaches.
import { useState } from 'react';
import type { ImportDto, ImportReachDto } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { go } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { nameOf, projectOptions, useIdentities, useProjects } from '../memory/chosen.tsx';

interface Props {
  shown: ImportDto;
  onChange: () => void;
  onClose: () => void;
}

export function CommitDialog({ shown, onChange, onClose }: Props) {
  const params = { id: shown.id };
  const identities = useIdentities().data?.items ?? [];
  const projects = useProjects().data?.items ?? [];
  const [identityId, setIdentity] = useState(String(shown.identityId ?? ''));
  const [projectId, setProject] = useState(String(shown.projectId ?? ''));
  const [whole, setWhole] = useState(true);
  const review = useResource(`reach ${shown.id}`, () => client.imports.review({ params, query: { limit: 1 } }));
  const commit = async () => {
    const body = {
      ...(identityId && { identityId: Number(identityId) }),
      ...(projectId && { projectId: Number(projectId) }),
      memoryPerConversation: whole,
    };
    await client.imports.commit({ params, body });
    onChange();
  };
  return (
    <Confirm title={t('Commit this import?')} action={t('Commit')} danger={false} onConfirm={commit} onClose={onClose}>
      <div className="stack">
        <Loaded resource={review} rows={2}>
          {({ reach }) => (
            <Reached
              reach={reach}
              isSame={identityId === String(shown.identityId) && projectId === String(shown.projectId ?? '')}
            />
          )}
        </Loaded>
        <div className="form-grid">
          <SelectField
            label={t('Whose memories')}
            value={identityId}
            onChange={setIdentity}
            options={[
              ...(shown.identityId === null ? [['', t('Choose an identity')] as const] : []),
              ...identities.map((one) => [String(one.id), nameOf(one)] as const),
            ]}
          />
          <SelectField
            label={t('Facts go to')}
            value={projectId}
            onChange={setProject}
            options={projectOptions(projects, t('No project'))}
          />
        </div>
        <CheckField
          label={t('One memory for each conversation; long ones are cut')}
          checked={whole}
          onChange={setWhole}
        />
        <p className="muted">{t('It can be taken back as a whole afterwards.')}</p>
      </div>
    </Confirm>
  );
}

/** What a commit would write; what is known was counted for the identity and project that the import has now. */
function Reached({ reach, isSame }: { reach: ImportReachDto; isSame: boolean }) {
  const { memoryCount, knownMemoryCount, factCount, conflictCount, flaggedCount } = reach;
  return (
    <ul className="import-reached">
      <li>
        {t('{memories} and {facts} will be written, as reported.', {
          memories: plural(memoryCount, '{n} memory', '{n} memories'),
          facts: plural(factCount, '{n} fact', '{n} facts'),
        })}
      </li>
      {knownMemoryCount > 0 && (
        <li>
          {plural(
            knownMemoryCount,
            '{n} is known already and left as it is.',
            '{n} are known already and left as they are.',
          )}
        </li>
      )}
      {conflictCount > 0 && (
        <li>
          {plural(
            conflictCount,
            '{n} fact takes the place of another value.',
            '{n} facts take the place of other values.',
          )}
        </li>
      )}
      {flaggedCount > 0 && (
        <li>
          {plural(
            flaggedCount,
            '{n} of them has flags, and is remembered as it is.',
            '{n} of them have flags, and are remembered as they are.',
          )}
        </li>
      )}
      {!isSame && <li>{t('What another identity or project knows already is found at the commit.')}</li>}
    </ul>
  );
}

export function UndoDialog({ shown, onChange, onClose }: Props) {
  const undo = async () => {
    await client.imports.undo({ params: { id: shown.id }, body: {} });
    onChange();
  };
  return (
    <Confirm title={t('Take this import back?')} action={t('Undo')} onConfirm={undo} onClose={onClose}>
      <p>
        {t('{memories} and {facts} are deleted, with their links and in the search.', {
          memories: plural(shown.memoryCount, '{n} memory', '{n} memories'),
          facts: plural(shown.factCount, '{n} fact', '{n} facts'),
        })}
      </p>
      <p>{t('Facts that they had replaced count again. The import is ready for review again.')}</p>
    </Confirm>
  );
}

export function DiscardDialog({ shown, onClose }: Props) {
  const discard = async () => {
    await client.imports.remove({ params: { id: shown.id } });
    go('/imports');
  };
  const { conversationCount, itemCount } = shown;
  return (
    <Confirm title={t('Discard this import?')} action={t('Discard')} onConfirm={discard} onClose={onClose}>
      <p>
        {t('What was read is deleted: {conversations} and {items}, with your decisions. No memory is touched.', {
          conversations: plural(conversationCount, '{n} conversation', '{n} conversations'),
          items: plural(itemCount, '{n} memory or fact', '{n} memories and facts'),
        })}
      </p>
    </Confirm>
  );
}
