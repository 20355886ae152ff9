// Multipart request bodies: named text fields by schema and files that arrive as streams on disk.
import type { z } from 'zod';

export interface UploadedFile {
  fileName: string;
  mediaType: string;
  /** Temporary file, removed after the handler has ended. */
  path: string;
  sizeBytes: number;
}

export interface MultipartBody<Fields extends z.ZodType = z.ZodType, Files extends string = string> {
  kind: 'multipart';
  fields: Fields;
  files: readonly Files[];
  maxFileBytes: number;
}

export type MultipartInput<B extends MultipartBody> = {
  fields: z.output<B['fields']>;
  files: { [K in B['files'][number]]?: UploadedFile };
};

/** Declares a multipart body. */
export function multipart<Fields extends z.ZodType, const Files extends string>(spec: {
  fields: Fields;
  files: readonly Files[];
  maxFileBytes: number;
}): MultipartBody<Fields, Files> {
  return { kind: 'multipart', ...spec };
}

export function isMultipart(body: unknown): body is MultipartBody {
  return typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'multipart';
}
