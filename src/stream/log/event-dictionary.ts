// Compression dictionaries with the text of the most frequent payloads, for blocks of stored events.
//
// Blocks can only be read with the dictionary they were written with. Never change one; add another with the next
// number.

const run =
  '{"id":,"guid":"","projectId":null,"taskId":null,"taskTitle":null,"identityId":1,"identityName":"Administrator","role":null,"toolProfileName":null,"roleDefinitionId":null,"modelId":null,"reasoningEffort":null,"parentRunId":null,"sandboxContainerId":null,"reviewBranch":null,"reviewBaseSha":null,"reviewWorktreePath":null,"spawnDepth":0,"goal":"","status":"Completed","failureReason":null,"startedAtUtc":"2026-","completedAtUtc":null,"progressSummary":null,"staleStepCount":0,"maxIterations":50,"maxTokens":500000,"maxWallClockMs":3600000,"iterationsUsed":0,"tokensUsed":0,"contextBudgetTokens":100000,"contextUsedTokens":0,"poolIterationBudget":500,"poolIterationsUsed":0,"poolTokenBudget":5000000,"poolTokensUsed":0,"treeDeadlineUtc":null,"promptTokens":0,"completionTokens":0,"costUsd":0,"totalTokensWithChildren":0,"totalCostWithChildren":0,"outputPath":null,"contractDeliverable":null,"contractDestination":null,"interactionThreadId":null,"childRunCount":0,"eventCount":0,"createdAtUtc":"2026-"}';
const message =
  '{"id":,"guid":"","sessionId":,"parentMessageId":null,"role":"Assistant","content":"","createdAtUtc":"2026-","rating":null,"attachments":[]}';
const event =
  '{"id":,"guid":"","runId":,"rootRunId":,"parentRunId":null,"seq":,"type":"ToolCallStarted","type":"ToolCallCompleted","type":"ModelCallStarted","type":"ModelCallCompleted","type":"StatusChanged","type":"ProgressUpdated","level":"Info","iteration":1,"title":"","message":null,"toolName":null,"toolCallId":"call_","modelId":null,"promptTokens":null,"completionTokens":null,"costUsd":null,"durationMs":null,"payloadJson":"{\\"from\\":\\"Queued\\",\\"to\\":\\"Running\\"}","createdAtUtc":"2026-"}';
const heads =
  '[["run.created",["run.updated",["run.status",["run.completed",["run.failed",["run.ended",["tree.quiesced",["chat.message",["run.event",';

/** Dictionaries by number, from 1. The likeliest text stands last, where references to it take the fewest bits. */
export const dictionaries: readonly Buffer[] = [run + message + event + heads].map((text) => Buffer.from(text));
