// Projects: a place for work, with members whose roles say who may read and change what is in it.
import { z } from 'zod';
import { ProjectRole, ProjectStatus, SearchHitKind } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, dto, fields, int32, int64, nothing, string } from '../../contract/types.ts';
import { ActivityItemDto, ProjectDetailDto, ProjectDto, ProjectSummaryDto } from './dto.ts';

const name = string.trim().min(1).max(200);
const key = string
  .trim()
  .regex(/^[A-Za-z][A-Za-z0-9-]{1,19}$/, 'must be 2 to 20 letters, digits and dashes, and begin with a letter')
  .transform((text) => text.toUpperCase());
const description = string.max(8000);
const instructions = string.max(32_000);
const branch = string
  .trim()
  .max(200)
  .regex(/^(?!-)(?!.*\.\.)[\w./-]+$/, 'must be the name of a branch');
const slug = string
  .trim()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and dashes, 63 at most');
const url = string.trim().max(2000);
const look = string.max(100);
const tags = z.array(string.trim().min(1).max(100)).max(50);

/** Fields that may be cleared. */
const clearable = {
  description: description.nullish(),
  orgUnitId: int64.nullish(),
  ownerUserId: int64.nullish(),
  leadIdentityId: int64.nullish(),
  repositoryUrl: url.nullish(),
  defaultBranch: branch.nullish(),
  agentInstructions: instructions.nullish(),
  siteSlug: slug.nullish(),
  icon: look.nullish(),
  color: look.nullish(),
};

export const ProjectMemberInput = dto('ProjectMemberInput', {
  userId: int64.nullish(),
  identityId: int64.nullish(),
  role: ProjectRole,
});

export const projects = group(
  'Projects',
  {
    base: '/api/projects',
    doc: 'Projects with their members. A Viewer reads what is in a project, a Contributor changes it, a Maintainer changes the project itself, an Owner archives and deletes it. Who is no member does not know of it; owners and administrators of the tenant are owners of every project.',
  },
  {
    list: op.get('', {
      doc: 'List the projects that the caller may know of.',
      needs: 'ProjectsRead',
      query: listQuery(['name', 'key', 'status', 'createdAtUtc', 'updatedAtUtc', 'id'], {
        q: string.max(200).optional(),
        status: ProjectStatus.optional(),
        orgUnitId: int64.optional(),
        tag: string.max(100).optional(),
        mine: boolean.optional(),
      }),
      data: page(ProjectDto),
    }),
    create: op.post('', {
      doc: 'Make a project; the caller owns it unless it names another owner. Without a key one is made from the name.',
      needs: 'ProjectsWrite',
      body: fields({ name, key: key.nullish(), ...clearable, siteEnabled: boolean.nullish(), tags: tags.nullish() }),
      data: ProjectDto,
    }),
    get: op.get('/{id}', {
      doc: 'One project with its members and what its agents are told.',
      needs: 'ProjectsRead',
      data: ProjectDetailDto,
    }),
    replace: op.put('/{id}', {
      doc: 'Replace the settings of a project; what is left out is cleared.',
      needs: 'ProjectsWrite',
      body: fields({ name, key, status: ProjectStatus, ...clearable, siteEnabled: boolean, tags }),
      data: ProjectDto,
    }),
    patch: op.patch('/{id}', {
      doc: 'Change some settings of a project, or move it between Planned, Active, Paused and Completed.',
      needs: 'ProjectsWrite',
      body: fields({
        name: name.optional(),
        key: key.optional(),
        status: ProjectStatus.optional(),
        ...clearable,
        siteEnabled: boolean.optional(),
        tags: tags.optional(),
      }),
      data: ProjectDto,
    }),
    remove: op.delete('/{id}', {
      doc: 'Delete an archived project with its content, for ever. Its runs stay on record for administrators.',
      needs: 'ProjectsWrite',
      body: fields({ confirmKey: string }),
      data: nothing,
    }),
    archive: op.post('/{id}/archive', {
      doc: 'Archive a project: its routines stop and no run or task begins in it. With archived false it is restored.',
      needs: 'ProjectsWrite',
      body: fields({ archived: boolean.optional() }).optional(),
      data: ProjectDto,
    }),
    summary: op.get('/{id}/summary', {
      doc: 'Figures of the last days: runs, tasks, cost, documents, escalations.',
      needs: 'ProjectsRead',
      query: fields({ days: int32.min(1).max(365).default(30) }),
      data: ProjectSummaryDto,
    }),
    activity: op.get('/{id}/activity', {
      doc: 'What happened in the project, newest first.',
      needs: 'ProjectsRead',
      query: listQuery(['createdAtUtc', 'id'], {
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        kind: SearchHitKind.optional(),
        identityId: int64.optional(),
      }),
      data: page(ActivityItemDto),
    }),
    members: op.put('/{id}/members', {
      doc: 'Replace the members of a project and their roles.',
      needs: 'ProjectsWrite',
      body: fields({ members: z.array(ProjectMemberInput).max(500) }),
      data: ProjectDetailDto,
    }),
  },
);
