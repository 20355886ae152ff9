// One message, with what can be done about it.
import { useState } from 'react';
import type { ChatAttachmentDto, ChatAttachmentInput, ChatMessageDto } from '../../../client/index.ts';
import { formatDuration, formatShort, plural, t } from '../../base/i18n.ts';
import { may } from '../../state/app.ts';
import type { ChatInput } from '../../state/chat.ts';
import { useFreeModels } from '../../state/free-models.ts';
import { costOf } from '../../state/run-figures.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/code.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Chip } from '../../ui/status.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { RateMessage } from './rate-message.tsx';
import { ToolCallView } from './tool-call-view.tsx';

interface Props {
  message: ChatMessageDto;
  /** Messages that follow the same one; this is one of them. */
  siblings: readonly number[];
  last: boolean;
  /** A reply streams: nothing can be asked now. */
  busy: boolean;
  onShow: (id: number) => void;
  onEdit: () => void;
  onRegenerate: () => void;
  onContinue: () => void;
  onRated: () => void;
}

/** A message that is on its way. */
export function SentMessage({ input }: { input: ChatInput }) {
  return (
    <div className="message" data-role="user" aria-live="off">
      <Bubble text={input.message ?? ''} attachments={input.attachments ?? []} messageId={null} />
    </div>
  );
}

interface BubbleProps {
  text: string;
  attachments: readonly (ChatAttachmentDto | ChatAttachmentInput)[];
  /** Null while it is on its way: nothing of it can be opened yet. */
  messageId: number | null;
}

function Bubble({ text, ...files }: BubbleProps) {
  return (
    <div className="bubble">
      <Markdown text={text} />
      {files.attachments.length > 0 && <AttachmentList {...files} />}
    </div>
  );
}

export function MessageView(props: Props) {
  const { message, siblings, busy, onShow, onEdit } = props;
  if (message.role !== 'user') return <Answer {...props} />;
  return (
    <div className="message" data-role="user" data-message={message.id} aria-live="off">
      <Bubble text={message.content} attachments={message.attachments ?? []} messageId={message.id} />
      <div className="message-foot end">
        <Siblings id={message.id} siblings={siblings} onShow={onShow} />
        <IconButton icon="copy" label={t('Copy')} onClick={() => copyText(message.content)} />
        {may('ChatWrite') && <IconButton icon="edit" label={t('Edit')} disabled={busy} onClick={onEdit} />}
      </div>
    </div>
  );
}

/** Why a reply is not whole, where it is not. */
const cut: Partial<Record<ChatMessageDto['state'], string>> = {
  Stopped: 'Stopped',
  Interrupted: 'Interrupted: the server stopped',
  Failed: 'The model failed',
};
const whyCut = ({ state, truncated }: ChatMessageDto) =>
  state === 'Complete' && truncated ? 'Cut off at its limit of length' : cut[state];

/** Whether a whole reply says and does nothing. */
const isEmpty = ({ state, content, truncated, toolCalls }: ChatMessageDto) =>
  state === 'Complete' && !truncated && content.trim() === '' && (toolCalls ?? []).length === 0;

function Answer({ message, siblings, last, busy, onShow, onRegenerate, onContinue, onRated }: Props) {
  useFreeModels();
  const ended = whyCut(message);
  return (
    <div className="message" data-role={message.role} data-message={message.id} data-state={message.state}>
      {message.reasoningContent && <Reasoning text={message.reasoningContent} />}
      {message.toolCalls?.map((call) => (
        <ToolCallView key={call.id} call={call} />
      ))}
      {message.content && <Markdown text={message.content} />}
      {isEmpty(message) && <p className="muted">{t('The model answered nothing. Ask again, or use another model.')}</p>}
      {ended && (
        <div className="row wrap">
          <Chip shape={message.state === 'Failed' ? 'cross' : 'dam'} tone={message.state === 'Failed' ? 'bad' : 'warn'}>
            {t(ended)}
          </Chip>
          {message.error && <span className="muted small">{message.error}</span>}
          {last && may('ChatWrite') && (
            <Button size="small" icon="play" disabled={busy} onClick={onContinue}>
              {t('Continue')}
            </Button>
          )}
        </div>
      )}
      <div className="message-foot" aria-live="off">
        <Siblings id={message.id} siblings={siblings} onShow={onShow} />
        <IconButton icon="copy" label={t('Copy')} onClick={() => copyText(message.content)} />
        {may('ChatWrite') && (
          <>
            <RateMessage message={message} onDone={onRated} />
            <IconButton icon="refresh" label={t('Regenerate')} disabled={busy} onClick={onRegenerate} />
          </>
        )}
        <span className="grow truncate num">{figuresOf(message)}</span>
      </div>
    </div>
  );
}

function figuresOf(message: ChatMessageDto): string {
  const { modelId, promptTokens, completionTokens, costUsd, responseTimeMs } = message;
  const tokens = promptTokens + completionTokens;
  const figures = [
    modelId,
    completionTokens > 0 ? t('{n} tokens', { n: formatShort(completionTokens) }) : '',
    tokens > 0 ? costOf(costUsd, tokens, modelId) : '',
    responseTimeMs > 0 ? formatDuration(responseTimeMs) : '',
  ];
  return figures.filter(Boolean).join(' · ');
}

function Reasoning({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const length = text.split(/\s+/).filter(Boolean).length;
  return (
    <div className="reasoning">
      <button type="button" className="link small" aria-expanded={open} onClick={() => setOpen(!open)}>
        {plural(length, 'Reasoning, {n} word', 'Reasoning, {n} words')}
      </button>
      {open && <p className="reasoning-text">{text}</p>}
    </div>
  );
}

/** Which branch this is, and ways to those beside it. */
function Siblings({ id, siblings, onShow }: { id: number; siblings: readonly number[]; onShow: (id: number) => void }) {
  if (siblings.length < 2) return null;
  const at = siblings.indexOf(id);
  const go = (step: number) => {
    const next = siblings[at + step];
    if (next !== undefined) onShow(next);
  };
  return (
    <span className="row branches">
      <IconButton icon="back" label={t('Previous branch')} disabled={at === 0} onClick={() => go(-1)} />
      <span className="num" title={t('Branch {n} of {all}', { n: at + 1, all: siblings.length })}>
        {at + 1}/{siblings.length}
      </span>
      <IconButton icon="chevron" label={t('Next branch')} disabled={at === siblings.length - 1} onClick={() => go(1)} />
    </span>
  );
}
