// Says how good an answer was; of a poor one also what was wrong and how it should have been.
import { useState } from 'react';
import type { ChatMessageDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say, sayError } from '../../ui/toast.tsx';

interface Rating {
  feedback: 'up' | 'down';
  feedbackComment?: string;
  feedbackCorrection?: string;
}

export function RateMessage({ message, onDone }: { message: ChatMessageDto; onDone: () => void }) {
  const [asking, setAsking] = useState(false);
  const rate = async (body: Rating) => {
    await client.chat.rate({ params: { messageId: message.id }, body });
    say(t('Feedback sent'));
    onDone();
  };
  const { feedback } = message;
  return (
    <>
      <IconButton
        icon="up"
        label={t('Good answer')}
        pressed={feedback === 'up'}
        onClick={() => void rate({ feedback: 'up' }).catch(sayError)}
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
  const rate = () =>
    onRate({
      feedback: 'down',
      ...(comment ? { feedbackComment: comment } : {}),
      ...(correction ? { feedbackCorrection: correction } : {}),
    });
  return (
    <FormDialog title={t('What was wrong?')} action={t('Send')} onSubmit={rate} onClose={onClose}>
      <TextField label={t('Comment')} value={comment} onChange={setComment} rows={2} />
      <TextField name="correction" label={t('Better answer')} value={correction} onChange={setCorrection} rows={4} />
    </FormDialog>
  );
}
