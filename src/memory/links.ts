// How links learn.

/** Asymptotic: each time the same share of what is missing to 1 (Hebb's rule with a bound). */
export const strengthened = (strength: number, increment: number) => strength + increment * (1 - strength);
