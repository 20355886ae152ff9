// Saves a chat as a file: Markdown to read, of this branch or of all, or data for other services.
import { useState } from 'react';
import type { ChatSessionDetailDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { saveAs } from '../../base/save.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Props {
  session: ChatSessionDetailDto;
  onClose: () => void;
}

export function ExportDialog({ session, onClose }: Props) {
  const { busy, act } = useAction();
  const [includeReasoning, setReasoning] = useState(false);
  const [includeSecrets, setSecrets] = useState(false);
  const params = { sessionId: session.id };
  const kept = { includeReasoning, includeSecrets };
  const markdown = async (allBranches: boolean) =>
    saveAs(
      await client.exports.chatMarkdown({ params, query: { ...kept, allBranches } }),
      `chat-${session.id}${allBranches ? '-all' : ''}.md`,
    );
  const dti = async () =>
    saveAs(await client.exports.chatSession({ params, query: kept }), `chat-${session.id}.dti.json`);
  const files = [
    [t('Markdown, this branch'), () => markdown(false)],
    [t('Markdown, all branches'), () => markdown(true)],
    [t('JSON (DTI), this branch'), dti],
  ] as const;
  return (
    <Dialog title={t('Export the chat')} onClose={onClose}>
      <p className="muted">
        {t('This exports the branch that was shown last. A mark of their kind stands for keys and passwords.')}
      </p>
      <CheckField label={t('With reasoning')} checked={includeReasoning} onChange={setReasoning} />
      <CheckField label={t('With keys and passwords')} checked={includeSecrets} onChange={setSecrets} />
      <div className="row wrap">
        {files.map(([label, save]) => (
          <Button key={label} icon="down" disabled={busy} onClick={() => void act(save)}>
            {label}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}
