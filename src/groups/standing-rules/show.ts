// Rules as answers; of linked memories only what the caller may read.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { MemoryAccess } from '../memories/access.ts';
import { shortened } from '../texts.ts';
import { StandingRuleDetailDto, StandingRuleDto, StandingRuleLinkDto } from './dto.ts';
import type { RuleDoc } from './record.ts';

interface Deps {
  rules: Keeper<RuleDoc>;
  identities: PerTenant<IdentityDoc>;
  access: Pick<MemoryAccess, 'readable'>;
}

const excerptCharacters = 200;

export const toRuleDto = (rule: RuleDoc, identityName: string | null): StandingRuleDto =>
  shown(StandingRuleDto, rule, { identityName });

export function createRuleShow({ rules, identities, access }: Deps) {
  const showAll = async (docs: readonly RuleDoc[], { tenantId }: Pick<Caller, 'tenantId'>) => {
    const ids = [...new Set(docs.map(({ identityId }) => identityId))].filter((id) => id !== null);
    const found =
      ids.length === 0
        ? []
        : await identities(tenantId)
            .find({ _id: { $in: ids } })
            .toArray();
    const names = new Map(found.map(({ _id, displayName }) => [_id, displayName]));
    return docs.map((doc) => toRuleDto(doc, names.get(doc.identityId ?? 0) ?? null));
  };
  const show = async (doc: RuleDoc, caller: Pick<Caller, 'tenantId'>) =>
    (await showAll([doc], caller))[0] as StandingRuleDto;

  return {
    show,
    showAll,
    async detail(doc: RuleDoc, caller: Caller): Promise<StandingRuleDetailDto> {
      const ids = doc.links.map(({ memoryId }) => memoryId);
      const readable = new Map((await access.readable(caller, ids)).map((one) => [one._id, one]));
      const links = doc.links.map((link) => {
        const memory = readable.get(link.memoryId);
        return shown(StandingRuleLinkDto, link, {
          memoryTitle: memory?.title ?? null,
          excerpt: memory ? shortened(memory.content, excerptCharacters) : null,
        });
      });
      const successor = doc.supersededById === null ? null : await rules.find(caller, doc.supersededById);
      const { identityName } = await show(doc, caller);
      return shown(StandingRuleDetailDto, doc, {
        identityName,
        grounding: links.filter(({ kind }) => kind === 'Grounding'),
        evidence: links.filter(({ kind }) => kind === 'Evidence'),
        supersededByAssertion: successor?.assertion ?? null,
      });
    },
  };
}
export type RuleShow = ReturnType<typeof createRuleShow>;
