// What ends a call of a tool in the log of a run.
export const toolEnds: ReadonlySet<string> = new Set(['ToolCallCompleted', 'ToolCallFailed', 'ToolCallBlocked']);
