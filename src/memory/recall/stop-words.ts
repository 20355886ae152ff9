// English stop words: leaving them out of index and question improves recall.

/** Articles, pronouns, auxiliaries, prepositions, conjunctions and question words. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are as at be because been before being between both but by can could did
  do does doing don during each few for from further had has have having he her here hers herself him himself his how i
  if in into is it its itself just ll me might more most must my myself no nor not now of off on once only or other our
  ours ourselves out over own re s same shall she should so some such t than that the their theirs them themselves then
  there these they this those through to too under until up us ve very was we were what when where which while who whom
  whose why will with would you your yours yourself yourselves`.split(/\s+/),
);
