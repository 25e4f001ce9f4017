// @ts-check
/** What this page can do for apps, with the browser's own means, and what it keeps for the owner. */

import { WebCryptoKeys } from "../../../kernel/private/key_provider.js";
import { storedKeys } from "../../../kernel/private/key_stores.js";
import { pageWalletEvents } from "../../../kernel/private/wallet_directory.js";

/** @import { OwnerPage } from "./owner_powers.js" */

const GRANTS_KEY = "bascule-workspace.backend-calls";

/** @returns {Omit<OwnerPage, "onBadge" | "onOffer">} */
export function ownerPage() {
  return {
    writeText: (text) => navigator.clipboard.writeText(text),
    walletEvents: pageWalletEvents(window),
    keys: new WebCryptoKeys({
      subtle: crypto.subtle,
      fillRandom: (bytes) => crypto.getRandomValues(bytes),
      store: storedKeys(indexedDB),
      wallNow: () => Date.now(),
    }),
    store: {
      load: () => localStorage.getItem(GRANTS_KEY),
      save: (text) => localStorage.setItem(GRANTS_KEY, text),
      watch: (observer) => {
        // Without a key all of it was cleared.
        addEventListener("storage", ({ key }) => {
          if (key === GRANTS_KEY || key === null) observer();
        });
      },
    },
    origin: location.origin,
  };
}
