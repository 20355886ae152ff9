// The public site of a project: whether it is on, what it shows, and what a build would change.
import type { ProjectDto, SiteStatusDto } from '../../../client/index.ts';
import { formatAgo, plural, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { useAction } from '../../ui/use-action.ts';

export function SiteBar({ project, news }: { project: ProjectDto; news: number }) {
  const { id: projectId } = project;
  const status = useKept(useResource(`site ${projectId}`, () => client.siteBuilds.status({ params: { projectId } })));
  const { reload, data } = status;
  useReloadOn(news, reload);
  const { busy, act } = useAction();
  const build = () => act(() => client.siteBuilds.request({ params: { projectId }, body: {} })).then(reload);
  const switchOn = () =>
    act(() => client.projects.patch({ params: { id: projectId }, body: { siteEnabled: true } })).then(reload);
  if (!data) return null;
  if (!data.siteEnabled)
    return (
      <div className="doc-site">
        <span className="muted">{t('The public site is off.')}</span>
        {may('ProjectsWrite') && data.canPublish && (
          <Button size="small" disabled={busy} onClick={() => void switchOn()}>
            {t('Switch it on')}
          </Button>
        )}
      </div>
    );
  return (
    <div className="doc-site">
      <span role="status" className="muted">
        {stateOf(data)}
      </span>
      {data.lastPublished && (
        <LinkButton size="small" href={`/sites/${encodeURIComponent(project.siteSlug ?? project.key.toLowerCase())}/`}>
          {t('Open the site')}
        </LinkButton>
      )}
      {data.canPublish && (
        <Button size="small" icon="refresh" disabled={busy} onClick={() => void build()}>
          {t('Build the site')}
        </Button>
      )}
    </div>
  );
}

function stateOf({ latest, lastPublished, pendingChanges }: SiteStatusDto): string {
  if (latest?.status === 'Queued') return t('A build waits.');
  if (latest?.status === 'Building') return t('The site is being built.');
  if (latest?.status === 'Failed') return t('The last build failed: {why}', { why: latest.detail ?? '' });
  const changes = plural(pendingChanges, '{n} document has changed', '{n} documents have changed');
  if (!lastPublished) return t('The site has not been built yet.');
  const ago = formatAgo(lastPublished.finishedAtUtc ?? lastPublished.requestedAtUtc, Date.now());
  const built = t('Site built {ago}.', { ago });
  return pendingChanges === 0 ? built : `${built} ${changes}.`;
}
