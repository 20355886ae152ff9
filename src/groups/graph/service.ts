// Serves the graph: who sees and writes what; the thinking is in src/memory/graph.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { ownIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import { type Handlers, implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ledger } from '../../memory/facts/ledger.ts';
import type { Filter } from '../../ports/db.ts';
import { shown } from '../../ports/shown.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { MemoryAccess } from '../memories/access.ts';
import { toListDto } from '../memories/show.ts';
import type { GraphBook, GraphDeps } from './book.ts';
import { graph } from './contract.ts';
import { GraphEdgeDto, GraphNodeDetailDto, GraphNodeDto } from './dto.ts';
import { type EdgeDoc, type NodeDoc, nodeScope } from './record.ts';
import { createWalk, holdsIn, measured } from './subgraph.ts';
import type { Sight, Visibility } from './visible.ts';

interface Deps extends GraphDeps {
  book: GraphBook;
  visible: Visibility;
  access: Pick<MemoryAccess, 'read' | 'readable'>;
  ledger: Pick<Ledger, 'version'>;
  identities: PerTenant<IdentityDoc>;
  acting: Acting;
  clock: Clock;
}

type All = Handlers<typeof graph>;

/** Relations and memories that are shown of one entity, and entities that a question starts from. */
const [shownEdges, shownMemories, foundStarts] = [200, 50, 5];

const toNodeDto = (node: NodeDoc): GraphNodeDto =>
  shown(GraphNodeDto, node, { hasEmbedding: node.embeddingModel !== null });

const toEdgeDto = (edge: EdgeDoc, names: ReadonlyMap<number, string>): GraphEdgeDto =>
  shown(GraphEdgeDto, edge, {
    fromName: names.get(edge.fromNodeId) ?? '',
    toName: names.get(edge.toNodeId) ?? '',
  });

const namesOf = (nodes: readonly NodeDoc[]) => new Map(nodes.map(({ _id, name }) => [_id, name]));

export const graphService = implement(graph, (deps: Deps) => ({
  ...nodeHandlers(deps),
  ...edgeHandlers(deps),
  ...walkHandlers(deps),
}));

function nodeHandlers(deps: Deps): Pick<All, 'nodes' | 'createNode' | 'node' | 'removeNode'> {
  const { nodes, book, visible } = deps;
  return {
    nodes: async ({ caller, query: { identityId, ...query } }) => {
      const sight = await visible.sightOf(caller);
      const ids = identityId === undefined ? sight.identityIds : [identityId].filter((id) => sight.identityIds.has(id));
      const within = { identityId: { $in: [...ids] } } as Filter<NodeDoc>;
      const filters = { minDegree: (least: number) => ({ degree: { $gte: least } }) };
      const { items, totalCount } = await nodes.page(caller, query, { within, filters });
      return toPage(items.map(toNodeDto), totalCount, query);
    },
    createNode: async ({ caller, body }) => {
      if (body.identityId != null) await ownIdentity(deps, caller, body.identityId);
      const { description, aliases, projectId, identityId, importance, propertiesJson } = body;
      return toNodeDto(
        await book.name(caller, {
          name: body.name,
          kind: body.kind,
          aliases: aliases ?? [],
          description: description ?? null,
          projectId: projectId ?? null,
          identityId: identityId ?? null,
          importance: importance ?? null,
          propertiesJson: propertiesJson ?? null,
        }),
      );
    },
    node: async ({ caller, params, query }) => {
      const node = await visible.node(caller, params.id);
      return detailOf(deps, caller, node, query.includeExpired ?? false);
    },
    removeNode: async ({ caller, params }) => {
      const node = await visible.node(caller, params.id);
      await book.removeNode(caller, node._id);
      await book.finder.forget(caller.tenantId, [node._id]);
      return null;
    },
  };
}

async function detailOf(deps: Deps, caller: Caller, node: NodeDoc, includeExpired: boolean) {
  const { nodes, edges, mentions, access, visible, clock } = deps;
  const { tenantId } = caller;
  const sight = await visible.sightOf(caller);
  const now = new Date(clock.now());
  const of = edges.of(tenantId);
  const all = await Promise.all([
    of.find({ fromNodeId: node._id, ...sight.filter<EdgeDoc>() } as Filter<EdgeDoc>, { limit: shownEdges }).toArray(),
    of.find({ toNodeId: node._id, ...sight.filter<EdgeDoc>() } as Filter<EdgeDoc>, { limit: shownEdges }).toArray(),
  ]);
  const open = all.map((some) => some.filter((edge) => includeExpired || holdsIn(edge, now)));
  const endIds = open.flat().flatMap(({ fromNodeId, toNodeId }) => [fromNodeId, toNodeId]);
  const ends = (
    await nodes
      .of(tenantId)
      .find({ _id: { $in: [...new Set([...endIds, node._id])] } })
      .toArray()
  ).filter(sight.sees);
  const names = namesOf(ends);
  const [outgoing = [], incoming = []] = open.map((some) =>
    some
      .filter((edge) => names.has(edge.fromNodeId) && names.has(edge.toNodeId))
      .sort((one, other) => other.weight - one.weight || one._id - other._id)
      .map((edge) => toEdgeDto(edge, names)),
  );
  const named = await mentions
    .of(tenantId)
    .find({ nodeId: node._id }, { sort: { memoryId: -1 }, limit: shownMemories })
    .toArray();
  const memoryIds = named.map(({ memoryId }) => memoryId);
  const readable = await access.readable(caller, memoryIds);
  return shown(GraphNodeDetailDto, node, {
    hasEmbedding: node.embeddingModel !== null,
    outgoing,
    incoming,
    memories: readable.sort((one, other) => other._id - one._id).map(toListDto),
  });
}

