// The formats that are known, in the order in which they are asked: a narrower one comes before a wider one.
import type { Format } from '../shapes.ts';
import { chatGpt } from './chatgpt.ts';
import { claude } from './claude.ts';
import { copilot } from './copilot.ts';
import { deepSeek } from './deepseek.ts';
import { gemini } from './gemini.ts';
import { geminiHtml } from './gemini-html.ts';
import { grok } from './grok.ts';
import { interchange } from './interchange.ts';
import { mistral } from './mistral.ts';
import { portable } from './portable.ts';

export const formats: readonly Format[] = [deepSeek, chatGpt, claude, gemini, grok, mistral, interchange, portable];
export const htmlFormats: readonly Format[] = [geminiHtml];
export const csvFormats: readonly Format[] = [copilot];
