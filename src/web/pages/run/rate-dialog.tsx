// Says how good a run was.

import { type FormEvent, useId, useState } from 'react';
import type { FeedbackRating } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button, FormButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { say, sayError } from '../../ui/toast.tsx';

const ratings: FeedbackRating[] = ['VeryPoor', 'Poor', 'Fair', 'Good', 'Excellent'];

export function RateDialog({ runId, onClose }: { runId: number; onClose: () => void }) {
  const [rating, setRating] = useState<FeedbackRating | null>(null);
  const [notes, setNotes] = useState('');
  const form = useId();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (rating === null) return;
    try {
      await client.agentFeedback.create({ params: { runId }, body: { rating, ...(notes ? { notes } : {}) } });
      say(t('Thank you'));
      onClose();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Dialog
      title={t('How good was it?')}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          <FormButton form={form} busy={rating === null}>
            {t('Send')}
          </FormButton>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <fieldset className="segments" aria-label={t('Rating')}>
          {ratings.map((one) => (
            <Button key={one} pressed={one === rating} onClick={() => setRating(one)}>
              {words(one)}
            </Button>
          ))}
        </fieldset>
        <TextField label={t('Notes')} value={notes} onChange={setNotes} rows={3} />
      </form>
    </Dialog>
  );
}
