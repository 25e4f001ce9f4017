/* global parent */
/** The peer's frame, as its README says. */

import { WindowMessenger, connect } from "../../penpal/penpal.js";

connect({
  messenger: new WindowMessenger({ remoteWindow: parent, allowedOrigins: ["*"] }),
  methods: { echo: (input) => input },
});
