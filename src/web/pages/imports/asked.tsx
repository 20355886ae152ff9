// What is asked before an import is committed, taken back or discarded, with what that reaches.
import { useState } from 'react';
import type { ImportDto, ImportReachDto } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { nameOf, projectOptions, useIdentities, useProjects } from '../memory/chosen.tsx';
import { bindingText, thingsOf } from './reach.tsx';

interface Props {
  shown: ImportDto;
  onChange: () => void;
  onClose: () => void;
}

/** Stands for an identity that a restore makes. */
const anew = 'new';

export function CommitDialog({ shown, onChange, onClose }: Props) {
  const params = { id: shown.id };
  const [identityId, setIdentity] = useState<string | null>(null);
  const [projectId, setProject] = useState(String(shown.projectId ?? ''));
  const [whole, setWhole] = useState(true);
  const [restores, setRestores] = useState(true);
  const review = useResource(`reach ${shown.id}`, () => client.imports.review({ params, query: { limit: 1 } }));
  const kinds = review.data?.reach.restores ?? [];
  const restore = restores && kinds.length > 0;
  const mayBeNew = restore && kinds.some(({ kind }) => kind === 'identity');
  const chosen = identityId ?? (mayBeNew ? anew : String(shown.identityId ?? ''));
  const whose = chosen === anew && !mayBeNew ? String(shown.identityId ?? '') : chosen;
  const commit = async () => {
    const body = {
      ...(whose === anew ? { identityId: null } : whose && { identityId: Number(whose) }),
      ...(projectId && !restore && { projectId: Number(projectId) }),
      ...(restore ? { restore } : { memoryPerConversation: whole }),
    };
    await client.imports.commit({ params, body });
    onChange();
  };
  return (
    <Confirm title={t('Commit this import?')} action={t('Commit')} danger={false} onConfirm={commit} onClose={onClose}>
      <div className="stack">
        <Loaded resource={review} rows={2}>
          {({ reach }) =>
            restore ? (
              <Restored reach={reach} />
            ) : (
              <Reached
                reach={reach}
                isSame={whose === String(shown.identityId) && projectId === String(shown.projectId ?? '')}
              />
            )
          }
        </Loaded>
        {kinds.length > 0 && (
          <CheckField
            label={t('Restore it as it was, rules as rules and chats as chats')}
            checked={restores}
            onChange={setRestores}
          />
        )}
        <div className="form-grid">
          <Whose shown={shown} value={whose} mayBeNew={mayBeNew} onChange={setIdentity} />
          {!restore && <Where value={projectId} onChange={setProject} />}
        </div>
        {!restore && (
          <CheckField
            label={t('One memory for each conversation; long ones are cut')}
            checked={whole}
            onChange={setWhole}
          />
        )}
        <p className="muted">{t('It can be taken back as a whole afterwards.')}</p>
      </div>
    </Confirm>
  );
}

interface WhoseProps {
  shown: ImportDto;
  value: string;
  mayBeNew: boolean;
  onChange: (identityId: string) => void;
}

function Whose({ shown, value, mayBeNew, onChange }: WhoseProps) {
  const identities = useIdentities().data?.items ?? [];
  return (
    <SelectField
      label={mayBeNew ? t('Restore into') : t('Whose memories')}
      value={value}
      onChange={onChange}
      options={[
        ...(mayBeNew ? [[anew, t('A new identity, as in the export')] as const] : []),
        ...(shown.identityId === null && !mayBeNew ? [['', t('Choose an identity')] as const] : []),
        ...identities.map((one) => [String(one.id), nameOf(one)] as const),
      ]}
    />
  );
}

function Where({ value, onChange }: { value: string; onChange: (projectId: string) => void }) {
  const projects = useProjects().data?.items ?? [];
  return (
    <SelectField
      label={t('Facts go to')}
      value={value}
      onChange={onChange}
      options={projectOptions(projects, t('No project'))}
    />
  );
}

/** What a restore would bring back. */
function Restored({ reach: { restores, bindingRuleCount, flaggedCount } }: { reach: ImportReachDto }) {
  return (
    <ul className="import-reached">
      <li>{t('Comes back as it was: {things}.', { things: thingsOf(restores) })}</li>
      {bindingRuleCount > 0 && <li>{bindingText(bindingRuleCount)}</li>}
      <li>{t('Projects with the same key that are there take what belongs to them; others are made.')}</li>
      {flaggedCount > 0 && (
        <li>
          {plural(
            flaggedCount,
            '{n} of them has flags, and is kept as it is.',
            '{n} of them have flags, and are kept as they are.',
          )}
        </li>
      )}
    </ul>
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
      {shown.restoredCount > 0 && (
        <p>
          {plural(
            shown.restoredCount,
            '{n} other thing that was restored is deleted, and the identity and projects that were made for it.',
            '{n} other things that were restored are deleted, and the identity and projects that were made for them.',
          )}
        </p>
      )}
      <p>{t('Facts that they had replaced count again. The import is ready for review again.')}</p>
    </Confirm>
  );
}

export function DiscardDialog({ shown, onClose }: Props) {
  const discard = async () => {
    const goOn = goFromHere();
    await client.imports.remove({ params: { id: shown.id } });
    goOn('/imports');
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
