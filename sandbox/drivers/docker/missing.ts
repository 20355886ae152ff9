// How an engine says that it has no container or image of a name.

export const isMissing = (error: unknown): boolean => (error as { statusCode?: number }).statusCode === 404;
