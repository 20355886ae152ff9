// The texts that a prompt has had, and the way back to one.
import { useState } from 'react';
import type { PromptDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Props {
  prompt: PromptDto;
  onClose: () => void;
  onRestored: () => void;
}

export function PromptVersions({ prompt, onClose, onRestored }: Props) {
  const { id, name } = prompt;
  const now = useNow();
  const list = useResource(`prompt versions ${id} ${prompt.version}`, () =>
    client.prompts.versions({ params: { id } }),
  );
  const [chosen, setChosen] = useState(prompt.version);
  const { busy, act } = useAction();
  const restore = () =>
    act(() => client.prompts.restore({ params: { id, version: chosen } })).then((done) => {
      if (!done) return;
      say(t('Version {n} is current again', { n: chosen }));
      onClose();
      onRestored();
    });
  return (
    <Dialog
      wide
      title={t('Versions of {name}', { name })}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          <Button kind="primary" disabled={busy || chosen === prompt.version} onClick={() => void restore()}>
            {t('Restore version {n}', { n: chosen })}
          </Button>
        </>
      }
    >
      <Loaded resource={list}>
        {(versions) => (
          <>
            <SelectField
              label={t('Version')}
              value={String(chosen)}
              onChange={(version) => setChosen(Number(version))}
              options={versions.map(({ version, writtenByName, writtenAtUtc, isCurrent }) => [
                String(version),
                [version, isCurrent && t('current'), writtenByName, formatAgo(writtenAtUtc, now)]
                  .filter(Boolean)
                  .join(' · '),
              ])}
            />
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys */}
            <section className="prompt-preview" aria-label={t('Text of version {n}', { n: chosen })} tabIndex={0}>
              {versions.find(({ version }) => version === chosen)?.text}
            </section>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
