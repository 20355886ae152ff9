// Words that sentences are put together from.

/** A noun with its indefinite article: `a budget`, `an identity`. */
export const withArticle = (noun: string) => `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`;
