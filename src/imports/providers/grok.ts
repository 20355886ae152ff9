// Grok: conversations with responses that name the one that they answer, and projects.
import { conversationTree, roleOf, type TreeNode } from '../conversation.ts';
import { type Dict, dictOf, firstText, idOf, isDict, listOf, textOf, timeOf, titleOf } from '../fields.ts';
import { type Format, type Parsed, type ParsedMessage, ReadMessage } from '../shapes.ts';

const name = 'grok-json';
const isOwn = (value: unknown): value is Dict =>
  isDict(value) && isDict(value.conversation) && Array.isArray(value.responses);

export const grok: Format = {
  provider: 'Grok',
  name,
  takes: ({ value }) => isOwn(value),
  messages: {
    list: 'responses',
    read: (value) => (isDict(value.response) ? readResponse(value.response) : null),
  },
  open: () => ({
    *read({ key, value }) {
      if (isOwn(value)) yield* chatOf(value);
      else if (key === '$' && isDict(value)) yield* besides(value);
    },
  }),
};

function* chatOf(value: Dict): Generator<Parsed> {
  const about = dictOf(value.conversation);
  const responses = listOf(value.responses).flatMap((one) =>
    one instanceof ReadMessage ? one : isDict(one) ? readResponse(dictOf(one.response ?? one)) : [],
  );
  const ids = new Set(responses.map(({ id }) => id));
  let before: string | null = null;
  const nodes = responses.map((one, index): TreeNode => {
    const id = one.id ?? `response-${index}`;
    const parent = one.parentId;
    // Exports without parents: each answers the one before it.
    const parentId: string | null = parent && ids.has(parent) && parent !== id ? parent : parent ? null : before;
    before = id;
    return { id, parentId, message: one.message };
  });
  yield* conversationTree(
    {
      sourceId: idOf(about.id) ?? idOf(about._id) ?? String(about.create_time ?? ''),
      title: titleOf(about.title),
      startedAt: timeOf(about.create_time),
      endedAt: timeOf(about.modify_time),
    },
    nodes,
    idOf(about.leaf_response_id),
  );
}

const readResponse = (one: Dict): ReadMessage =>
  new ReadMessage(name, {
    id: idOf(one._id) ?? idOf(one.id),
    parentId: idOf(one.parent_response_id),
    message: messageOf(one),
  });

function messageOf(one: Dict): ParsedMessage | null {
  const content = firstText(one, 'message', 'query', 'text');
  const files = [
    ...listOf(one.file_attachments).map(() => '[file]'),
    ...listOf(one.generated_image_urls).map(() => '[image]'),
  ];
  const sources = listOf(one.cited_web_search_results)
    .filter(isDict)
    .map(({ title, url }) => `[source: ${[textOf(title), textOf(url)].filter(Boolean).join(' ').slice(0, 500)}]`);
  const said = [content, ...files, ...sources].filter(Boolean).join('\n');
  return said
    ? { role: roleOf(one.sender), content: said, modelId: textOf(one.model), sentAt: timeOf(one.create_time) }
    : null;
}

/** Projects, whose instructions a person wrote; pictures and films have nothing to remember. */
function* besides(document: Dict): Generator<Parsed> {
  for (const project of listOf(document.projects).filter(isDict)) {
    const title = titleOf(project.name) ?? 'Project';
    const content = textOf(project.custom_personality);
    if (content) yield { kind: 'Memory', key: null, title, content, category: 'project', importance: 6, confidence: 1 };
    else yield { kind: 'skipped', reason: 'projects that say nothing', where: title };
  }
  for (const post of listOf(document.media_posts).filter(isDict))
    yield {
      kind: 'skipped',
      reason: 'images and films without a conversation',
      where: firstText(post, 'original_prompt', 'id') ?? 'media',
    };
}
