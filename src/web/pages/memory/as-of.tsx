// What held at a moment, as far as it was known at another one.
import { formatDate, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';

export interface Moment {
  /** When it held, and when that was known; ms. */
  valid: number;
  known: number;
}

/** As a field of the reader's own clock has it. */
export function localTime(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface Props {
  projectId: number;
  factKey: string;
  at: Moment | null;
  onAsk: (at: Moment | null) => void;
}

export function AsOf({ projectId, factKey, at, onAsk }: Props) {
  const shown = at ?? { valid: Date.now(), known: Date.now() };
  const set = (name: keyof Moment) => (text: string) => {
    const time = new Date(text).getTime();
    if (!Number.isNaN(time)) onAsk({ ...shown, [name]: time });
  };
  return (
    <div className="stack">
      <div className="form-grid">
        <TextField
          label={t('What held at')}
          type="datetime-local"
          value={localTime(shown.valid)}
          onChange={set('valid')}
        />
        <TextField
          label={t('As it was known at')}
          type="datetime-local"
          value={localTime(shown.known)}
          onChange={set('known')}
        />
      </div>
      {at ? (
        <>
          <Answer projectId={projectId} factKey={factKey} at={at} />
          <div>
            <Button size="small" onClick={() => onAsk(null)}>
              {t('Back to now')}
            </Button>
          </div>
        </>
      ) : (
        <p className="small muted">{t('Choose both moments, or press on the picture, to see what was known then.')}</p>
      )}
    </div>
  );
}

function Answer({ projectId, factKey, at }: Omit<Props, 'onAsk' | 'at'> & { at: Moment }) {
  const atUtc = new Date(at.valid).toISOString();
  const recordedAtUtc = new Date(at.known).toISOString();
  const params = { projectId, key: factKey };
  const answer = useKept(
    useResource(`as of ${projectId} ${factKey} ${atUtc} ${recordedAtUtc}`, () =>
      client.facts.asOf({ params, query: { atUtc, recordedAtUtc } }),
    ),
  );
  const nothing = answer.error?.status === 404;
  return (
    <p className="banner" role="status">
      {nothing || !answer.data ? (
        nothing ? (
          t('Nothing was known then.')
        ) : (
          t('Looking…')
        )
      ) : (
        <>
          <strong>{answer.data.value}</strong>{' '}
          <span className="small muted">{t('since {date}', { date: formatDate(answer.data.validFromUtc) })}</span>
        </>
      )}
    </p>
  );
}
