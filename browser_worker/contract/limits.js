// @ts-check
/**
 * Every number of the contract that a page has to know: the twin of `bridge/contract/limits.py`.
 * Units are in the names. The objects are frozen; pass others in to test with smaller ones.
 * Knows nothing of the browser.
 */

/**
 * @typedef {object} JsonLimits Bounds of one strict JSON document.
 * @property {number} maxEncodedBytes
 * @property {number} maxDepth Nested containers; a bare scalar has depth 0.
 * @property {number} maxValues Values of every kind, containers included, member names not.
 * @property {number} maxMembers Elements of one array or members of one object.
 * @property {number} maxStringBytes UTF-8 bytes of one decoded string or member name.
 * @property {number} maxNumberChars Characters of one number token.
 */

/** @type {Readonly<JsonLimits>} */
export const JSON_LIMITS = Object.freeze({
  maxEncodedBytes: 1_048_576,
  maxDepth: 32,
  maxValues: 16_384,
  maxMembers: 4_096,
  maxStringBytes: 262_144,
  maxNumberChars: 1_024,
});

export const PROTOCOL_LIMITS = Object.freeze({
  maxIdBytes: 256,
  maxActionNameChars: 128,
  maxListLimit: 100,
  defaultListLimit: 50,
  maxBatchCalls: 128,
  maxResourceChunkBytes: 65_536,
  maxSessions: 16,
  /** How long a call may hold the host's turn before it is answered as deferred. */
  maxTurnSeconds: 5,
});

/**
 * Of one page of `actions/list`, or of resources in MCP, as JSON, the first entry apart. A page
 * fits an answer of MCP, which tells it twice. No part of the limits that an app tells: no caller
 * has to know it.
 */
export const MAX_LIST_BYTES = 262_144;

export const BRIDGE_LIMITS = Object.freeze({
  maxBodyBytes: 1_048_576 + 4_096,
  maxOutstanding: 64,
  maxPollItems: 8,
  maxPollSeconds: 20,
  maxCallSeconds: 30,
  clientExpirySeconds: 60,
  clientGraceSeconds: 2,
  /** A channel is opened by its ticket within this time, or not at all. */
  ticketSeconds: 10,
  /** How often the worker says on its channel that it runs. */
  channelAliveSeconds: 15,
  maxAppNameChars: 200,
  maxSessionChars: 128,
  /** A call that runs longer than this is reported to the bridge as begun. */
  takenReportSeconds: 1,
});

export const MCP_LIMITS = Object.freeze({
  /** Larger ones are read in parts: base64 of this much is as long as a string may be. */
  maxSmallResourceBytes: 196_608,
  /** A client may cut, or refuse, a longer text. */
  maxTextBlockBytes: 200_000,
  resourcesPerPage: 100,
  maxTaskWaitSeconds: 25,
  /** How long a client may take what it was told of tools to be so: they never change. */
  catalogTtlSeconds: 3_600,
});

/** Bounds of the bus between the apps of one page. */
export const BUS_LIMITS = Object.freeze({
  /** Arguments, a result or whatever else one message carries, as JSON in UTF-8. */
  maxMessageBytes: 1_048_576,
  /** What a message has around that. An attachment counts for neither. */
  maxEnvelopeBytes: 1_024,
  maxDepth: 64,
  /** Calls that one source has in flight through the kernel. */
  maxCallsInFlight: 8,
  defaultTimeoutSeconds: 30,
  maxTimeoutSeconds: 600,
  maxProgressBytes: 65_536,
  maxProgressEvents: 2_000,
  maxAttachmentBytes: 16_777_216,
  maxAttachmentBytesOfEndpoint: 33_554_432,
  maxAttachmentBytesInAll: 67_108_864,
  maxTools: 128,
  maxDescriptorBytes: 65_536,
  maxTopicsOfApp: 64,
  maxAuditEntries: 200,
  maxPrivateAuditEntries: 50,
  maxSummaryChars: 200,
  /** Of a schema, that an error tells. */
  maxProblems: 16,
  maxBackgrounds: 32,
  /** How long a question to the owner is shown. */
  consentSeconds: 60,
  /** How long a call waits for what is decided on it, the questions before it included. */
  maxDecisionSeconds: 150,
  maxConsentsOfSubject: 2,
  maxConsents: 16,
  /** For which nobody asks again whom the owner refused; it doubles with each refusal. */
  firstCoolDownSeconds: 10,
  maxCoolDownSeconds: 600,
  /** So many refusals in a row of terminals, whatever their names, and new ones wait as well. */
  maxRefusalsOfTerminals: 3,
  maxGrants: 256,
  maxPrivateActionsOfEndpoint: 4,
  maxInvocationDepth: 8,
  maxTurns: 4,
  maxCallsOfTurn: 256,
  maxConsentsOfTurn: 16,
  delegationSeconds: 10,
  maxDelegationsOfEndpoint: 4,
  maxDelegations: 64,
  maxClipboardBytes: 262_144,
  maxBadge: 9_999,
  heartbeatSeconds: 5,
  /** An endpoint that has answered nothing for this long is shown as not responding. */
  notRespondingSeconds: 15,
  /** How often a frame is asked whether it is ready, and for how long. */
  probeSeconds: 0.25,
  maxProbeSeconds: 15,
  /** A source may send this much for as long as it likes; twice as much at once. */
  maxMessagesPerSecond: 2_000,
  maxBytesPerSecond: 33_554_432,
});
