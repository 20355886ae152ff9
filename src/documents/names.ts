// Names of documents: slugs, paths, and the addresses by which documents link to each other.
import { posix } from 'node:path';
import { decoded } from '../kernel/decoded.ts';
import { Fault } from '../kernel/fault.ts';

/** Slugs that stand for something else on a site or in the interface. */
const reserved = new Set(['nav', 'index', 'contents', 'blog', 'search', 'feed', 'sitemap', 'assets', '404']);
const longestSlug = 100;
const longestPath = 500;

/** @example slugFrom('Größe & Form!') // 'grosse-form' */
export function slugFrom(title: string): string {
  const plain = title.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss').toLowerCase();
  const slug = plain
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '')
    .toWellFormed();
  if (slug === '') return 'document';
  return reserved.has(slug) ? `${slug}-page` : slug;
}

/** A slug as somebody gave it, lower-case. @throws Fault VALIDATION_FAILED */
export function checkedSlug(given: string): string {
  const slug = given.trim().normalize('NFC').toLowerCase();
  if (
    slug.length > longestSlug ||
    Buffer.byteLength(slug) > 200 ||
    !/^[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*$/u.test(slug)
  )
    throw new Fault('VALIDATION_FAILED', `"${given.slice(0, 100)}" is no slug.`, {
      hint: `Use letters and digits with single hyphens between them, at most ${longestSlug}: install-guide.`,
      field: 'slug',
    });
  if (reserved.has(slug))
    throw new Fault('VALIDATION_FAILED', `The slug "${slug}" is taken by the site itself.`, {
      hint: 'Choose another one, e.g. with a word more.',
      field: 'slug',
    });
  return slug;
}

/** A path as somebody gave it, without slashes at its ends. @throws Fault VALIDATION_FAILED */
export function checkedPath(given: string): string {
  const path = given
    .trim()
    .normalize('NFC')
    .replaceAll(/^\/+|\/+$/g, '');
  const isFine = path.split('/').every((part) => part.trim() === part && part !== '' && part !== '.' && part !== '..');
  if (!isFine || path.length > longestPath || /[\p{Cc}\\?#]/u.test(path))
    throw new Fault('VALIDATION_FAILED', `"${given.slice(0, 100)}" is no path of a document.`, {
      hint: `Use names with slashes between them, at most ${longestPath} characters: guides/install.`,
      field: 'path',
    });
  return path;
}

/** How names are compared: whatever their case. */
export const nameKey = (name: string): string => name.toLowerCase();

/**
 * The names that an address in a document may mean, the closest first: below the document's own folder, from the top of
 * the project, or a slug. Nothing for an address that leads out of the project.
 *
 * @example targetsOf('../install.md#linux', 'guides/start/one') // ['guides/install', 'install']
 */
export function targetsOf(href: string, from: string): string[] {
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|^#|^$/i.test(href.trim())) return [];
  const plain = decoded(href.trim().replace(/[?#].*$/s, '')).replace(/\.(md|html?)$/i, '');
  if (plain === '' || plain.length > longestPath) return [];
  const root = plain.replace(/^\/+/, '');
  const below = plain.startsWith('/') ? root : posix.join(posix.dirname(from), plain);
  const names = [below, posix.normalize(root), posix.basename(root)];
  return [...new Set(names.map((name) => nameKey(name.replace(/\/+$/, ''))))].filter(
    (name) => name !== '' && name !== '.' && !name.startsWith('..'),
  );
}
