// Facts in the graph: the project, what its fact says, and for which time.
import type { FactVersion } from '../../memory/facts/version.ts';
import { nameKey } from '../../memory/graph/extract.ts';
import type { By } from '../../ports/keeper.ts';
import type { GraphBook } from './book.ts';

/** Values longer than this are sentences, not names. */
const nameCharacters = 60;

/** Brings what the graph has of a version in line with it; twice is the same as once. */
export async function readFact(book: GraphBook, by: By, version: FactVersion): Promise<void> {
  const { projectId, key, value, provenance, validFrom, validUntil, retractedAt, _id } = version;
  const isName = value.length <= nameCharacters && !value.includes('\n') && nameKey(value).length >= 2;
  if (retractedAt !== null || !isName) return book.dropFact(by, _id, () => false);
  const shared = { projectId, identityId: null, isFound: true };
  const project = await book.name(by, { ...shared, name: `Project ${projectId}`, kind: 'Project' });
  const thing = await book.name(by, { ...shared, name: value, kind: 'Other' });
  const relation = key.slice(0, 100);
  await book.dropFact(by, _id, (edge) => edge.toNodeId === thing._id && edge.relation === relation);
  if (project._id === thing._id) return;
  await book.relate(by, {
    fromNodeId: project._id,
    toNodeId: thing._id,
    relation,
    provenance,
    identityId: null,
    projectId,
    sourceFactId: _id,
    validFrom,
    validUntil,
  });
}
