// Whether a list shows what belongs to the units below as well; the URL holds it.
import { t } from '../../base/i18n.ts';
import { UrlChoice } from '../../ui/url-choice.tsx';

export const isWithBelow = (query: URLSearchParams) => query.get('below') === 'yes';

export const Below = ({ isBelow }: { isBelow: boolean }) => (
  <UrlChoice
    label={t('Of which units')}
    name="below"
    chosen={isBelow ? 'yes' : ''}
    options={[
      ['', t('This unit')],
      ['yes', t('With the units below')],
    ]}
  />
);
