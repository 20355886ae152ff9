// The archive that is being uploaded: it goes on while its person looks at other pages.
import { type ApiError, createClient, type ImportDto } from '../../client/index.ts';
import { progressFetch } from '../base/progress-fetch.ts';
import { createStore } from '../base/store.ts';
import { toApiError } from './resource.ts';
import { getToken, refused } from './session.ts';

interface Sending {
  fileName: string;
  sent: number;
  total: number;
  stop: () => void;
}

export interface Upload {
  sending: Sending | null;
  /** Why the last one failed, and of which file. */
  failed: { fileName: string; error: ApiError } | null;
}

const none: Upload = { sending: null, failed: null };
export const upload = createStore<Upload>(none);

/** Uploads an archive; null where it was stopped or has failed, which the store says. */
export async function uploadArchive(file: File, fields: Readonly<Record<string, string>>): Promise<ImportDto | null> {
  const stopping = new AbortController();
  const tell = (sent: number, total: number) =>
    upload.set({ sending: { fileName: file.name, sent, total, stop: () => stopping.abort() }, failed: null });
  tell(0, file.size);
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  body.set('file', file);
  const client = createClient({ fetch: progressFetch(tell), getToken, onRefused: refused });
  try {
    const made = await client.imports.upload({ body, signal: stopping.signal });
    upload.set(none);
    return made;
  } catch (cause) {
    const error = toApiError(cause);
    upload.set(stopping.signal.aborted ? none : { sending: null, failed: { fileName: file.name, error } });
    return null;
  }
}
