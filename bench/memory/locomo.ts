// Reads LoCoMo's dialogues from the folder that the caller has; nothing of it is in this project.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Turn {
  id: string;
  session: number;
  speaker: string;
  text: string;
  at: Date;
}

export interface Dialogue {
  name: string;
  turns: Turn[];
  questions: { text: string; evidence: string[] }[];
}

interface Raw {
  sample_id: string;
  conversation: Record<string, unknown>;
  qa: { question: string; category: number; evidence?: string[] }[];
}

interface RawTurn {
  dia_id: string;
  speaker: string;
  text: string;
  blip_caption?: string;
}

/** Category 5 is about what was never said. */
const adversarial = 5;

/** Null where the folder has none. */
export function readLocomo(folder: string): Dialogue[] | null {
  const file = join(folder, 'dialogues.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Raw[]).map(toDialogue) : null;
}

function toDialogue({ sample_id, conversation, qa }: Raw): Dialogue {
  const turns: Turn[] = [];
  for (let session = 1; conversation[`session_${session}`]; session++) {
    const at = dateOf(String(conversation[`session_${session}_date_time`]));
    for (const { dia_id, speaker, text, blip_caption } of conversation[`session_${session}`] as RawTurn[])
      turns.push({ id: dia_id, session, speaker, at, text: blip_caption ? `${text} [${blip_caption}]` : text });
  }
  const known = new Set(turns.map(({ id }) => id));
  const questions = qa
    .filter(({ category, evidence }) => category !== adversarial && evidence && evidence.length > 0)
    .map(({ question, evidence = [] }) => ({
      text: question,
      evidence: evidence.flatMap((one) => one.split(/[;,]\s*/)),
    }))
    .filter(({ evidence }) => evidence.every((id) => known.has(id)));
  return { name: sample_id, turns, questions };
}

/** `1:56 pm on 8 May, 2023`. */
const dateOf = (text: string) => new Date(`${text.replace(/^.* on /, '').replace(',', '')} 12:00 UTC`);
