// Words that sentences are put together from.

/** A noun with its indefinite article: `a budget`, `an identity`. */
export const withArticle = (noun: string) => `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`;

/** More than one of them: `budgets`, `memories`, `keys`. */
export const pluralOf = (noun: string) => (/[^aeou]y$/i.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`);
