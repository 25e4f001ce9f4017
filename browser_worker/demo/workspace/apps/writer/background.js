// @ts-check
/** The writer's background: it keeps the document while no tile of it is open. */

import * as bus from "../../../../app/index.js";
import { exposeKeptDocument } from "./kept_document.js";

exposeKeptDocument(bus);
