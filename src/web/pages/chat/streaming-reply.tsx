// The reply as it comes: thoughts folded to their newest words, tool calls, and the text.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { Reply } from '../../state/reply.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { ToolCallView } from './tool-call-view.tsx';

/** Characters of the thoughts that show while they are folded. */
const tail = 240;

export function StreamingReply({ reply }: { reply: Reply }) {
  const [open, setOpen] = useState(false);
  const { reasoning, tools, text } = reply;
  return (
    <div className="message" data-role="assistant" data-streaming="true" data-testid="streaming" aria-live="off">
      {reasoning && (
        <div className="reasoning">
          <button type="button" className="link small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {text ? t('Reasoning') : t('Reasoning…')}
          </button>
          {(open || !text) && (
            <p className={`reasoning-text ${open ? '' : 'tail'}`}>{open ? reasoning : reasoning.slice(-tail)}</p>
          )}
        </div>
      )}
      {tools.map((call) => (
        <ToolCallView key={call.id} call={call} />
      ))}
      <Markdown text={text || ' '} streaming />
    </div>
  );
}
