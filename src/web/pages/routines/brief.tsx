// What the runs of a routine are given to do, with the versions of it.
import type { AgentRoutineDetailDto } from '../../../client/index.ts';
import { formatDate, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Loaded } from '../../ui/states.tsx';

export function Brief({ routine }: { routine: AgentRoutineDetailDto }) {
  const { id, briefVersion } = routine;
  const versions = useKept(
    useResource(`briefs of ${id} ${briefVersion}`, () => client.agentRoutines.briefs({ params: { id } })),
  );
  return (
    <Loaded resource={versions}>
      {(all) => (
        <ol className="routine-list" aria-label={t('Versions of the brief')}>
          {all.map(({ version, briefMarkdown, thresholdMarkdown, createdAtUtc }) => (
            <li key={version} className="card">
              <div className="card-head">
                <h2 className="grow">{t('Version {n}', { n: version })}</h2>
                {version === briefVersion && (
                  <span className="tag" data-tone="accent">
                    {t('stands')}
                  </span>
                )}
                <span className="small muted">{formatDate(createdAtUtc)}</span>
              </div>
              <div className="card-body stack">
                <Markdown text={briefMarkdown} />
                {thresholdMarkdown && (
                  <div>
                    <h3>{t('Threshold')}</h3>
                    <Markdown text={thresholdMarkdown} />
                  </div>
                )}
              </div>
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}
