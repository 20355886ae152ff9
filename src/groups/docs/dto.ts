// Documents as they are answered.
import { z } from 'zod';
import { DocClassification, DocType, SearchMatchKind } from '../../contract/enums.ts';
import { boolean, dateTime, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

export const DocLinkDto = dto('DocLinkDto', { id: int64, title: string, slug: string.nullable(), path: string });
export type DocLinkDto = z.output<typeof DocLinkDto>;

const common = {
  id: int64,
  guid: uuid,
  projectId: int64,
  path: string,
  title: string,
  slug: string.nullable(),
  excerpt: string.nullable(),
  type: DocType,
  classification: DocClassification,
  isPinned: boolean,
  isPublished: boolean,
  isGroup: boolean,
  includeInNav: boolean,
  parentDocId: int64.nullable(),
  /** Its place among those beside it, from 0. */
  sortOrder: int32,
  version: int32,
  coverImageUrl: string.nullable(),
  icon: string.nullable(),
  /** With commas between them. */
  tags: string.nullable(),
  publishedAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
};

export const DocListDto = dto('DocListDto', { ...common, authorName: string.nullable() });
export type DocListDto = z.output<typeof DocListDto>;

export const DocDto = dto('DocDto', {
  ...common,
  content: string,
  hasEmbedding: boolean,
  prevDoc: DocLinkDto.nullable(),
  nextDoc: DocLinkDto.nullable(),
});
export type DocDto = z.output<typeof DocDto>;

export const DocNavNodeDto = z
  .strictObject({
    id: int64,
    title: string,
    slug: string.nullable(),
    path: string,
    icon: string.nullable(),
    isGroup: boolean,
    isPublished: boolean,
    sortOrder: int32,
    get children() {
      return z.array(DocNavNodeDto);
    },
  })
  .meta({ id: 'DocNavNodeDto' });
export interface DocNavNodeDto extends DocLinkDto {
  icon: string | null;
  isGroup: boolean;
  isPublished: boolean;
  sortOrder: number;
  children: DocNavNodeDto[];
}

export const DocNavTreeDto = dto('DocNavTreeDto', { roots: z.array(DocNavNodeDto) });

export const DocSearchHit = dto('DocSearchHit', {
  doc: DocListDto,
  score: float,
  matchedBy: SearchMatchKind,
  snippet: string,
});
export type DocSearchHit = z.output<typeof DocSearchHit>;

const version = {
  id: int64,
  docId: int64,
  version: int32,
  title: string,
  changeSummary: string.nullable(),
  authorName: string.nullable(),
  contentLength: int32,
  isCurrent: boolean,
  createdAtUtc: dateTime,
};
export const DocVersionDto = dto('DocVersionDto', version);
export type DocVersionDto = z.output<typeof DocVersionDto>;

export const DocVersionDetailDto = dto('DocVersionDetailDto', {
  ...version,
  content: string,
  /** As `diff -u` writes it; null for the first version. */
  diff: string.nullable(),
});

/** What a document links to and what links to it; ours. */
export const DocLinksDto = dto('DocLinksDto', {
  docId: int64,
  linksTo: z.array(DocLinkDto),
  linkedFrom: z.array(DocLinkDto),
});
