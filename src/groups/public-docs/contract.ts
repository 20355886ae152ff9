// The published documents of projects whose site is on, for anybody.
import { DocFormat, DocType } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { fields, string } from '../../contract/types.ts';
import { DocDto, DocListDto, DocNavTreeDto } from '../docs/dto.ts';

export const publicDocs = group(
  'PublicDocs',
  {
    base: '/api/public/projects/{projectId}',
    doc: 'The published documents of projects whose site is on, for anybody.',
  },
  {
    blog: op.get('/blog', {
      doc: 'The posts of a project, newest first.',
      needs: 'public',
      query: listQuery(['publishedAtUtc', 'title'], { tag: string.max(100).optional(), q: string.max(200).optional() }),
      data: page(DocListDto),
    }),
    nav: op.get('/docs/nav', {
      doc: 'The tree of published documents that stand in the navigation.',
      needs: 'public',
      query: fields({ type: DocType.optional() }),
      data: DocNavTreeDto,
    }),
    get: op.get('/docs/{slug}', {
      doc: 'One published document by its slug, or one that it had; its text as Markdown or as HTML that is safe to show.',
      needs: 'public',
      query: fields({ format: DocFormat.optional() }),
      data: DocDto,
    }),
  },
);
