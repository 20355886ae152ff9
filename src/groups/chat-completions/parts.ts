// Reads content as OpenAI's clients write it: text, or parts of text and images.
import { z } from 'zod';
import type { UserPart } from '../../../runtime/model.ts';
import { Fault } from '../../kernel/fault.ts';

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
  file: z
    .looseObject({ file_data: z.string().nullish(), file_id: z.string().nullish(), filename: z.string().nullish() })
    .optional(),
  file_data: z.string().nullish(),
  file_url: z.string().nullish(),
  file_id: z.string().nullish(),
  filename: z.string().nullish(),
  input_audio: z.looseObject({ data: z.string(), format: z.string() }).optional(),
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]).optional(),
});

/** A refusal that names the field, as OpenAI's do. */
export const wrong = (field: string, message: string, hint: string) =>
  new Fault('VALIDATION_FAILED', `${field}: ${message}`, { field, hint });

/** What a user said; one text where there are only texts. @throws Fault VALIDATION_FAILED */
export function readContent(content: unknown, field: string): string | UserPart[] {
  if (typeof content === 'string') return content;
  const parts = partsOf(content, field).map((part, at) => toPart(part, `${field}.${at}`));
  const texts = parts.map((part) => (part.type === 'text' ? part.text : null));
  return texts.includes(null) ? parts : texts.join('');
}

/** Content where only text can be. @throws Fault VALIDATION_FAILED */
export function readText(content: unknown, field: string): string {
  if (content === undefined || content === null) return '';
  const read = readContent(content, field);
  if (typeof read === 'string') return read;
  throw wrong(field, 'only text can be here.', 'Send images in messages of the user.');
}

function partsOf(content: unknown, field: string): z.output<typeof Part>[] {
  const parsed = z.array(Part).min(1).safeParse(content);
  if (parsed.success) return parsed.data;
  throw wrong(
    field,
    'is neither a text nor a list of parts.',
    'Write a string, or parts such as {"type":"text","text":"…"}.',
  );
}

function toPart(part: z.output<typeof Part>, field: string): UserPart {
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'refusal':
      return { type: 'text', text: part.text ?? part.refusal ?? '' };
    case 'image_url':
    case 'input_image': {
      const url = typeof part.image_url === 'string' ? part.image_url : part.image_url?.url;
      if (url) return toImage(url, field);
      throw wrong(field, 'has no image_url.', 'Send the image as a data: URL or an https: URL.');
    }
    case 'file':
    case 'input_file':
      return toFile(part.file ?? part, field);
    case 'input_audio': {
      if (!part.input_audio) throw wrong(field, 'has no input_audio.', 'Send {"data": base64, "format": "wav"}.');
      const { data, format } = part.input_audio;
      return {
        type: 'file',
        mediaType: `audio/${format === 'mp3' ? 'mpeg' : format}`,
        data: Buffer.from(data, 'base64'),
      };
    }
    default:
      throw wrong(field, `parts of type "${part.type.slice(0, 40)}" are not taken.`, 'Send text, images and files.');
  }
}

const dataUrl = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=_-]+)$/;

function toImage(url: string, field: string): UserPart {
  const [, mediaType, data] = dataUrl.exec(url) ?? [];
  if (mediaType && data) return { type: 'image', mediaType, data: Buffer.from(data, 'base64') };
  // The provider fetches the address, not this server.
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return { type: 'image', mediaType: 'image/*', data: new URL(url) };
  throw wrong(field, 'is no image.', 'Send a data: URL with a base64 image, or an https: URL.');
}

const fileUrl = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,;]+)*;base64,([A-Za-z0-9+/=_-]+)$/;

/** A document with what it holds: there are no files here that an id could name. */
function toFile(part: Pick<z.output<typeof Part>, 'file_data' | 'file_url' | 'filename'>, field: string): UserPart {
  const [, mediaType, data] = fileUrl.exec(part.file_data ?? '') ?? [];
  const named = part.filename ? { fileName: part.filename.slice(0, 300) } : {};
  if (mediaType && data) return { type: 'file', mediaType, data: Buffer.from(data, 'base64'), ...named };
  const url = part.file_url ?? '';
  if (/^https?:\/\//.test(url) && URL.canParse(url))
    return { type: 'file', mediaType: 'application/pdf', data: new URL(url), ...named };
  throw wrong(field, 'has no contents.', 'Send file_data as a data: URL such as data:application/pdf;base64,…');
}
