// Grok: conversations with responses that name the one that they answer.
import { conversationTree, roleOf, type TreeNode } from '../conversation.ts';
import { type Dict, dictOf, firstText, idOf, isDict, listOf, textOf, timeOf, titleOf } from '../fields.ts';
import type { Format } from '../shapes.ts';

const isOwn = (value: unknown): value is Dict =>
  isDict(value) && isDict(value.conversation) && Array.isArray(value.responses);

export const grok: Format = {
  provider: 'Grok',
  name: 'grok-json',
  takes: ({ value }) => isOwn(value),
  open: () => ({
    *read({ value }) {
      if (!isOwn(value)) return;
      const about = dictOf(value.conversation);
      let before: string | null = null;
      const responses = listOf(value.responses)
        .filter(isDict)
        .map((one) => dictOf(one.response ?? one));
      const ids = new Set(responses.map((one) => idOf(one._id) ?? idOf(one.id)));
      const nodes: TreeNode[] = responses.map((one, index) => {
        const id = idOf(one._id) ?? idOf(one.id) ?? `response-${index}`;
        const parent = idOf(one.parent_response_id);
        const parentId: string | null = parent && ids.has(parent) && parent !== id ? parent : parent ? null : before;
        before = id;
        return { id, parentId, message: messageOf(one) };
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
    },
  }),
};

function messageOf(one: Dict) {
  const content = firstText(one, 'message', 'query', 'text');
  const images = listOf(one.generated_image_urls).length + listOf(one.file_attachments).length;
  const said = [content, ...(images > 0 ? ['[files]'] : [])].filter(Boolean).join('\n');
  return said
    ? { role: roleOf(one.sender), content: said, modelId: textOf(one.model), sentAt: timeOf(one.create_time) }
    : null;
}
