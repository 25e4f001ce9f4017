// @ts-check
/**
 * Which methods of a wallet an app can reach, and what each does: a closed list. What signs a text that
 * nobody can read, and what changes whom the wallet trusts, is not in it. Contract: bus, private actions.
 */

/**
 * @typedef {object} WalletMethod
 * @property {"reads" | "asks"} kind `asks`: the owner sees each one before the wallet does.
 * @property {string} [does] Of one that asks: for the owner, after "wants to".
 * @property {(params: readonly any[]) => unknown} [account] Which account it is in the name of.
 */

/** @type {WalletMethod} */
const READS = Object.freeze({ kind: "reads" });

/**
 * @param {string} does
 * @param {WalletMethod["account"]} [account]
 * @returns {WalletMethod}
 */
function asks(does, account = undefined) {
  return Object.freeze({ kind: "asks", does, ...(account === undefined ? {} : { account }) });
}

/** @type {ReadonlyMap<string, WalletMethod>} */
export const WALLET_METHODS = new Map([
  ["eth_accounts", READS],
  ["eth_blockNumber", READS],
  ["eth_call", READS],
  ["eth_chainId", READS],
  ["eth_estimateGas", READS],
  ["eth_feeHistory", READS],
  ["eth_gasPrice", READS],
  ["eth_getBalance", READS],
  ["eth_getBlockByHash", READS],
  ["eth_getBlockByNumber", READS],
  ["eth_getCode", READS],
  ["eth_getLogs", READS],
  ["eth_getStorageAt", READS],
  ["eth_getTransactionByHash", READS],
  ["eth_getTransactionCount", READS],
  ["eth_getTransactionReceipt", READS],
  ["eth_maxPriorityFeePerGas", READS],
  ["net_version", READS],
  ["eth_sendTransaction", asks("send a transaction", ([transaction]) => transaction?.from)],
  ["eth_signTypedData_v4", asks("have data signed", ([account]) => account)],
  ["personal_sign", asks("have a message signed", ([, account]) => account)],
  ["wallet_addEthereumChain", asks("add a network to the wallet")],
  ["wallet_switchEthereumChain", asks("change the wallet's network, for all apps")],
  ["wallet_watchAsset", asks("have the wallet show an asset")],
]);
