// @ts-check
/**
 * The word processor's elements, for whichever page it is on: a page of its own, or a frame of a
 * workspace, which can fetch nothing. Their text is a constant; no word from anywhere else is in it.
 */

const PARTS = /* HTML */ `
  <header class="top">
    <div class="brand">
      <svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M2 20h20M4 20v-6l8.5-8.5M20 20V10M12.5 5.5 16 9" />
      </svg>
      <h1>Bascule Write</h1>
      <span id="saved" class="saved">Saved here</span>
    </div>
    <div class="bar">
      <div id="toolbar" class="toolbar" role="toolbar" aria-label="Formatting" aria-controls="text">
        <div class="group">
          <button type="button" data-command="undo">
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M7.5 4.5 4 8l3.5 3.5M4 8h7.5a4.25 4.25 0 0 1 0 8.5H8" />
            </svg>
          </button>
          <button type="button" data-command="redo">
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M12.5 4.5 16 8l-3.5 3.5M16 8H8.5a4.25 4.25 0 0 0 0 8.5H12" />
            </svg>
          </button>
        </div>
        <div class="group">
          <select id="style" aria-label="Paragraph style"></select>
        </div>
        <div class="group">
          <button type="button" data-command="bold"><b aria-hidden="true">B</b></button>
          <button type="button" data-command="italic"><i aria-hidden="true">I</i></button>
          <button type="button" data-command="code">
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M7 6 3 10l4 4M13 6l4 4-4 4" />
            </svg>
          </button>
        </div>
        <div class="group">
          <button type="button" data-command="style-list">
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M8 5.5h9M8 10h9M8 14.5h9M3.5 5.5h.6M3.5 10h.6M3.5 14.5h.6" />
            </svg>
          </button>
          <button type="button" data-command="style-quote">
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M4 4v12M8 6h9M8 10h9M8 14h5" />
            </svg>
          </button>
        </div>
        <div class="group">
          <button type="button" data-command="find">
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <circle cx="8.75" cy="8.75" r="4.75" />
              <path d="m12.5 12.5 4 4" />
            </svg>
          </button>
          <button type="button" data-command="date">
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M4 5.5h12v11H4zM4 9h12M7 3.5v3M13 3.5v3" />
            </svg>
          </button>
        </div>
        <div class="group end">
          <button type="button" data-command="new">
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M5 3h6.5L15 6.5V17H5zM11 3v4h4M10 10v4M8 12h4" />
            </svg>
          </button>
          <button type="button" data-command="export">
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M10 3v9M6.5 8.5 10 12l3.5-3.5M4 13.5V16h12v-2.5" />
            </svg>
          </button>
          <button type="button" data-command="shortcuts">
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M2.5 5.5h15v9h-15zM6 12h8M5.5 8.5h.6M8.5 8.5h.6M11.5 8.5h.6M14.5 8.5h.1" />
            </svg>
          </button>
          <button type="button" id="theme" data-theme="auto">
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <circle cx="10" cy="10" r="6.5" />
              <path class="half" d="M10 3.5a6.5 6.5 0 0 1 0 13z" />
            </svg>
          </button>
        </div>
      </div>
    </div>
    <search id="find" class="find" aria-label="Find and replace" hidden>
      <form id="find-form">
        <div class="find-row">
          <input
            id="find-query"
            type="text"
            aria-label="Find"
            placeholder="Find"
            autocomplete="off"
            spellcheck="false"
          />
          <span id="find-count" class="quiet" role="status"></span>
          <button type="button" id="find-previous">Previous</button>
          <button type="button" id="find-next">Next</button>
          <label><input id="find-case" type="checkbox" /> Match case</label>
          <label><input id="find-word" type="checkbox" /> Whole words</label>
          <button type="button" id="find-close" class="close">Close</button>
        </div>
        <div class="find-row">
          <input
            id="find-replacement"
            type="text"
            aria-label="Replace with"
            placeholder="Replace with"
            autocomplete="off"
            spellcheck="false"
          />
          <button type="button" id="find-replace">Replace</button>
          <button type="button" id="find-replace-all">Replace all</button>
        </div>
      </form>
    </search>
    <div id="notice" class="notice" role="status" hidden></div>
  </header>
  <main>
    <article class="page" aria-label="Document">
      <div class="title">
        <textarea
          id="title"
          rows="1"
          aria-label="Title"
          placeholder="Untitled"
          maxlength="500"
          autocomplete="off"
        ></textarea>
      </div>
      <div
        id="text"
        role="textbox"
        aria-multiline="true"
        aria-label="Document text"
        contenteditable="true"
        spellcheck="true"
      ></div>
    </article>
  </main>
  <footer id="status" class="status">
    <span id="counts"></span>
    <span id="revision"></span>
  </footer>
  <dialog id="export" aria-labelledby="export-title">
    <h2 id="export-title">Export</h2>
    <label for="export-format">Format</label>
    <select id="export-format"></select>
    <textarea
      id="export-output"
      aria-label="The document in this format"
      rows="12"
      readonly
      spellcheck="false"
    ></textarea>
    <p id="export-told" class="quiet" role="status"></p>
    <form method="dialog" class="choices">
      <button type="button" id="export-copy" class="primary">Copy</button>
      <button type="button" id="export-download">Save as a file</button>
      <button type="submit">Close</button>
    </form>
  </dialog>
  <dialog id="shortcuts" aria-labelledby="shortcuts-title">
    <h2 id="shortcuts-title">Keyboard shortcuts</h2>
    <dl id="shortcut-list"></dl>
    <p class="quiet">
      At the beginning of a paragraph, <kbd>#</kbd>, <kbd>-</kbd>, <kbd>1.</kbd> or
      <kbd>&gt;</kbd> and a space make a heading, a list or a quote. Tab leaves the text; in the
      toolbar, arrow keys move.
    </p>
    <form method="dialog" class="choices">
      <button type="submit" class="primary">Close</button>
    </form>
  </dialog>
`;

/**
 * Puts them into a page, around what is there already.
 *
 * @param {Document} document
 */
export function buildPage(document) {
  const { body } = new DOMParser().parseFromString(PARTS, "text/html");
  const [top, main, ...rest] = [...body.children].map((part) => document.adoptNode(part));
  document.body.prepend(...[top, main].filter((part) => part !== undefined));
  document.body.append(...rest);
}