function edgeHandlers(deps: Deps): Pick<All, 'createEdge' | 'removeEdge'> {
  const { book, visible, access, ledger } = deps;
  return {
    createEdge: async ({ caller, body }) => {
      const from = await visible.node(caller, body.fromNodeId);
      const to = await visible.node(caller, body.toNodeId);
      if (from._id === to._id)
        throw new Fault('VALIDATION_FAILED', 'An entity is not related to itself.', { hint: 'Name another entity.' });
      const memory = body.sourceMemoryId == null ? null : (await access.read(caller, body.sourceMemoryId)).memory;
      if (body.sourceFactId != null && !(await ledger.version(caller.tenantId, body.sourceFactId)))
        throw new Fault('NOT_FOUND', `There is no fact ${body.sourceFactId}.`, {
          hint: 'List them with GET /api/projects/{projectId}/facts.',
        });
      const isAgent = caller.role === 'Agent';
      const said = body.provenance ?? (isAgent ? 'Inferred' : 'Observed');
      const edge = await book.relate(caller, {
        fromNodeId: from._id,
        toNodeId: to._id,
        relation: body.relation,
        weight: body.weight ?? null,
        provenance: isAgent && said === 'Verified' ? 'Inferred' : said,
        // What comes from a memory that others may not read is not told to them.
        identityId: from.identityId ?? to.identityId ?? (memory && !memory.isShared ? memory.identityId : null),
        projectId: from.projectId ?? to.projectId ?? memory?.projectId ?? null,
        sourceMemoryId: memory?._id ?? null,
        sourceFactId: body.sourceFactId ?? null,
        validFrom: body.validFromUtc == null ? null : new Date(body.validFromUtc),
        validUntil: body.validUntilUtc == null ? null : new Date(body.validUntilUtc),
      });
      return toEdgeDto(edge, namesOf([from, to]));
    },
    removeEdge: async ({ caller, params }) => {
      await book.removeEdge(caller, await visible.edge(caller, params.id));
      return null;
    },
  };
}

function walkHandlers(deps: Deps): Pick<All, 'subgraph'> {
  const { nodes, edges, visible, clock } = deps;
  const walk = createWalk(nodes, edges, () => new Date(clock.now()));
  return {
    subgraph: async ({ caller, query }) => {
      const { nodeId, targetNodeId, q, depth, limit, asOfUtc, metrics, ...which } = query;
      const sight = await visible.sightOf(caller);
      const target = targetNodeId === undefined ? null : await visible.node(caller, targetNodeId);
      const starts = await startsOf(deps, caller, sight, { nodeId, q, limit });
      const at = asOfUtc === undefined ? null : new Date(asOfUtc);
      const walked = await walk({ tenantId: caller.tenantId, sight, starts, target, depth, limit, at, ...which });
      const names = namesOf(walked.nodes);
      return {
        nodes: walked.nodes.map(toNodeDto),
        edges: walked.edges.map((edge) => toEdgeDto(edge, names)),
        pathNodeIds: walked.pathNodeIds,
        metrics: metrics ? measured(walked) : [],
        truncated: walked.truncated,
      };
    },
  };
}

interface From {
  nodeId: number | undefined;
  q: string | undefined;
  limit: number;
}

/** Where a walk begins: at one entity, at what a question finds, or at the most mentioned ones. */
async function startsOf({ nodes, book, visible }: Deps, caller: Caller, sight: Sight, { nodeId, q, limit }: From) {
  if (nodeId !== undefined) return [await visible.node(caller, nodeId)];
  const { tenantId } = caller;
  const own = sight.filter<NodeDoc>();
  if (q === undefined)
    return nodes
      .of(tenantId)
      .find(own, { sort: { mentionCount: -1, _id: -1 }, limit })
      .toArray();
  const hits = await book.finder.search({
    tenantId,
    scopes: [...sight.identityIds].map(nodeScope),
    question: q,
    limit: foundStarts,
    load: (ids) =>
      nodes
        .of(tenantId)
        .find({ _id: { $in: [...ids] }, ...own })
        .toArray(),
  });
  return hits.map(({ doc }) => doc);
}
