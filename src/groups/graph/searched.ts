// How the search over everything finds entities.
import { isAsked, type SearchLeg } from '../../ports/search.ts';
import type { GraphBook, GraphDeps } from './book.ts';
import { type NodeDoc, nodeScope } from './record.ts';
import type { Visibility } from './visible.ts';

interface Deps extends Pick<GraphDeps, 'nodes'> {
  book: Pick<GraphBook, 'finder'>;
  visible: Pick<Visibility, 'sightOf'>;
}

export const nodeSearch = ({ nodes, book, visible }: Deps): SearchLeg => ({
  kind: 'GraphNode',
  needs: 'GraphRead',
  find: async (caller, sought) => {
    const { question, mode, limit } = sought;
    const { tenantId } = caller;
    const sight = await visible.sightOf(caller);
    const scopes = [...sight.identityIds].map(nodeScope);
    const load = async (ids: readonly number[]): Promise<NodeDoc[]> =>
      (
        await nodes
          .of(tenantId)
          .find({ _id: { $in: [...ids] } })
          .toArray()
      ).filter((one) => sight.sees(one) && isAsked(sought, one));
    return (await book.finder.search({ tenantId, scopes, question, mode, limit, load })).map(({ doc, nearness }) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.name,
      text: doc.description ?? doc.aliases.join(', '),
      url: `/memory/graph?node=${doc._id}`,
      identityId: doc.identityId,
      projectId: doc.projectId,
      tags: [],
      updatedAt: doc.updatedAt,
      nearness,
    }));
  },
});
