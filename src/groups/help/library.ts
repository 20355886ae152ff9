// The topics of the help, read from the documents that come with the server.
import { readFile, stat } from 'node:fs/promises';
import { basename, posix } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { packageRoot } from '../../kernel/package-root.ts';
import { renderMarkdown } from '../../markdown/render.ts';
import type { HelpCategoryDto, HelpTopicDetailDto, HelpTopicDto } from './dto.ts';

export interface Topic extends HelpTopicDto {
  markdown: string;
  /** Its path below `docs`, by which other documents link to it. */
  file: string;
}

export interface Library {
  topics: readonly Topic[];
  categories: readonly HelpCategoryDto[];
  find(slug: string): Topic | undefined;
  detail(topic: Topic): HelpTopicDetailDto;
}

const Listed = z.strictObject({
  categories: z.array(z.strictObject({ key: z.string(), title: z.string(), description: z.string() })),
  topics: z.array(
    z.strictObject({
      file: z.string(),
      category: z.string(),
      icon: z.string(),
      summary: z.string(),
      routes: z.array(z.string()).default([]),
      errorCodes: z.array(z.string()).default([]),
    }),
  ),
});

/** Topics that a topic names as related. */
const mostRelated = 6;

/**
 * Reads `help.yaml`, the documents it lists, and `errors.md`, each section of which is the topic of an error code.
 *
 * @param docs folder with a trailing slash; the project's own unless given
 */
export async function openLibrary(docs: URL = new URL('docs/', packageRoot)): Promise<Library> {
  const listed = Listed.parse(parse(await readFile(new URL('help.yaml', docs), 'utf8')));
  const read = async (file: string) => {
    const url = new URL(file, docs);
    return { markdown: await readFile(url, 'utf8'), updatedAtUtc: (await stat(url)).mtime.toISOString() };
  };
  const readTopic = async (about: (typeof listed.topics)[number]) => {
    const { markdown, updatedAtUtc } = await read(about.file);
    const title = /^# (.+)$/m.exec(markdown)?.[1] ?? about.file;
    return { ...about, slug: slugOf(basename(about.file, '.md')), title, markdown, updatedAtUtc };
  };
  const written = await Promise.all(listed.topics.map(readTopic));
  const topics: Topic[] = [...written, ...errorTopics(await read('errors.md'))].map((topic, sortOrder) => ({
    ...topic,
    sortOrder,
  }));
  const bySlug = new Map(topics.map((topic) => [topic.slug, topic]));
  /** Rendered when first asked for: they are the same for everybody. */
  const details = new Map<string, HelpTopicDetailDto>();
  const byFile = new Map(written.map(({ file, slug }) => [file, slug]));
  return {
    topics,
    categories: listed.categories.map((category, sortOrder) => ({
      ...category,
      topicCount: topics.filter(({ category: key }) => key === category.key).length,
      sortOrder,
    })),
    find: (slug) => bySlug.get(slug),
    detail: (topic) => {
      const known = details.get(topic.slug) ?? detailOf(topic, topics, byFile);
      details.set(topic.slug, known);
      return known;
    },
  };
}

export const slugOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** A topic as lists show it. */
export const toTopicDto = ({ markdown: _, file: __, ...topic }: Topic): HelpTopicDto => topic;

/** `## CODE` begins the topic of an error code; its first sentence is the summary. */
function errorTopics({ markdown, updatedAtUtc }: { markdown: string; updatedAtUtc: string }) {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [code = '', ...lines] = section.split('\n');
      const text = lines.join('\n').trim();
      return {
        slug: slugOf(`error ${code}`),
        title: code,
        category: 'errors',
        summary: /^.*?[.:;](?=\s|$)/s.exec(text)?.[0] ?? text,
        icon: 'system',
        routes: [],
        errorCodes: [code],
        markdown: `# ${code}\n\n${text}\n`,
        file: 'errors.md',
        updatedAtUtc,
      };
    });
}

function detailOf(topic: Topic, topics: readonly Topic[], byFile: ReadonlyMap<string, string>): HelpTopicDetailDto {
  const linked = new Set<string>();
  const link = (href: string): string | null => {
    if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
    const slug = byFile.get(posix.join(posix.dirname(topic.file), href.split('#', 1)[0] ?? ''));
    if (!slug) return null;
    linked.add(slug);
    // Where the dashboard shows it.
    return `/#/help/${slug}`;
  };
  const contentHtml = renderMarkdown(topic.markdown, { link });
  const beside = topics.filter(({ category }) => category === topic.category);
  const at = beside.indexOf(topic);
  const shares = (other: Topic) => other.errorCodes.some((code) => topic.errorCodes.includes(code));
  const related = topics.filter((other) => other !== topic && (linked.has(other.slug) || shares(other)));
  const near = topic.category === 'errors' ? [] : beside.filter((other) => other !== topic && !related.includes(other));
  return {
    ...toTopicDto(topic),
    contentMarkdown: topic.markdown,
    contentHtml,
    related: [...related, ...near].slice(0, mostRelated).map(toTopicDto),
    prevSlug: beside[at - 1]?.slug ?? null,
    nextSlug: beside[at + 1]?.slug ?? null,
  };
}
