// Forgets a memory for good, after it has said what that reaches.
import type { MemoryDetailDto } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { patchQuery } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { say } from '../../ui/toast.tsx';

interface Props {
  memory: MemoryDetailDto;
  onClose: () => void;
  /** While it is under way, and no longer when it failed. */
  onForgetting: (is: boolean) => void;
  onDone: () => void;
}

export function ForgetMemory({ memory, onClose, onForgetting, onDone }: Props) {
  const links = [...memory.linksFrom, ...memory.linksTo];
  const restored = memory.linksFrom.filter(({ type }) => type === 'Supersedes');
  const forget = async () => {
    onForgetting(true);
    const gone = await client.memories.remove({ params: { id: memory.id } }).catch((error: unknown) => {
      onForgetting(false);
      throw error;
    });
    const reached = [
      plural(gone.linkIds.length, '{n} link is gone with it', '{n} links are gone with it'),
      gone.restoredMemoryIds.length > 0 &&
        plural(gone.restoredMemoryIds.length, '{n} older memory counts again', '{n} older memories count again'),
    ];
    say(t('Forgotten'), reached.filter(Boolean).join(' · '));
    patchQuery({ memory: null, tab: null });
    onDone();
  };
  return (
    <Confirm
      title={t('Forget “{title}” for good?', { title: memory.title })}
      action={t('Forget')}
      onConfirm={forget}
      onClose={onClose}
    >
      <div className="stack">
        <p>{t('Its text, its history and what searches have of it are gone, and cannot be brought back.')}</p>
        {links.length > 0 && <p>{plural(links.length, '{n} link goes with it.', '{n} links go with it.')}</p>}
        {restored.length > 0 && (
          <p>
            {t('What it superseded counts again: {titles}.', {
              titles: restored.map(({ toMemoryTitle, toMemoryId }) => toMemoryTitle ?? String(toMemoryId)).join(', '),
            })}
          </p>
        )}
        {memory.archivedAtUtc === null && (
          <p className="muted">{t('To have it no longer recalled, archive it instead.')}</p>
        )}
      </div>
    </Confirm>
  );
}
