// Souls: identities as Markdown, to read, to carry to other servers, and to go back to.
import { IdentityType } from '../../../contract/enums.ts';
import { multipart } from '../../../contract/multipart.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, fields, int64, string } from '../../../contract/types.ts';
import { AgentRoleDefinitionDto } from '../../agent/dto.ts';
import { identityName } from '../contract.ts';
import { IdentityDto } from '../dto.ts';
import { SoulDiffDto, SoulReadingDto, SoulSpecImport, SoulVersionDto } from './dto.ts';

const markdown = string.min(1).max(524_288);
const displayName = string.trim().min(1).max(200).nullish();
const file = { data: string, reply: 'file', mediaType: 'text/markdown' } as const;
const download = fields({ download: boolean.optional() });

export const souls = group(
  'Identities',
  { id: 'Souls', base: '/api/identities', doc: 'Identities as Markdown.' },
  {
    preview: op.post('/from-soul/preview', {
      doc: 'What a soul would become, and what of it has no place here; nothing is kept.',
      needs: 'IdentitiesWrite',
      body: fields({ markdown }),
      data: SoulSpecImport,
      idempotent: false,
    }),
    create: op.post('/from-soul', {
      doc: 'Make an identity from a soul, or write the soul over one that is there.',
      needs: 'IdentitiesWrite',
      body: fields({
        markdown,
        name: identityName.nullish(),
        displayName,
        type: IdentityType.nullish(),
        userId: int64.nullish(),
        overwriteIdentityId: int64.nullish(),
      }),
      data: IdentityDto,
    }),
    createRole: op.post('/from-soul/role', {
      doc: 'Make a role definition from a soul, with the lists of a tool profile where one is named.',
      needs: 'AgentConfigWrite',
      body: fields({
        markdown,
        name: identityName.nullish(),
        displayName,
        toolProfileName: string.trim().min(1).max(100).nullish(),
      }),
      data: AgentRoleDefinitionDto,
    }),
    read: op.post('/from-soul/read', {
      doc: 'Ours: read a SOUL.md, a soul.json or a ZIP of a packaged soul into one text, which from-soul takes.',
      needs: 'IdentitiesWrite',
      body: multipart({ fields: fields({}), files: ['file'], maxFileBytes: 2_097_152 }),
      data: SoulReadingDto,
      idempotent: false,
    }),
    get: op.get('/{id}/soul.md', {
      doc: 'The identity as Markdown, which from-soul reads back to the same.',
      needs: 'IdentitiesRead',
      query: download,
      ...file,
    }),
    zip: op.get('/{id}/soul.zip', {
      doc: 'Ours: the identity as a packaged soul, soul.json and SOUL.md in a ZIP, which from-soul/read reads back to the same.',
      needs: 'IdentitiesRead',
      data: string,
      reply: 'file',
      mediaType: 'application/zip',
    }),
  },
);

export const soulVersions = group(
  'Identities',
  { id: 'SoulVersions', base: '/api/identities/{id}/soul/versions', doc: 'The souls that an identity had.' },
  {
    list: op.get('', {
      doc: 'Ours: the souls that an identity had, newest first.',
      needs: 'IdentitiesRead',
      query: listQuery(['createdAtUtc', 'number', 'id'], {}),
      data: page(SoulVersionDto),
    }),
    get: op.get('/{versionId}', {
      doc: 'Ours: one of them, as Markdown.',
      needs: 'IdentitiesRead',
      query: download,
      ...file,
    }),
    diff: op.get('/{versionId}/diff', {
      doc: 'Ours: what changed with a version, or since another one.',
      needs: 'IdentitiesRead',
      query: fields({ againstId: int64.optional() }),
      data: SoulDiffDto,
    }),
    restore: op.post('/{versionId}/restore', {
      doc: 'Ours: give an identity the soul back that it had; a version of its own.',
      needs: 'IdentitiesWrite',
      data: IdentityDto,
    }),
  },
);
