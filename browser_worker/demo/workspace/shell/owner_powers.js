// @ts-check
/**
 * Puts what an owner decides on into a workspace: who asks them, what they have allowed, agents, and the
 * private actions with what this page can do for them. Draws nothing. Contract: bus.
 */

import { addAgent } from "../../../kernel/agent/add_agent.js";
import { addAuditTools } from "../../../kernel/audit/audit_tools.js";
import { addCanisters } from "../../../kernel/canister/add_canisters.js";
import { ConsentQueue } from "../../../kernel/consent/consent_queue.js";
import { Grants } from "../../../kernel/grants/grants.js";
import { addInstallOffer } from "../../../kernel/tools/install_offer.js";
import { addOpenTileTool } from "../../../kernel/tools/open_tile_tool.js";
import { OwnerPolicy } from "../../../kernel/grants/owner_policy.js";
import { addPermissionTools } from "../../../kernel/grants/permission_tools.js";
import { addClipboardAction } from "../../../kernel/private/clipboard_action.js";
import { addConnectionActions } from "../../../kernel/private/connection_actions.js";
import { enteredCredentials } from "../../../kernel/private/entered_credentials.js";
import { addTrayActions } from "../../../kernel/private/tray_actions.js";
import { addVetkeyActions } from "../../../kernel/private/vetkey_actions.js";
import { addWalletActions } from "../../../kernel/private/wallet_actions.js";
import { Permissions } from "./permissions.js";

/** @import { TextStore } from "../../../kernel/canister/backend_call_grants.js" */
/** @import { AppSummary } from "../../../kernel/kernel.js" */
/** @import { KernelPowers } from "../../../kernel/kernel_powers.js" */
/** @import { KeyProvider } from "../../../kernel/private/key_provider.js" */
/** @import { ActivationWatch } from "../../../kernel/private/activation_watch.js" */
/** @import { WalletEvents } from "../../../kernel/private/wallet_directory.js" */
/** @import { Workspace } from "./workspace.js" */

/**
 * @typedef {object} OwnerPage What the trusted page does for apps.
 * @property {(app: string, badge: number | null) => void} onBadge
 * @property {(text: string) => Promise<void>} writeText
 * @property {WalletEvents} walletEvents
 * @property {KeyProvider} keys
 * @property {TextStore} store Of what is allowed for good.
 * @property {string} origin
 * @property {(url: string) => void} onOffer The owner said yes to an address.
 */

export class OwnerPowers {
  /**
   * Made before the kernel, which asks its policy.
   *
   * @param {KernelPowers} powers
   * @param {() => readonly AppSummary[]} apps
   * @param {ActivationWatch} attention
   */
  constructor(powers, apps, attention) {
    this._powers = powers;
    this.attention = attention;
    /** Questions to the owner. */
    this.consent = new ConsentQueue(powers);
    /** What the owner has allowed. */
    this.grants = new Grants(powers, apps);
    /** Who may call across apps. */
    this.policy = new OwnerPolicy({ grants: this.grants, consent: this.consent, apps });
  }

  /**
   * Puts the rest on a workspace's kernel.
   *
   * @param {Workspace} workspace
   * @param {OwnerPage} page
   */
  join(workspace, page) {
    const { consent, grants, attention, _powers: powers } = this;
    const { kernel } = workspace;
    // The grants first: calls that end with one are told why.
    kernel.addKeeper(grants);
    const { turns, mode } = addAgent(kernel, { powers, consent, attention });
    const canisters = addCanisters(kernel, { consent, store: page.store, powers });
    kernel.addKeeper({
      forgetApp: (app) => consent.forget(`app:${app}`),
      endSession: (caller) => consent.forget(caller),
      lock: () => consent.clear(),
    });
    this._addTools(workspace, page);
    const { connections, wallets } = this._addPrivateActions(workspace, page);
    const permissions = new Permissions({
      grants,
      agents: mode,
      backendCalls: canisters.grants,
      connections,
      wallets,
      apps: () => workspace.apps,
    });
    return { turns, permissions, installed: canisters.installed };
  }

  /**
   * @param {Workspace} workspace
   * @param {OwnerPage} page
   */
  _addTools(workspace, { origin, onOffer }) {
    const { consent, policy, _powers: powers } = this;
    const { kernel } = workspace;
    const { tools, invocations } = kernel;
    const apps = () => kernel.apps();
    addPermissionTools(tools, { policy, apps, invocations });
    addAuditTools(tools, kernel.audit);
    addInstallOffer(tools, { consent, apps, invocations, origin, onOffer });
    addOpenTileTool(tools, {
      consent,
      apps,
      invocations,
      powers,
      tilesOf: (app) => workspace.apps.find(({ id }) => id === app)?.tiles ?? [],
      isShown: (id) =>
        kernel.endpoints().some(({ app, kind }) => app === id && kind !== "background"),
      openTile: (app, tile) => workspace.openTile(app, tile),
    });
  }

  /**
   * @param {Workspace} workspace
   * @param {OwnerPage} page
   */
  _addPrivateActions({ kernel, tray }, { onBadge, writeText, walletEvents, keys }) {
    const { consent, attention, _powers: powers } = this;
    const onDismiss = (/** @type {string} */ _app, /** @type {string} */ endpoint) => {
      if (tray.endpoint === endpoint) tray.close();
    };
    addTrayActions(kernel, { onBadge, onDismiss, powers });
    addClipboardAction(kernel, { consent, attention, writeText });
    const providers = enteredCredentials();
    const connections = addConnectionActions(kernel, { consent, providers, powers });
    const { sessions } = addWalletActions(kernel, { consent, events: walletEvents, powers });
    addVetkeyActions(kernel, { keys });
    return { connections, wallets: sessions };
  }
}
