// A tool call of a reply, folded.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { ChatToolCallDto } from '../../state/wire/chat.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyText, Json } from '../../ui/code.tsx';
import { Icon } from '../../ui/icon.tsx';
import { State } from '../../ui/status.tsx';

export function ToolCallView({ call }: { call: ChatToolCallDto }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="tool">
      <button type="button" className="tool-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="tool" />
        <strong className="mono grow">{call.name}</strong>
        <State name={call.status} />
      </button>
      {open && (
        <div className="tool-body">
          <Json value={call.argumentsJson} />
          {call.resultJson !== null && <Json value={call.resultJson} />}
        </div>
      )}
    </div>
  );
}

export function CopyButton({ text }: { text: string }) {
  return <IconButton icon="copy" label={t('Copy')} onClick={() => copyText(text)} />;
}
