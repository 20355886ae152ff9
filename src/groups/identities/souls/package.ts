// Packaged souls: a ZIP, a soul.json or a Markdown file, read into one text. Nothing is written to disk.
import { Fault } from '../../../kernel/fault.ts';
import { firstBytes, isZip, leadsOut, openZip, shortName } from '../../../kernel/zip-reader.ts';
import { isOwnForm } from './soul.ts';

/** Bytes of a text and of all texts of a package; entries of a package. */
const limits = { file: 524_288, all: 1_048_576, entries: 200 };
/** Files whose texts are read, in the order they are put together. */
const texts = ['soul.md', 'identity.md', 'style.md', 'agents.md', 'rules.md', 'heartbeat.md'];

/** A soul as one text, and what of its package has no place in it. */
export interface JoinedSoul {
  markdown: string;
  notMapped: string[];
}

/** Reads a file of any of the three kinds. @throws Fault VALIDATION_FAILED */
export async function readPackage(path: string): Promise<JoinedSoul> {
  if (isZip(await firstBytes(path, 4))) return readZip(path);
  return joinText(textOf(await firstBytes(path, limits.file + 1)));
}

/** A text that was sent by itself: Markdown, or a soul.json. */
export const joinText = (text: string): JoinedSoul =>
  text.trimStart().startsWith('{') ? joinFiles(new Map([['soul.json', text]]), []) : { markdown: text, notMapped: [] };

async function readZip(path: string): Promise<JoinedSoul> {
  const found = new Map<string, string>();
  const others: string[] = [];
  const zip = await openZip(path).catch((cause) => Promise.reject(broken('it is no ZIP that can be read', cause)));
  try {
    if (zip.entryCount > limits.entries) throw broken(`it has more than ${limits.entries} entries`);
    let left = limits.all;
    for await (const { name, isFile, isFolder, open: openEntry } of zip.entries()) {
      if (isFolder) continue;
      if (leadsOut(name)) throw broken('a file of it lies outside of its folder');
      const own = nameOf(name);
      if (own === null || !isFile || found.has(own)) {
        others.push(`file: ${shortName(name)}`);
        continue;
      }
      const bytes = await taken(await openEntry(), Math.min(left, limits.file));
      left -= bytes.length;
      found.set(own, textOf(bytes));
    }
  } catch (error) {
    throw error instanceof Fault ? error : broken('it is damaged', error);
  } finally {
    zip.close();
  }
  return joinFiles(found, others);
}

/** All of a stream, which is left as soon as it brings more than it may: so a bomb costs no more than its first bytes. */
async function taken(stream: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > most) throw broken('its texts are too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The name of a file that belongs to a soul, whatever folder it is in; null for any other. */
function nameOf(path: string): string | null {
  const name = path.split('/').at(-1)?.toLowerCase() ?? '';
  return name === 'soul.json' || texts.includes(name) ? name : null;
}

/** @throws Fault VALIDATION_FAILED for bytes that are no text, or too many */
function textOf(bytes: Uint8Array): string {
  if (bytes.length > limits.file) throw broken(`a text of it has more than ${limits.file} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw broken('a file of it is no text in UTF-8', cause);
  }
}

/** The texts of a package as one, with what its soul.json says as settings. Sections keep their headings. */
function joinFiles(files: ReadonlyMap<string, string>, others: readonly string[]): JoinedSoul {
  // Our own SOUL.md holds all that its soul.json says.
  const about = isOwnForm(files.get('soul.md') ?? '') ? undefined : files.get('soul.json');
  const { rows, notMapped } = about === undefined ? { rows: [], notMapped: [] } : manifestOf(about);
  const bodies = texts.flatMap((name) => {
    const said = files.get(name);
    if (!said?.trim()) return [];
    // Only one front matter can be the whole's: that of the soul itself, where there is no soul.json.
    const isFirst = name === 'soul.md' && about === undefined;
    const text = isFirst ? said : said.replace(/^\uFEFF?---\r?\n[\s\S]*?\n---[^\n]*\n/, '');
    const title = titleOf(name, text);
    return [title && !/^ {0,3}##? /m.test(text) ? `## ${title}\n\n${text.trim()}` : text.trim()];
  });
  if (bodies.length === 0 && rows.length === 0) throw broken('it has neither a soul.json nor a SOUL.md');
  const parts = [...bodies, rows.length > 0 && `## Settings\n\n${rows.join('\n')}`];
  return { markdown: parts.filter(Boolean).join('\n\n'), notMapped: [...notMapped, ...others] };
}

const titles: Record<string, string> = {
  'style.md': 'Tone',
  'agents.md': 'Agents',
  'rules.md': 'Rules',
  'heartbeat.md': 'Heartbeat',
};

/** What a file is about that has no headings; an identity is told as settings or in words. */
function titleOf(name: string, text: string): string | undefined {
  if (name !== 'identity.md') return titles[name];
  return /^[ \t]*[-*+][ \t]+\**[\w ]{1,60}:/m.test(text) ? 'Settings' : 'Bio';
}

/** Keys of a soul.json that are about the package, not about the soul. */
const aboutPackage = new Set(['specVersion', '$schema', 'files']);

/** What a soul.json says, as rows of settings, and what of it cannot be one. */
function manifestOf(json: string): { rows: string[]; notMapped: string[] } {
  let about: unknown;
  try {
    about = JSON.parse(json);
  } catch (cause) {
    throw broken('its soul.json is no JSON', cause);
  }
  if (typeof about !== 'object' || about === null || Array.isArray(about)) throw broken('its soul.json is no object');
  const rows: string[] = [];
  const notMapped: string[] = [];
  for (const [key, value] of Object.entries(about).slice(0, 200)) {
    const name = key.replaceAll(/\W/g, ' ').trim().slice(0, 60);
    if (aboutPackage.has(key) || !name) continue;
    if (typeof value === 'string' || typeof value === 'number')
      rows.push(`- ${name}: ${String(value).replaceAll(/\s+/g, ' ').slice(0, 500)}`);
    else notMapped.push(`setting: ${name}`);
  }
  return { rows, notMapped };
}

const broken = (why: string, cause?: unknown) =>
  new Fault('VALIDATION_FAILED', `This package cannot be read: ${why}.`, {
    hint: 'Send a ZIP with soul.json and SOUL.md, a soul.json, or a SOUL.md.',
    cause,
  });
