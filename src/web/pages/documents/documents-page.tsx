// Documents of a project: its tree, and the one that is read or written; the state of the public site above.
import '../../styles/documents.css';
import { useState } from 'react';
import type { DocNavNodeDto, ProjectDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { go, goFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { NewProject } from '../projects/new-project.tsx';
import { DocView } from './doc-view.tsx';
import { NewDocDialog } from './new-doc-dialog.tsx';
import { SiteBar } from './site-bar.tsx';

export function DocumentsPage() {
  const { query } = useLocation();
  const projects = useResource('projects of documents', () => client.projects.list({ query: { pageSize: 200 } }));
  const wanted = Number(query.get('project'));
  return (
    <div className="page">
      <Loaded resource={projects}>
        {({ items }) => {
          const project = items.find(({ id }) => id === wanted) ?? items[0];
          if (project)
            return (
              <ProjectDocuments key={project.id} project={project} projects={items} reloadProjects={projects.reload} />
            );
          return (
            <Empty isPage title={t('No project yet')} action={<NewProject onDone={projects.reload} />}>
              {t('Documents belong to a project, with its tasks, facts and runs.')}
            </Empty>
          );
        }}
      </Loaded>
    </div>
  );
}

interface ProjectProps {
  project: ProjectDto;
  projects: readonly ProjectDto[];
  reloadProjects: () => void;
}

function ProjectDocuments({ project, projects, reloadProjects }: ProjectProps) {
  const { query } = useLocation();
  const docId = Number(query.get('doc')) || null;
  const [isNew, setNew] = useState(false);
  const tree = useKept(
    useResource(`doc tree ${project.id}`, () => client.docs.tree({ params: { projectId: project.id } })),
  );
  // What others write shows at once.
  const news = useNews(`project:${project.id}`, ({ type }) => /^(doc|sitebuild)\./.test(type));
  const { reload } = tree;
  useReloadOn(news, reload);
  const goOn = goFromHere();
  const open = (id: number | null) => goOn('/documents', { project: project.id, doc: id });
  return (
    <>
      <div className="page-head">
        <h1>{t('Documents')}</h1>
        {may('DocsWrite') && (
          <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
            {t('New document')}
          </Button>
        )}
      </div>
      <div className="doc-bar">
        <SelectField
          label={t('Project')}
          value={String(project.id)}
          onChange={(id) => go('/documents', { project: id })}
          options={projects.map((one) => [String(one.id), `${one.name} (${one.key})`] as const)}
        />
        <NewProject onDone={reloadProjects} />
        <SiteBar project={project} news={news} />
      </div>
      <div className="doc-columns" data-open={docId !== null}>
        <Loaded resource={tree}>{({ roots }) => <Shelf projectId={project.id} roots={roots} current={docId} />}</Loaded>
        {docId === null ? (
          <Empty title={t('Choose a document')}>
            {t('Write guides, decisions and notes in Markdown; agents of the project find and read them too.')}
          </Empty>
        ) : (
          <DocView key={docId} id={docId} news={news} onGone={() => open(null)} />
        )}
      </div>
      {isNew && (
        <NewDocDialog
          projectId={project.id}
          roots={tree.data?.roots ?? []}
          parentId={docId}
          onClose={() => setNew(false)}
          onDone={(id) => {
            reload();
            open(id);
          }}
        />
      )}
    </>
  );
}

interface ShelfProps {
  projectId: number;
  roots: readonly DocNavNodeDto[];
  current: number | null;
}

/** The tree, or what a search has found. */
function Shelf({ projectId, roots, current }: ShelfProps) {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const found = useKept(
    useResource(q ? `doc search ${projectId} ${q}` : null, () =>
      client.docs.search({ params: { projectId }, query: { q, limit: 30 } }),
    ),
  );
  const hits = q ? (found.data ?? []) : [];
  return (
    <nav className="doc-shelf" aria-label={t('Documents of the project')}>
      <SearchField label={t('Search documents')} q={q} onSearch={(text) => patchQuery({ q: text })} />
      {q ? (
        <ul className="doc-tree">
          {hits.map(({ doc, snippet }) => (
            <li key={doc.id}>
              <DocLink projectId={projectId} doc={doc} current={current} q={q} />
              <p className="faint small doc-snippet">{snippet}</p>
            </li>
          ))}
          {found.data && hits.length === 0 && <li className="muted">{t('Nothing found')}</li>}
        </ul>
      ) : (
        <Branches projectId={projectId} nodes={roots} current={current} />
      )}
      {!q && roots.length === 0 && <p className="muted">{t('No documents yet.')}</p>}
    </nav>
  );
}

function Branches({
  projectId,
  nodes,
  current,
}: {
  projectId: number;
  nodes: readonly DocNavNodeDto[];
  current: number | null;
}) {
  if (nodes.length === 0) return null;
  return (
    <ul className="doc-tree">
      {nodes.map((node) => (
        <li key={node.id}>
          <DocLink projectId={projectId} doc={node} current={current} q="" />
          <Branches projectId={projectId} nodes={node.children} current={current} />
        </li>
      ))}
    </ul>
  );
}

interface DocLinkProps {
  projectId: number;
  doc: { id: number; title: string; isPublished: boolean };
  current: number | null;
  q: string;
}

function DocLink({ projectId, doc, current, q }: DocLinkProps) {
  const search = q ? `&q=${encodeURIComponent(q)}` : '';
  return (
    <a
      href={`#/documents?project=${projectId}&doc=${doc.id}${search}`}
      aria-current={doc.id === current ? 'page' : undefined}
      className="doc-link"
    >
      <span className="truncate grow">{doc.title}</span>
      {doc.isPublished && <span className="doc-dot" role="img" aria-label={t('published')} />}
    </a>
  );
}
