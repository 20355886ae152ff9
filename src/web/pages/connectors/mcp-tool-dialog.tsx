// One tool of an MCP server: what it is now, or how that differs from what was accepted, and the decision of a person.
import '../../styles/run-views.css';
import type { McpToolDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Json } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DiffLines } from '../../ui/diff-lines.tsx';
import { readPatch } from '../../ui/patch.ts';
import { useAction } from '../../ui/use-action.ts';
import { McpToolMark, Risk } from './marks.tsx';

interface Props {
  tool: McpToolDto;
  onClose: () => void;
  onDone: () => void;
}

export function McpToolDialog({ tool, onClose, onDone }: Props) {
  const { busy, act } = useAction();
  const { connectorId: id, name, digest, difference, enabled, state } = tool;
  const decide = (to: boolean) =>
    void act(() =>
      client.connectorMcp.decide({ params: { id, name }, body: { enabled: to, ...(to && { digest }) } }),
    ).then((done) => {
      // What is refused has changed since it was looked at: the list is read again.
      onDone();
      if (done) onClose();
    });
  return (
    <Dialog
      wide
      title={t('Tool {name}', { name })}
      onClose={onClose}
      foot={
        may('ConnectorsWrite') && (
          <>
            {(enabled || tool.waiting) && (
              <Button disabled={busy} onClick={() => decide(false)}>
                {t('Keep agents from it')}
              </Button>
            )}
            {digest !== null && !(enabled && state === 'Accepted') && (
              <Button kind="primary" disabled={busy} onClick={() => decide(true)}>
                {state === 'Accepted' ? t('Let agents use it') : t('Accept it as it is now')}
              </Button>
            )}
          </>
        )
      }
    >
      <div className="stack">
        <div className="row wrap">
          <McpToolMark tool={tool} />
          <Risk risk={tool.risk} />
          <code className="clamp">{tool.toolName}</code>
        </div>
        {difference ? (
          <>
            <p>
              {t('The server gives another definition than the one that was accepted. Agents read every word of it.')}
            </p>
            <DiffLines
              hunks={readPatch(`diff --git a/tool b/tool\n${difference}`).flatMap(({ hunks }) => hunks)}
              label={t('What has changed')}
            />
          </>
        ) : (
          <>
            <p className="muted">
              {state === 'Gone'
                ? t('The server does not give this tool any more; this is how it was accepted.')
                : t('The server says this of its tool; agents read it.')}
            </p>
            <Json value={tool.offeredJson ?? tool.acceptedJson} />
          </>
        )}
      </div>
    </Dialog>
  );
}
