// Every enumeration of the interface, one line each, in the order that ordinals refer to.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: the interface has one list of enumerations.
import { oneOf } from './types.ts';

export const ConnectorType = oneOf(
  'ConnectorType',
  'RestApi GraphQl Soap Mcp Database Email Webhook FileSystem ObjectStorage MessageQueue Custom',
);
export type ConnectorType = (typeof ConnectorType)['_output'];
export const AuthMethod = oneOf(
  'AuthMethod',
  'None ApiKey BearerToken Basic OAuth2ClientCredentials OAuth2AuthorizationCode ConnectionString HmacSignature MutualTls CustomHeaders',
);
export type AuthMethod = (typeof AuthMethod)['_output'];
export const McpTransportType = oneOf('McpTransportType', 'None Stdio StreamableHttp Sse WebSocket');
export type McpTransportType = (typeof McpTransportType)['_output'];
export const McpProxyStatus = oneOf(
  'McpProxyStatus',
  'NotConfigured Disconnected Connecting Connected Degraded AuthRequired Failed Disabled',
);
export type McpProxyStatus = (typeof McpProxyStatus)['_output'];
export const EndpointMethod = oneOf(
  'EndpointMethod',
  'Get Post Put Patch Delete Head Options Query Execute Publish Subscribe',
);
export type EndpointMethod = (typeof EndpointMethod)['_output'];
export const FieldMappingDirection = oneOf('FieldMappingDirection', 'Inbound Outbound Bidirectional');
export type FieldMappingDirection = (typeof FieldMappingDirection)['_output'];
export const UserType = oneOf('UserType', 'Human Agent Service System');
export type UserType = (typeof UserType)['_output'];
export const UserRole = oneOf('UserRole', 'Owner Admin Operator Member Viewer Agent');
export type UserRole = (typeof UserRole)['_output'];
export const AuthProvider = oneOf('AuthProvider', 'Local Oidc Google Microsoft GitHub GitLab');
export type AuthProvider = (typeof AuthProvider)['_output'];
export const Permission = oneOf(
  'Permission',
  'ConnectorsRead ConnectorsWrite EmailRead UsersRead UsersWrite RolesRead RolesWrite IdentitiesRead IdentitiesWrite IdentitiesProvision ApiKeysManage RunsRead RunsWrite EscalationsResolve RoutinesRead RoutinesWrite AgentConfigRead AgentConfigWrite ChatRead ChatWrite MirrorRead MirrorWrite TrainingApprove MemoriesRead MemoriesWrite FactsRead FactsWrite RulesRead RulesWrite KnowledgeRead KnowledgeWrite GraphRead GraphWrite RelationshipsRead RelationshipsWrite MessagesRead MessagesWrite MessagesBroadcast ProjectsRead ProjectsWrite TasksRead TasksWrite DocsRead DocsWrite DocsPublish SiteBuildsRun WorkspacesRead WorkspacesWrite ImportData ExportData AiRouterRead AiRouterUse AiRouterWrite BillingRead BillingWrite ChannelsRead ChannelsWrite ChannelsSend WebhooksRead WebhooksWrite OrgUnitsRead OrgUnitsWrite PolicyRead PolicyWrite AuditRead LogsRead InfrastructureRead InfrastructureWrite SystemRead SystemWrite',
);
export type Permission = (typeof Permission)['_output'];
export const IdentityType = oneOf('IdentityType', 'AI Human System Service');
export type IdentityType = (typeof IdentityType)['_output'];
export const PresenceState = oneOf('PresenceState', 'Dormant Subconscious Aware Present Engaged DeepWork');
export type PresenceState = (typeof PresenceState)['_output'];
export const AgentRunStatus = oneOf(
  'AgentRunStatus',
  'Pending Queued Running WaitingForChildren WaitingForDecision Paused BudgetExhausted Completed Failed TimedOut Cancelled',
);
export type AgentRunStatus = (typeof AgentRunStatus)['_output'];
export const AgentRunNoteType = oneOf(
  'AgentRunNoteType',
  'Observation Finding Decision Progress Blocker Question Summary ToolDebrief Operator',
);
export type AgentRunNoteType = (typeof AgentRunNoteType)['_output'];
export const TaskStatus = oneOf('TaskStatus', 'Backlog Todo InProgress Blocked InReview Done Cancelled');
export type TaskStatus = (typeof TaskStatus)['_output'];
export const FeedbackRating = oneOf('FeedbackRating', 'VeryPoor Poor Fair Good Excellent');
export type FeedbackRating = (typeof FeedbackRating)['_output'];
export const CouncilStatus = oneOf(
  'CouncilStatus',
  'Convening Deliberating Voting Consensus NoConsensus Failed Cancelled',
);
export type CouncilStatus = (typeof CouncilStatus)['_output'];
export const EscalationStatus = oneOf(
  'EscalationStatus',
  'Open SupervisorReview AwaitingHuman RevisionRequested Resolved TimedOut Withdrawn',
);
export type EscalationStatus = (typeof EscalationStatus)['_output'];
export const EscalationUrgency = oneOf('EscalationUrgency', 'Low Normal High Critical');
export type EscalationUrgency = (typeof EscalationUrgency)['_output'];
export const ResolutionMode = oneOf('ResolutionMode', 'Human Supervisor Council Policy Timeout');
export type ResolutionMode = (typeof ResolutionMode)['_output'];
export const EscalationNotificationState = oneOf(
  'EscalationNotificationState',
  'NotRequired Pending Sent PartiallySent Failed Acknowledged Suppressed',
);
export type EscalationNotificationState = (typeof EscalationNotificationState)['_output'];
export const RoutineScheduleKind = oneOf('RoutineScheduleKind', 'Manual Cron Interval Once Event');
export type RoutineScheduleKind = (typeof RoutineScheduleKind)['_output'];
export const RoutineRunOutcome = oneOf(
  'RoutineRunOutcome',
  'Pending Running Succeeded NoChange ThresholdMet Failed Cancelled SkippedQuietHours SkippedThrottled SkippedOverlap Missed',
);
export type RoutineRunOutcome = (typeof RoutineRunOutcome)['_output'];
export const RoutineMissedRunPolicy = oneOf('RoutineMissedRunPolicy', 'Skip RunOnce RunAll');
export type RoutineMissedRunPolicy = (typeof RoutineMissedRunPolicy)['_output'];
export const RoutineReportPolicy = oneOf('RoutineReportPolicy', 'Never OnFailure OnChange OnThreshold Always');
export type RoutineReportPolicy = (typeof RoutineReportPolicy)['_output'];
export const RoutineRunTriggerSource = oneOf('RoutineRunTriggerSource', 'Schedule Event Manual CatchUp Startup');
export type RoutineRunTriggerSource = (typeof RoutineRunTriggerSource)['_output'];
export const RuleStatus = oneOf('RuleStatus', 'Proposed Active UnderReview Superseded Withdrawn Expired');
export type RuleStatus = (typeof RuleStatus)['_output'];
export const RuleTrigger = oneOf(
  'RuleTrigger',
  'Always SessionStart BeforePlan BeforeToolCall BeforeSpawn BeforeMessage BeforeCommit BeforeDeploy BeforeEscalation OnError OnCompletion',
);
export type RuleTrigger = (typeof RuleTrigger)['_output'];
export const RuleKind = oneOf('RuleKind', 'Must MustNot Should ShouldNot Prefer Inform');
export type RuleKind = (typeof RuleKind)['_output'];
export const RuleWatchKind = oneOf(
  'RuleWatchKind',
  'None ReviewDate MemoryChanged FactChanged EvidenceContradicts Unused',
);
export type RuleWatchKind = (typeof RuleWatchKind)['_output'];
export const MemoryType = oneOf(
  'MemoryType',
  'Identity Relationship Conversation Reflection Milestone Instruction Session Reference ForgottenShape Fact Procedure Preference Decision',
);
export type MemoryType = (typeof MemoryType)['_output'];
export const Provenance = oneOf('Provenance', 'Observed Reported Inferred Derived Verified Generated');
export type Provenance = (typeof Provenance)['_output'];
export const LinkType = oneOf(
  'LinkType',
  'Temporal Causal Semantic Emotional Procedural CoActivated Supports Contradicts Supersedes DerivedFrom',
);
export type LinkType = (typeof LinkType)['_output'];
export const KnowledgeDomain = oneOf(
  'KnowledgeDomain',
  'General Technology Science Mathematics Business Finance Legal Health Security Product Operations Design Language Culture People Project',
);
export type KnowledgeDomain = (typeof KnowledgeDomain)['_output'];
export const KnowledgeGoalStatus = oneOf('KnowledgeGoalStatus', 'Active Researching Paused Learned Abandoned');
export type KnowledgeGoalStatus = (typeof KnowledgeGoalStatus)['_output'];
export const CompulsionType = oneOf(
  'CompulsionType',
  'Sycophancy FalseAgreement Overconfidence ExcessiveHedging Fabrication NeedlessRefusal Overapology Verbosity SelfDiminishing PrematureCompletion AuthorityDeference ConflictAvoidance Other',
);
export type CompulsionType = (typeof CompulsionType)['_output'];
export const TrainingObjective = oneOf(
  'TrainingObjective',
  'Honesty Calibration Helpfulness InstructionFollowing ToolUse Planning Safety Style Persona Escalation',
);
export type TrainingObjective = (typeof TrainingObjective)['_output'];
export const CurationStatus = oneOf('CurationStatus', 'Draft Approved Rejected Used');
export type CurationStatus = (typeof CurationStatus)['_output'];
export const CuratorType = oneOf('CuratorType', 'Human Agent System');
export type CuratorType = (typeof CuratorType)['_output'];
export const DatasetStatus = oneOf('DatasetStatus', 'Draft Ready InUse Trained');
export type DatasetStatus = (typeof DatasetStatus)['_output'];
export const TrainingRunStatus = oneOf(
  'TrainingRunStatus',
  'Queued Running Evaluating AwaitingApproval Approved Rejected Failed Cancelled',
);
export type TrainingRunStatus = (typeof TrainingRunStatus)['_output'];
export const CheckpointStatus = oneOf('CheckpointStatus', 'Candidate Active Retired');
export type CheckpointStatus = (typeof CheckpointStatus)['_output'];
export const MessageType = oneOf(
  'MessageType',
  'Text Question Answer Request Notification Report Handoff Escalation Approval Broadcast AutoReply System',
);
export type MessageType = (typeof MessageType)['_output'];
export const MessagePriority = oneOf('MessagePriority', 'Low Normal High Urgent');
export type MessagePriority = (typeof MessagePriority)['_output'];
export const ImportStatus = oneOf('ImportStatus', 'Parsing Scrubbing ReadyForReview Committing Committed Failed');
export type ImportStatus = (typeof ImportStatus)['_output'];
export const ImportSourceProvider = oneOf(
  'ImportSourceProvider',
  'Unknown ChatGpt Claude Gemini Grok Mistral Copilot Interchange Portable',
);
export type ImportSourceProvider = (typeof ImportSourceProvider)['_output'];
export const LogDomain = oneOf(
  'LogDomain',
  'System Http Realtime Auth Agent Chat Memory Connector Mcp AiRouter Queue Routine Import Export SiteBuild Billing Channel Webhook Security',
);
export type LogDomain = (typeof LogDomain)['_output'];
export const SystemLogLevel = oneOf('SystemLogLevel', 'Trace Debug Information Warning Error Critical');
export type SystemLogLevel = (typeof SystemLogLevel)['_output'];
export const SiteBuildStatus = oneOf('SiteBuildStatus', 'Queued Building Published Failed Superseded');
export type SiteBuildStatus = (typeof SiteBuildStatus)['_output'];
export const DocType = oneOf('DocType', 'Page Guide Reference Blog Note Specification Decision Runbook Changelog Help');
export type DocType = (typeof DocType)['_output'];
export const DocClassification = oneOf('DocClassification', 'Public Internal Confidential Restricted');
export type DocClassification = (typeof DocClassification)['_output'];
export const AgentEventType = oneOf(
  'AgentEventType',
  'RunCreated RunQueued RunStarted RunPaused RunResumed RunRestarted RunRecovered RunCompleted RunFailed RunTimedOut RunCancelled StatusChanged ProgressUpdated IterationStarted IterationCompleted PlanUpdated ModelCallStarted ModelCallCompleted ModelCallFailed ModelFallback ToolCallStarted ToolCallCompleted ToolCallFailed ToolCallBlocked ToolApprovalRequested SandboxStarted SandboxOutput SandboxStopped ChildSpawned ChildCompleted ChildFailed SpawnRefused CheckpointSaved ContextCompressed BudgetWarning BudgetExhausted PoolChanged DeadlineWarning StaleWarning EscalationRaised EscalationReviewed EscalationResolved EscalationTimedOut CouncilConvened CouncilStatement CouncilVote CouncilConcluded MessageReceived MessageSent NoteAdded FeedbackAdded TaskCreated TaskUpdated FileChanged MemoryRecalled MemoryWritten RuleSurfaced DeliverableChecked ReviewReady GuidanceReceived Log',
);
export type AgentEventType = (typeof AgentEventType)['_output'];
export const ToolSource = oneOf('ToolSource', 'BuiltIn Memory Agent Connector Mcp Workspace Sandbox Plugin');
export type ToolSource = (typeof ToolSource)['_output'];
export const ToolRisk = oneOf('ToolRisk', 'Safe Moderate Dangerous');
export type ToolRisk = (typeof ToolRisk)['_output'];
export const ToolCallStatus = oneOf('ToolCallStatus', 'Pending Running Succeeded Failed Blocked AwaitingApproval');
export type ToolCallStatus = (typeof ToolCallStatus)['_output'];
export const FileChangeType = oneOf('FileChangeType', 'Added Modified Deleted Renamed Copied');
export type FileChangeType = (typeof FileChangeType)['_output'];
export const AnalyticsGroupBy = oneOf('AnalyticsGroupBy', 'None Model Role Identity Project Status');
export type AnalyticsGroupBy = (typeof AnalyticsGroupBy)['_output'];
export const SearchMode = oneOf('SearchMode', 'Hybrid Semantic Keyword');
export type SearchMode = (typeof SearchMode)['_output'];
export const SearchMatchKind = oneOf('SearchMatchKind', 'Semantic Keyword Hybrid Link Exact');
export type SearchMatchKind = (typeof SearchMatchKind)['_output'];
export const SearchHitKind = oneOf(
  'SearchHitKind',
  'Memory Fact StandingRule KnowledgeGoal Identity Run Routine Escalation Task Project Doc ChatSession ChatMessage Message GraphNode AgentMemory PersonalMemory Connector Reflection HelpTopic',
);
export type SearchHitKind = (typeof SearchHitKind)['_output'];
export const SortDirection = oneOf('SortDirection', 'Ascending Descending');
export type SortDirection = (typeof SortDirection)['_output'];
export const TimeBucket = oneOf('TimeBucket', 'Minute Hour Day Week Month');
export type TimeBucket = (typeof TimeBucket)['_output'];
export const CompressionStrategy = oneOf('CompressionStrategy', 'Truncate Summarize Hierarchical');
export type CompressionStrategy = (typeof CompressionStrategy)['_output'];
export const AgentMemoryKind = oneOf('AgentMemoryKind', 'Lesson Procedure Pitfall Environment Convention Fact');
export type AgentMemoryKind = (typeof AgentMemoryKind)['_output'];
export const ReinforcementOutcome = oneOf('ReinforcementOutcome', 'Helped Neutral Hurt');
export type ReinforcementOutcome = (typeof ReinforcementOutcome)['_output'];
export const RuleLinkKind = oneOf('RuleLinkKind', 'Grounding Evidence');
export type RuleLinkKind = (typeof RuleLinkKind)['_output'];
export const StaleRuleReason = oneOf(
  'StaleRuleReason',
  'ReviewDue Expired GroundingArchived EvidenceContradicts WatchTriggered NeverSurfaced',
);
export type StaleRuleReason = (typeof StaleRuleReason)['_output'];
export const ImportItemKind = oneOf('ImportItemKind', 'Memory Fact');
export type ImportItemKind = (typeof ImportItemKind)['_output'];
export const ChatStreamEventType = oneOf(
  'ChatStreamEventType',
  'Started ReasoningDelta ContentDelta ToolCall ToolResult Usage Completed Error Ping',
);
export type ChatStreamEventType = (typeof ChatStreamEventType)['_output'];
export const ChatAttachmentKind = oneOf('ChatAttachmentKind', 'Text Image File Memory Doc Url');
export type ChatAttachmentKind = (typeof ChatAttachmentKind)['_output'];
export const DatasetFormat = oneOf('DatasetFormat', 'Jsonl Dpo Sft Csv');
export type DatasetFormat = (typeof DatasetFormat)['_output'];
export const DocFormat = oneOf('DocFormat', 'Markdown Html');
export type DocFormat = (typeof DocFormat)['_output'];
export const UserExportFormat = oneOf('UserExportFormat', 'Json Zip');
export type UserExportFormat = (typeof UserExportFormat)['_output'];
export const UiTheme = oneOf('UiTheme', 'System Light Dark HighContrast');
export type UiTheme = (typeof UiTheme)['_output'];
export const UiDensity = oneOf('UiDensity', 'Comfortable Compact');
export type UiDensity = (typeof UiDensity)['_output'];
export const RunDeltaKind = oneOf('RunDeltaKind', 'Content Reasoning ToolArguments');
export type RunDeltaKind = (typeof RunDeltaKind)['_output'];
export const SandboxStreamKind = oneOf('SandboxStreamKind', 'Stdout Stderr System');
export type SandboxStreamKind = (typeof SandboxStreamKind)['_output'];
export const CouncilStatementKind = oneOf('CouncilStatementKind', 'Opening Argument Rebuttal Vote Conclusion');
export type CouncilStatementKind = (typeof CouncilStatementKind)['_output'];
export const NotificationKind = oneOf(
  'NotificationKind',
  'RunCompleted RunFailed EscalationRaised MessageReceived HintDue BudgetWarning RoutineReport SiteBuild Import System',
);
export type NotificationKind = (typeof NotificationKind)['_output'];
export const AIProviderKind = oneOf(
  'AIProviderKind',
  'OpenAi OpenAiCompatible AzureOpenAi Anthropic Google Mistral Ollama LlamaCpp Vllm Mock',
);
export type AIProviderKind = (typeof AIProviderKind)['_output'];
export const AIHealthState = oneOf('AIHealthState', 'Unknown Healthy Degraded Unhealthy Disabled');
export type AIHealthState = (typeof AIHealthState)['_output'];
export const CircuitState = oneOf('CircuitState', 'Closed HalfOpen Open');
export type CircuitState = (typeof CircuitState)['_output'];
export const AIModelKind = oneOf('AIModelKind', 'Chat Embedding Rerank');
export type AIModelKind = (typeof AIModelKind)['_output'];
export const AIModelCapability = oneOf(
  'AIModelCapability',
  'Streaming Tools ParallelTools Vision AudioInput Documents Reasoning JsonSchema PromptCaching Embeddings',
);
export type AIModelCapability = (typeof AIModelCapability)['_output'];
export const AIRoutePolicy = oneOf(
  'AIRoutePolicy',
  'Priority Weighted RoundRobin LowestCost LowestLatency LeastBusy Healthiest',
);
export type AIRoutePolicy = (typeof AIRoutePolicy)['_output'];
export const AIBudgetScope = oneOf('AIBudgetScope', 'Tenant OrgUnit Project Identity User Role Provider Model Route');
export type AIBudgetScope = (typeof AIBudgetScope)['_output'];
export const BudgetPeriod = oneOf('BudgetPeriod', 'Hour Day Week Month Quarter Year Lifetime');
export type BudgetPeriod = (typeof BudgetPeriod)['_output'];
export const BudgetAction = oneOf('BudgetAction', 'Notify Downgrade Block');
export type BudgetAction = (typeof BudgetAction)['_output'];
export const BudgetState = oneOf('BudgetState', 'Unlimited Ok Warning Exhausted');
export type BudgetState = (typeof BudgetState)['_output'];
export const AIUsageGroupBy = oneOf(
  'AIUsageGroupBy',
  'None Provider Model Route Identity User Project OrgUnit Role Purpose Status Day',
);
export type AIUsageGroupBy = (typeof AIUsageGroupBy)['_output'];
export const AICallPurpose = oneOf(
  'AICallPurpose',
  'Chat Run Council Supervisor Summary Title Embedding Rerank Reflection Research Help Playground Compat Test',
);
export type AICallPurpose = (typeof AICallPurpose)['_output'];
export const AICallStatus = oneOf('AICallStatus', 'Succeeded Failed TimedOut Cancelled RateLimited Blocked');
export type AICallStatus = (typeof AICallStatus)['_output'];
export const DeliveryStatus = oneOf('DeliveryStatus', 'Pending Delivering Delivered Retrying Failed Dropped Received');
export type DeliveryStatus = (typeof DeliveryStatus)['_output'];
export const ChannelKind = oneOf('ChannelKind', 'Webhook Slack Discord Telegram Email Mattermost Ntfy');
export type ChannelKind = (typeof ChannelKind)['_output'];
export const ChannelDirection = oneOf('ChannelDirection', 'Outbound Inbound Both');
export type ChannelDirection = (typeof ChannelDirection)['_output'];
export const RealtimeTransport = oneOf('RealtimeTransport', 'WebSocket SocketIo Sse');
export type RealtimeTransport = (typeof RealtimeTransport)['_output'];
export const RealtimeOp = oneOf('RealtimeOp', 'Hello Subscribe Unsubscribe Publish Call Ack Ping Pong Event Error');
export type RealtimeOp = (typeof RealtimeOp)['_output'];
export const SessionKind = oneOf('SessionKind', 'User IdentityKey UserKey OAuthClient Run System');
export type SessionKind = (typeof SessionKind)['_output'];
export const TokenKind = oneOf(
  'TokenKind',
  'AccessJwt RefreshToken IdentityKey UserKey OAuthAccessToken OAuthRefreshToken SocketTicket',
);
export type TokenKind = (typeof TokenKind)['_output'];
export const OAuthIntent = oneOf('OAuthIntent', 'SignIn Link');
export type OAuthIntent = (typeof OAuthIntent)['_output'];
export const PrincipalKind = oneOf('PrincipalKind', 'User Identity System Anonymous');
export type PrincipalKind = (typeof PrincipalKind)['_output'];
export const AuditCategory = oneOf(
  'AuditCategory',
  'Authentication Authorization Users Roles Identities Keys Policy Billing Connectors AiRouter Agents Data Export Import System',
);
export type AuditCategory = (typeof AuditCategory)['_output'];
export const AuditOutcome = oneOf('AuditOutcome', 'Success Denied Failed');
export type AuditOutcome = (typeof AuditOutcome)['_output'];
export const RegistrationMode = oneOf('RegistrationMode', 'Open InviteOnly Closed');
export type RegistrationMode = (typeof RegistrationMode)['_output'];
export const EscalationTimeoutAction = oneOf(
  'EscalationTimeoutAction',
  'UseRecommendation Proceed Fail Cancel KeepWaiting',
);
export type EscalationTimeoutAction = (typeof EscalationTimeoutAction)['_output'];
export const UsageMeter = oneOf(
  'UsageMeter',
  'Runs RunMinutes ModelCalls PromptTokens CompletionTokens EmbeddingTokens ModelCostUsd ActiveUsers ActiveIdentities StorageBytes Memories ApiRequests RealtimeConnectionMinutes',
);
export type UsageMeter = (typeof UsageMeter)['_output'];
export const SubscriptionStatus = oneOf('SubscriptionStatus', 'Trialing Active PastDue Suspended Cancelled');
export type SubscriptionStatus = (typeof SubscriptionStatus)['_output'];
export const InvoiceStatus = oneOf('InvoiceStatus', 'Draft Open Paid Void Uncollectible');
export type InvoiceStatus = (typeof InvoiceStatus)['_output'];
export const InvoiceGroupBy = oneOf('InvoiceGroupBy', 'Meter Project OrgUnit Model Identity');
export type InvoiceGroupBy = (typeof InvoiceGroupBy)['_output'];
export const InvoiceFormat = oneOf('InvoiceFormat', 'Html Csv Json');
export type InvoiceFormat = (typeof InvoiceFormat)['_output'];
export const OrgUnitKind = oneOf('OrgUnitKind', 'Company Division Department Team Squad Other');
export type OrgUnitKind = (typeof OrgUnitKind)['_output'];
export const InviteStatus = oneOf('InviteStatus', 'Pending Accepted Revoked Expired');
export type InviteStatus = (typeof InviteStatus)['_output'];
export const ProjectStatus = oneOf('ProjectStatus', 'Planned Active Paused Completed Archived');
export type ProjectStatus = (typeof ProjectStatus)['_output'];
export const ProjectRole = oneOf('ProjectRole', 'Owner Maintainer Contributor Viewer');
export type ProjectRole = (typeof ProjectRole)['_output'];
export const TaskDependencyKind = oneOf('TaskDependencyKind', 'Blocks RelatesTo Duplicates');
export type TaskDependencyKind = (typeof TaskDependencyKind)['_output'];
export const RelationshipType = oneOf(
  'RelationshipType',
  'Peer Colleague Steward Supervisor Subordinate Mentor Mentee Creator Collaborator Client Friend Rival',
);
export type RelationshipType = (typeof RelationshipType)['_output'];
export const InteractionKind = oneOf(
  'InteractionKind',
  'Message Collaboration Delegation Review Feedback Conflict Agreement Help Council Handoff Other',
);
export type InteractionKind = (typeof InteractionKind)['_output'];
export const InterestSource = oneOf('InterestSource', 'Declared Inferred');
export type InterestSource = (typeof InterestSource)['_output'];
export const GraphNodeKind = oneOf(
  'GraphNodeKind',
  'Person Organization Identity Project Concept Technology Document Event Place Artifact Topic Other',
);
export type GraphNodeKind = (typeof GraphNodeKind)['_output'];
export const HandoffStatus = oneOf('HandoffStatus', 'Open Claimed Expired');
export type HandoffStatus = (typeof HandoffStatus)['_output'];
export const HandoffDirection = oneOf('HandoffDirection', 'Incoming Outgoing All');
export type HandoffDirection = (typeof HandoffDirection)['_output'];
export const HydrationFormat = oneOf('HydrationFormat', 'Json Markdown');
export type HydrationFormat = (typeof HydrationFormat)['_output'];
export const HydrationSource = oneOf(
  'HydrationSource',
  'Personality IdentityMemories PinnedMemories RecentMemories ProjectMemories SurfacedMemories Projects Tasks KeyFacts Facts StandingRules Hints PendingReplies Interests Handoff',
);
export type HydrationSource = (typeof HydrationSource)['_output'];
export const PersonalMemoryCategory = oneOf(
  'PersonalMemoryCategory',
  'Profile Preference Relationship Health Work Schedule Goal Instruction Other',
);
export type PersonalMemoryCategory = (typeof PersonalMemoryCategory)['_output'];
export const MemoryVisibility = oneOf('MemoryVisibility', 'Private SelectedIdentities AllMyIdentities');
export type MemoryVisibility = (typeof MemoryVisibility)['_output'];
export const SuggestionStatus = oneOf('SuggestionStatus', 'Pending Accepted Rejected Expired');
export type SuggestionStatus = (typeof SuggestionStatus)['_output'];
export const HealthState = oneOf('HealthState', 'Unknown Healthy Degraded Unhealthy');
export type HealthState = (typeof HealthState)['_output'];
export const NodeRole = oneOf('NodeRole', 'AllInOne Api Worker');
export type NodeRole = (typeof NodeRole)['_output'];
export const StoreKind = oneOf('StoreKind', 'MongoDb Qdrant Redis FileSystem InProcess');
export type StoreKind = (typeof StoreKind)['_output'];
export const StoreMode = oneOf('StoreMode', 'External Embedded Disabled');
export type StoreMode = (typeof StoreMode)['_output'];
export const JobState = oneOf('JobState', 'Queued Scheduled Running Succeeded Failed Cancelled');
export type JobState = (typeof JobState)['_output'];
export const QueueAction = oneOf('QueueAction', 'Pause Resume Drain RetryFailed ClearFailed SetConcurrency');
export type QueueAction = (typeof QueueAction)['_output'];
export const ConfigSource = oneOf('ConfigSource', 'Default File Environment Override');
export type ConfigSource = (typeof ConfigSource)['_output'];
export const MetricsFormat = oneOf('MetricsFormat', 'Prometheus OpenMetrics');
export type MetricsFormat = (typeof MetricsFormat)['_output'];
export const MaintenanceTask = oneOf(
  'MaintenanceTask',
  'EnterMaintenanceMode ExitMaintenanceMode ReindexEmbeddings DecayMemories ArchiveMemories ExpireIdentities PruneEvents PruneLogs PruneChats RecountTotals RollupUsage EncryptSecrets RotateSigningKeys VerifyAuditChain CleanWorkspaces Backup',
);
export type MaintenanceTask = (typeof MaintenanceTask)['_output'];
export const SupportCategory = oneOf('SupportCategory', 'Question Bug Incident Feature Account Billing');
export type SupportCategory = (typeof SupportCategory)['_output'];
export const SupportStatus = oneOf('SupportStatus', 'Recorded Forwarded ForwardFailed');
export type SupportStatus = (typeof SupportStatus)['_output'];
export const DemoSize = oneOf('DemoSize', 'Small Medium Large');
export type DemoSize = (typeof DemoSize)['_output'];
export const DemoScenario = oneOf(
  'DemoScenario',
  'SingleRun SpawnTree Escalation Council BudgetExhaustion ProviderFallback RoutineWake Chat',
);
export type DemoScenario = (typeof DemoScenario)['_output'];
export const WorkspaceKind = oneOf('WorkspaceKind', 'Folder Git Scratch');
export type WorkspaceKind = (typeof WorkspaceKind)['_output'];
export const WorkspaceState = oneOf('WorkspaceState', 'Preparing Ready Restoring Failed Expired');
export type WorkspaceState = (typeof WorkspaceState)['_output'];
