// Serves published documents to anybody, where the project's site is on.
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { nameKey } from '../../documents/names.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { renderMarkdown } from '../../markdown/render.ts';
import type { Collection, Filter } from '../../ports/db.ts';
import { noProject } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import { DocDto } from '../docs/dto.ts';
import { closest } from '../docs/finding.ts';
import type { Library } from '../docs/library.ts';
import type { Places } from '../docs/places.ts';
import type { DocDoc } from '../docs/record.ts';
import { neighboursOf, toListDtos, toTree } from '../docs/show.ts';
import { publishedOf } from '../site-builds/published.ts';
import { publicDocs } from './contract.ts';

interface Deps {
  docs: Keeper<DocDoc>;
  places: Places;
  library: Library;
  /** Of all tenants: who asks here belongs to none. */
  projects: Collection<ProjectDoc>;
  clock: Clock;
}

export const publicDocsService = implement(publicDocs, ({ docs, places, library, projects, clock }: Deps) => {
  const find = async (projectId: number) => {
    const project = await projects.findOne({ _id: projectId, deletedAt: null });
    // One whose site is off is no more there than none.
    if (!project?.siteEnabled) throw noProject(projectId);
    return { tenantId: project.tenantId, within: publishedOf(projectId, new Date(clock.now())) };
  };
  return {
    blog: async ({ params, query }) => {
      const { tenantId, within } = await find(params.projectId);
      const { items, totalCount } = await docs.page(
        { tenantId },
        { ...query, sort: query.sort ?? '-publishedAtUtc' },
        {
          within: { ...within, type: 'Blog' },
          filters: { tag: (tag: string) => ({ tagList: tag.trim().toLowerCase() }) },
        },
      );
      return toPage(await toListDtos(places, items), totalCount, query);
    },
    nav: async ({ params, query: { type } }) => {
      const { tenantId, within } = await find(params.projectId);
      const filter: Filter<DocDoc> = { ...within, includeInNav: true, type: type ?? { $ne: 'Blog' } };
      return toTree(await docs.of(tenantId).find(filter).toArray());
    },
    get: async ({ params, query: { format } }) => {
      const { tenantId, within } = await find(params.projectId);
      const name = nameKey(params.slug);
      const found = await docs
        .of(tenantId)
        .find({ ...within, names: name }, { limit: 50 })
        .toArray();
      const doc = closest(found, [name]);
      if (!doc)
        throw new Fault('NOT_FOUND', `There is no published document "${params.slug.slice(0, 100)}".`, {
          hint: `See them all with GET /api/public/projects/${params.projectId}/docs/nav.`,
        });
      const [markdown, [listed], neighbours] = await Promise.all([
        library.contentOf(doc),
        toListDtos(places, [doc]),
        neighboursOf(docs.of, doc, within),
      ]);
      const content = format === 'Html' ? renderMarkdown(markdown) : markdown;
      return shown(DocDto, doc, { ...neighbours, content, hasEmbedding: false, sortOrder: listed?.sortOrder ?? 0 });
    },
  };
});
