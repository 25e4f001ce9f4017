// @ts-check
/** Shows the document in a format, to copy or to keep as a file. */

import { EXPORT_FORMATS, exportFormat, exported } from "../document/document_format.js";

/** @import { ExportFormat } from "../document/document_format.js" */
/** @import { TextDocument } from "../document/text_document.js" */

/**
 * @param {object} parts
 * @param {HTMLDialogElement} parts.dialog
 * @param {HTMLSelectElement} parts.format
 * @param {HTMLTextAreaElement} parts.output
 * @param {HTMLButtonElement} parts.copy
 * @param {HTMLButtonElement} parts.download
 * @param {HTMLElement} parts.told
 * @param {TextDocument} text
 * @returns {() => void} Opens it.
 */
export function bindExportDialog({ dialog, format, output, copy, download, told }, text) {
  for (const [name, { label }] of EXPORT_FORMATS) format.append(new Option(label, name));
  const chosen = () => /** @type {ExportFormat} */ (format.value);
  const show = () => {
    output.value = exported(text, chosen());
    told.textContent = "";
  };
  format.addEventListener("change", show);
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(output.value);
      told.textContent = "Copied.";
    } catch {
      output.select();
      told.textContent = "The browser does not let the page copy: press the keys for it now.";
    }
  });
  download.addEventListener("click", () => {
    const { extension, mimeType } = exportFormat(chosen());
    const address = URL.createObjectURL(new Blob([output.value], { type: mimeType }));
    const link = document.createElement("a");
    link.href = address;
    link.download = `${fileName(text.title)}.${extension}`;
    link.click();
    // The browser reads it after the click.
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  });
  return () => {
    show();
    dialog.showModal();
  };
}

/** @param {string} title */
function fileName(title) {
  const name = title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return name === "" ? "document" : [...name].slice(0, 80).join("");
}
