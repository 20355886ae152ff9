// One message, with what can be done about it.
import { useState } from 'react';
import { formatDuration, formatShort, plural, t } from '../../base/i18n.ts';
import { may } from '../../state/app.ts';
import { chat } from '../../state/operations.ts';
import type { ChatMessageDto } from '../../state/wire/chat.ts';
import { IconButton } from '../../ui/button.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { CopyButton, ToolCallView } from './tool-call-view.tsx';

interface Props {
  message: ChatMessageDto;
  last: boolean;
  onRegenerate: () => void;
}

export function MessageView({ message, last, onRegenerate }: Props) {
  const [open, setOpen] = useState(false);
  const user = message.role === 'user';
  const rate = (feedback: 'up' | 'down') =>
    void chat.rate({ params: { messageId: message.id }, body: { feedback } }).then(() => say(t('Thank you')), sayError);
  if (user)
    return (
      <div className="message" data-role="user">
        <div className="bubble">
          <Markdown text={message.content} />
        </div>
      </div>
    );
  const words = message.reasoningContent?.split(/\s+/).filter(Boolean).length ?? 0;
  return (
    <div className="message" data-role={message.role}>
      {message.reasoningContent && (
        <div className="reasoning">
          <button type="button" className="link small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {plural(words, 'Thought, {n} word', 'Thought, {n} words')}
          </button>
          {open && <p className="reasoning-text">{message.reasoningContent}</p>}
        </div>
      )}
      {message.toolCalls?.map((call) => (
        <ToolCallView key={call.id} call={call} />
      ))}
      {message.content && <Markdown text={message.content} />}
      <div className="message-foot">
        <CopyButton text={message.content} />
        {may('ChatWrite') && chat.rate.served && (
          <>
            <IconButton icon="up" label={t('Good answer')} onClick={() => rate('up')} />
            <IconButton icon="thumbDown" label={t('Poor answer')} onClick={() => rate('down')} />
          </>
        )}
        {last && may('ChatWrite') && <IconButton icon="refresh" label={t('Answer again')} onClick={onRegenerate} />}
        <span className="grow truncate num">
          {[
            message.modelId,
            message.completionTokens > 0 ? t('{n} tokens', { n: formatShort(message.completionTokens) }) : '',
            message.responseTimeMs > 0 ? formatDuration(message.responseTimeMs) : '',
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
    </div>
  );
}
