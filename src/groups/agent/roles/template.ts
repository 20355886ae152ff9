// The placeholders of system prompt templates, `{{agent}}` and the like.
import { Fault } from '../../../kernel/fault.ts';

export const placeholders = ['agent', 'role', 'goal', 'date', 'deliverable', 'destination'] as const;
export type TemplateValues = Record<(typeof placeholders)[number], string>;

const pattern = /\{\{([^{}]*)\}\}/g;

/** Replaces the placeholders; what is put in is never read as a template again. */
export function renderTemplate(template: string, values: TemplateValues): string {
  return template.replace(pattern, (whole, inner: string) => {
    const name = inner.trim();
    return Object.hasOwn(values, name) ? values[name as 'agent'] : whole;
  });
}

/** @throws Fault VALIDATION_FAILED for a placeholder that nothing fills */
export function checkTemplate(template: string): void {
  const unknown = [...template.matchAll(pattern)].map(([, inner]) => (inner as string).trim());
  const wrong = unknown.find((name) => !(placeholders as readonly string[]).includes(name));
  if (wrong === undefined) return;
  throw new Fault('VALIDATION_FAILED', `The template has an unknown placeholder {{${wrong}}}.`, {
    hint: `Known ones are ${placeholders.map((name) => `{{${name}}}`).join(', ')}.`,
  });
}
