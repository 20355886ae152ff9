// Says how good a run was.

import { useState } from 'react';
import type { FeedbackRating } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';

const ratings: FeedbackRating[] = ['VeryPoor', 'Poor', 'Fair', 'Good', 'Excellent'];

export function RateDialog({ runId, onClose }: { runId: number; onClose: () => void }) {
  const [rating, setRating] = useState<FeedbackRating | null>(null);
  const [notes, setNotes] = useState('');
  const send = async () => {
    if (rating === null) return;
    await client.agentFeedback.create({ params: { runId }, body: { rating, ...(notes ? { notes } : {}) } });
    say(t('Feedback sent'));
  };
  return (
    <FormDialog title={t('Rate this run')} action={t('Send')} ready={rating !== null} onSubmit={send} onClose={onClose}>
      <fieldset className="segments" aria-label={t('Rating')}>
        {ratings.map((one) => (
          <Button key={one} pressed={one === rating} onClick={() => setRating(one)}>
            {words(one)}
          </Button>
        ))}
      </fieldset>
      <TextField label={t('Notes')} value={notes} onChange={setNotes} rows={3} />
    </FormDialog>
  );
}
