// Prompts as they are answered to somebody.
import type { Caller } from '../../contract/caller.ts';
import { shown } from '../../ports/shown.ts';
import { variablesIn } from '../../prompts/variables.ts';
import { isOwn, mayChange } from './access.ts';
import { PromptDto, PromptListDto } from './dto.ts';
import type { PromptDoc } from './record.ts';

const computed = (doc: PromptDoc, caller: Caller) => ({
  variables: variablesIn(doc.text),
  isOwn: isOwn(doc, caller),
  mayChange: mayChange(doc, caller),
});

export const toPromptDto = (doc: PromptDoc, caller: Caller): PromptDto => shown(PromptDto, doc, computed(doc, caller));

export const toPromptListDto = (doc: PromptDoc, caller: Caller): PromptListDto =>
  shown(PromptListDto, doc, computed(doc, caller));
