// The organisation units that the reader is a member of, and as what.
import type { OrgUnitMembershipDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { href } from '../../base/router.ts';
import { may } from '../../state/app.ts';

export const OwnUnits = ({ units }: { units: readonly OrgUnitMembershipDto[] }) => (
  <section className="card" aria-label={t('Your organisation units')}>
    <div className="card-head">
      <h2>{t('Your organisation units')}</h2>
    </div>
    <ul className="card-body plain-list">
      {units.map((one) => (
        <li key={one.orgUnitId} className="row wrap">
          <span className="grow">
            {may('OrgUnitsRead') ? (
              <a href={href(`/organisation/${one.orgUnitId}`)}>{one.orgUnitName}</a>
            ) : (
              one.orgUnitName
            )}
            <span className="small faint"> {one.path}</span>
          </span>
          <span className="muted small">
            {[one.roleName && words(one.roleName), one.isManager && t('manager')].filter(Boolean).join(' · ') ||
              t('member')}
          </span>
        </li>
      ))}
    </ul>
  </section>
);
