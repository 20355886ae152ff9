// Checks the chain of the audit log from its first entry to its last.
import { useState } from 'react';
import { formatNumber, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Fields } from '../../ui/fields.tsx';
import { Chip } from '../../ui/status.tsx';
import { useAction } from '../../ui/use-action.ts';

type Outcome = Awaited<ReturnType<typeof client.maintenance.start>>;

export function VerifyChain() {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { busy, act } = useAction();
  const verify = async () => setOutcome(await client.maintenance.start({ body: { task: 'VerifyAuditChain' } }));
  return (
    <>
      <Button icon="check" disabled={busy} onClick={() => void act(verify)}>
        {busy ? t('Verifying…') : t('Verify the chain')}
      </Button>
      {outcome && (
        <Dialog title={t('Verification of the audit log')} onClose={() => setOutcome(null)}>
          <div className="stack">
            {outcome.errorMessage ? (
              <>
                <Chip shape="cross" tone="bad">
                  {t('Broken')}
                </Chip>
                <p className="failure">{outcome.errorMessage}</p>
              </>
            ) : (
              <Chip shape="tick" tone="good">
                {t('Intact')}
              </Chip>
            )}
            <p className="muted">{t('{n} entries checked.', { n: formatNumber(outcome.processed) })}</p>
            {outcome.resultJson && <Fields json={outcome.resultJson} none={t('Nothing')} />}
          </div>
        </Dialog>
      )}
    </>
  );
}
