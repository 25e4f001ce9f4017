// @ts-check
/**
 * Error codes of the contract that a page sends or meets: the twin of
 * `bridge/contract/error_codes.py`. Closed sets: nothing that is not listed here is ever sent.
 */

/** The numbers that JSON-RPC 2.0 itself reserves. */
export const JSON_RPC_ERROR = Object.freeze({
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
});

/** Application errors: the key is `data.code`, the value the JSON-RPC number. */
export const APP_ERROR = Object.freeze({
  DISABLED: 1001,
  UNKNOWN_ACTION: 1002,
  INVALID_INPUT: 1003,
  INVALID_OUTPUT: 1004,
  CAPABILITY_REQUIRED: 1005,
  UNAVAILABLE: 1006,
  REVISION_REQUIRED: 1007,
  STALE_REVISION: 1008,
  TRANSACTION_UNSUPPORTED: 1009,
  TRANSACTION_DOMAIN: 1010,
  DEFERRED_IN_TRANSACTION: 1011,
  ROLLED_BACK: 1012,
  UNKNOWN_TASK: 1013,
  UNKNOWN_RESOURCE: 1014,
  LIMIT_EXCEEDED: 1015,
  UNSUPPORTED_PROTOCOL_VERSION: 1016,
  SESSION_LIMIT: 1017,
  HOST_ERROR: 1018,
});

/** @typedef {keyof typeof APP_ERROR} AppErrorCode */
