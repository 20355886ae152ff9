// How the search over everything finds standing rules.
import { visibleTo } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { isAsked, type SearchLeg } from '../../ports/search.ts';
import type { RuleBook } from './book.ts';
import { type RuleDoc, ruleScope } from './record.ts';

export const ruleSearch = ({ rules, book }: { rules: Keeper<RuleDoc>; book: RuleBook }): SearchLeg => ({
  kind: 'StandingRule',
  needs: 'RulesRead',
  find: async (caller, sought) => {
    const { question, mode, limit } = sought;
    const load = async (ids: readonly number[]) => {
      const open = { $and: [{ _id: { $in: [...ids] } }, visibleTo<RuleDoc>(caller)] };
      return (await rules.of(caller.tenantId).find(open).toArray()).filter((one) => isAsked(sought, one));
    };
    const found = await book.finder.search({
      ...{ tenantId: caller.tenantId, scopes: [ruleScope] },
      ...{ question, mode, limit, load },
    });
    return found.map(({ doc, nearness }) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.assertion,
      text: doc.rationale ?? doc.assertion,
      url: `/memory/rules?rule=${doc._id}`,
      identityId: doc.identityId,
      projectId: doc.projectId,
      tags: [],
      updatedAt: doc.updatedAt,
      nearness,
    }));
  },
});
