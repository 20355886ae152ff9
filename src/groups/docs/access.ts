// Who may see and change which documents: a role in the project, and the classification of the document.
import type { Caller } from '../../contract/caller.ts';
import type { DocClassification, ProjectRole } from '../../contract/enums.ts';
import { clearanceOf } from '../../documents/clearance.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Filter } from '../../ports/db.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { ProjectAccess } from '../../projects/access.ts';
import type { DocDoc } from './record.ts';

interface Deps {
  docs: Keeper<DocDoc>;
  projects: ProjectAccess;
}

/** What somebody may see in one project. */
export interface Sight {
  tenantId: number;
  projectId: number;
  role: ProjectRole;
}

/** Documents that are there for somebody of this role. */
export const seenBy = ({ projectId, role }: Pick<Sight, 'projectId' | 'role'>): Filter<DocDoc> => ({
  projectId,
  classification: { $in: [...clearanceOf(role)] },
  deletedAt: null,
});

export const maySee = ({ role }: Pick<Sight, 'role'>, { classification }: Pick<DocDoc, 'classification'>): boolean =>
  clearanceOf(role).includes(classification);

export function createDocAccess({ docs, projects }: Deps) {
  const sight = async (caller: Caller, projectId: number, least?: ProjectRole): Promise<Sight> => {
    const { role } = await projects.require(caller, projectId, least);
    return { tenantId: caller.tenantId, projectId, role };
  };
  const read = async (caller: Caller, id: number): Promise<{ doc: DocDoc; sight: Sight }> => {
    const doc = await docs.find(caller, id);
    if (!doc) throw noDoc(id);
    // A project that the caller may not know of hides its documents alike.
    const own = await sight(caller, doc.projectId).catch((error: unknown) => {
      throw error instanceof Fault && error.code === 'NOT_FOUND' ? noDoc(id) : error;
    });
    if (!maySee(own, doc)) throw noDoc(id);
    return { doc, sight: own };
  };
  return {
    sight,
    read,
    /** @throws Fault NOT_FOUND; FORBIDDEN for who may only read the project */
    async write(caller: Caller, id: number): Promise<{ doc: DocDoc; sight: Sight }> {
      const { doc } = await read(caller, id);
      return { doc, sight: await sight(caller, doc.projectId, 'Contributor') };
    },
  };
}
export type DocAccess = ReturnType<typeof createDocAccess>;

/** Refuses a classification that the caller's own role may not read. @throws Fault FORBIDDEN */
export function checkClassification({ role }: Pick<Sight, 'role'>, classification: DocClassification): void {
  if (clearanceOf(role).includes(classification)) return;
  throw new Fault('FORBIDDEN', `A ${role} of the project may not classify a document as ${classification}.`, {
    hint: `You may choose among ${clearanceOf(role).join(', ')}; a Maintainer may choose any.`,
  });
}

export const noDoc = (id: number) =>
  new Fault('NOT_FOUND', `There is no document ${id}.`, { hint: 'List them with GET /api/projects/{projectId}/docs.' });
