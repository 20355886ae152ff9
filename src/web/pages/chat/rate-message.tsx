// Says how good an answer was; of a poor one also what was wrong and how it should have been.

import { type FormEvent, useId, useState } from 'react';
import type { ChatMessageDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button, FormButton, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { say, sayError } from '../../ui/toast.tsx';

interface Rating {
  feedback: 'up' | 'down';
  feedbackComment?: string;
  feedbackCorrection?: string;
}

export function RateMessage({ message, onDone }: { message: ChatMessageDto; onDone: () => void }) {
  const [asking, setAsking] = useState(false);
  const rate = async (body: Rating) => {
    try {
      await client.chat.rate({ params: { messageId: message.id }, body });
      say(t('Thank you'));
      setAsking(false);
      onDone();
    } catch (error) {
      sayError(error);
    }
  };
  const { feedback } = message;
  return (
    <>
      <IconButton
        icon="up"
        label={t('Good answer')}
        pressed={feedback === 'up'}
        onClick={() => void rate({ feedback: 'up' })}
      />
      <IconButton
        icon="thumbDown"
        label={t('Poor answer')}
        pressed={feedback === 'down'}
        onClick={() => setAsking(true)}
      />
      {asking && <WhyDialog message={message} onRate={rate} onClose={() => setAsking(false)} />}
    </>
  );
}

interface WhyProps {
  message: ChatMessageDto;
  onRate: (rating: Rating) => Promise<void>;
  onClose: () => void;
}

function WhyDialog({ message, onRate, onClose }: WhyProps) {
  const [comment, setComment] = useState(message.feedbackComment ?? '');
  const [correction, setCorrection] = useState(message.feedbackCorrection ?? '');
  const form = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void onRate({
      feedback: 'down',
      ...(comment ? { feedbackComment: comment } : {}),
      ...(correction ? { feedbackCorrection: correction } : {}),
    });
  };
  return (
    <Dialog
      title={t('What was wrong?')}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          <FormButton form={form}>{t('Send')}</FormButton>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <TextField label={t('Comment')} value={comment} onChange={setComment} rows={2} />
        <TextField label={t('A better answer')} value={correction} onChange={setCorrection} rows={4} />
      </form>
    </Dialog>
  );
}
