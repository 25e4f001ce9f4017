// @ts-check
/**
 * One note in an editor: what it was, what a person has made of it, and whether somebody else changed
 * it meanwhile. Never writes over what it has not seen. Knows no page.
 */

/** @import { Draft, Note } from "./note_store.js" */

/** @typedef {"saved" | "editing" | "saving" | "conflict" | "deleted" | "failed"} EditState */

/**
 * @typedef {object} NoteUpdates
 * @property {(id: string, draft: Draft, revision?: number) => Promise<Note>} update
 * @property {(id: string) => Promise<Note>} read
 */

export class OpenNote {
  /**
   * @param {Note} note
   * @param {NoteUpdates} notes
   * @param {() => void} onChange
   */
  constructor(note, notes, onChange) {
    this._note = note;
    this._notes = notes;
    this._onChange = onChange;
    /** @type {Draft} */
    this.draft = { title: note.title, text: note.text };
    /** @type {EditState} */
    this.state = "saved";
    /** @type {Promise<void> | null} */
    this._saving = null;
  }

  get id() {
    return this._note.id;
  }

  /** A person has typed. @param {Draft} draft */
  edit(draft) {
    this.draft = draft;
    if (this.state === "saved" || this.state === "failed") this._move("editing");
  }

  /** Saves what was typed, and what is typed meanwhile. @returns {Promise<void>} Never rejects. */
  save() {
    if (this._saving === null && (this.state === "editing" || this.state === "failed")) {
      this._saving = this._save().finally(() => (this._saving = null));
    }
    return this._saving ?? Promise.resolve();
  }

  /** The notes have changed: looks whether this one has. @returns {Promise<void>} Never rejects. */
  async refresh() {
    if (this._saving !== null) await this._saving;
    if (this.state === "deleted" || this.state === "conflict") return;
    let note;
    try {
      note = await this._notes.read(this.id);
    } catch (error) {
      if (isGone(error)) this._move("deleted");
      return;
    }
    if (note.revision <= this._note.revision || this._saving !== null) return;
    const untouched = this._isUntouched();
    if (untouched) {
      this._take(note);
      this._move("saved");
    } else this._move("conflict");
  }

  /** Of two versions keeps what is in the editor. */
  async keepMine() {
    if (this.state !== "conflict") return;
    try {
      this._note = await this._notes.read(this.id);
      this.state = "editing";
      await this.save();
    } catch (error) {
      this._move(isGone(error) ? "deleted" : "failed");
    }
  }

  /** Of two versions takes the one that is stored. */
  async takeTheirs() {
    if (this.state !== "conflict") return;
    try {
      this._take(await this._notes.read(this.id));
      this._move("saved");
    } catch (error) {
      this._move(isGone(error) ? "deleted" : "failed");
    }
  }

  async _save() {
    do {
      const { draft } = this;
      this._move("saving");
      try {
        this._note = await this._notes.update(this.id, draft, this._note.revision);
      } catch (error) {
        this._move(await this._whyNot(error));
        return;
      }
    } while (!this._isUntouched());
    this._move("saved");
  }

  /**
   * @param {unknown} error
   * @returns {Promise<EditState>}
   */
  async _whyNot(error) {
    if (/** @type {any} */ (error)?.code !== "INVALID_INPUT") return "failed";
    try {
      const { revision } = await this._notes.read(this.id);
      return revision === this._note.revision ? "failed" : "conflict";
    } catch (gone) {
      return isGone(gone) ? "deleted" : "failed";
    }
  }

  _isUntouched() {
    return this.draft.title === this._note.title && this.draft.text === this._note.text;
  }

  /** @param {Note} note */
  _take(note) {
    this._note = note;
    this.draft = { title: note.title, text: note.text };
  }

  /** @param {EditState} state */
  _move(state) {
    this.state = state;
    this._onChange();
  }
}

/** @param {unknown} error */
function isGone(error) {
  return /** @type {any} */ (error)?.code === "INVALID_INPUT";
}
