// Reads an uploaded archive into the store, file by file; a process that takes it over goes on at the file that was under
// way.
import type { ImportSourceProvider } from '../../contract/enums.ts';
import { archiveFiles } from '../../imports/archive.ts';
import { broken } from '../../imports/broken.ts';
import { createDetection, readFile } from '../../imports/read-file.ts';
import type { Skipped } from '../../imports/shapes.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Archives } from './archives.ts';
import type { ImportSkippedDto } from './dto.ts';
import type { Held } from './jobs.ts';
import type { ImportDoc, ReadCounts } from './record.ts';
import { sound } from './restoring/wholes.ts';
import { createStaging, stagedOf } from './staging.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  archives: Archives;
}

/** Files after which what was read is written, however little it is. */
const filesAtOnce = 200;

const names: Readonly<Record<ImportSourceProvider, string>> = {
  Unknown: 'an assistant',
  ChatGpt: 'ChatGPT',
  Claude: 'Claude',
  Gemini: 'Gemini',
  Grok: 'Grok',
  Mistral: 'Mistral',
  Copilot: 'Copilot',
  Interchange: 'an assistant',
  Portable: 'an agent',
};

/** Reads the archive and removes it. @throws Fault VALIDATION_FAILED for one that cannot be read, or says nothing */
export async function parseArchive(deps: Deps, held: Held): Promise<void> {
  const { doc } = held;
  const { archives } = deps;
  const sets = stagedOf(deps);
  if (doc.archive === null) return;
  await sets.clear(doc.tenantId, doc._id, doc.read.entries);
  const scratch = await archives.scratch(doc.archive);
  await readAll(deps, held, scratch);
  const { conversationCount, itemCount, skipped } = held.doc;
  if (conversationCount + itemCount === 0)
    throw broken(
      'Nothing to import was found in this file.',
      `Upload the ZIP as ${skipped.length > 0 ? 'the provider made it' : 'it was downloaded'}: exports of ChatGPT, Claude, Gemini (Takeout), Grok, DeepSeek, Mistral and Copilot are read, and portable JSON.`,
    );
}

async function readAll(deps: Deps, held: Held, scratch: string): Promise<void> {
  const { doc } = held;
  const path = deps.archives.pathOf(doc.archive as string);
  const staging = createStaging(deps, { tenantId: doc.tenantId, importId: doc._id });
  const detection = createDetection(Object.fromEntries(doc.detected.map(({ name, count }) => [name, count])));
  const report = createReport(doc.skipped);
  const before = doc.read;
  let [entry, unwritten] = [0, 0];

  const write = async (entries: number | null): Promise<void> => {
    const staged = await staging.flush();
    const counts: ReadCounts = {
      entries: entries ?? held.doc.read.entries,
      conversations: before.conversations + staged.conversations,
      messages: before.messages + staged.messages,
      items: before.items + staged.items,
    };
    unwritten = 0;
    await held.set({
      ...progressOf(counts),
      ...detected(doc, detection),
      ...(entries !== null && { read: counts, ...report.fields(), detected: listed(detection) }),
    });
  };

  for await (const file of archiveFiles(path, doc.fileName, scratch)) {
    held.check();
    if (entry++ < before.entries) continue;
    for await (const { parsed: read, format } of readFile(file)) {
      const parsed = sound(read);
      if (format && parsed.kind !== 'skipped') detection.note(format);
      if (parsed.kind === 'skipped') report.add(parsed);
      else await staging.add(parsed, entry - 1, names[format?.provider ?? 'Unknown']);
      if (staging.isFull) await write(null);
      held.check();
    }
    if (++unwritten >= filesAtOnce || staging.isFull) await write(entry);
  }
  await write(entry);
}

const progressOf = ({ conversations, messages, items }: ReadCounts) => ({
  conversationCount: conversations,
  messageCount: messages,
  itemCount: items,
});

function detected(doc: ImportDoc, detection: ReturnType<typeof createDetection>): Partial<ImportDoc> {
  const found = detection.result();
  return found
    ? { detectedFormat: found.format, sourceProviderId: found.provider }
    : { sourceProviderId: doc.sourceProviderId };
}

const listed = (detection: ReturnType<typeof createDetection>) =>
  Object.entries(detection.counts()).map(([name, count]) => ({ name, count }));

/** What was not read, by its reason, with a few examples. */
function createReport(known: readonly ImportSkippedDto[]) {
  const byReason = new Map(known.map((one) => [one.reason, { ...one, examples: [...one.examples] }]));
  return {
    add({ reason, where }: Skipped): void {
      const one = byReason.get(reason) ?? { reason, count: 0, examples: [] };
      one.count++;
      if (one.examples.length < 5) one.examples.push(where.slice(0, 200));
      byReason.set(reason, one);
    },
    fields: () => {
      const skipped = [...byReason.values()].map((one) => ({ ...one, examples: [...one.examples] }));
      return { skipped, skippedCount: skipped.reduce((sum, { count }) => sum + count, 0) };
    },
  };
}
