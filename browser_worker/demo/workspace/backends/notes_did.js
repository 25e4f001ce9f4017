// @ts-check
/** What the notes' backend offers, in Candid: all that its schemas are made of. */

export const NOTES_DID = `
type Note = record {
  id : nat64;
  title : text;
  text : text;
  revision : nat64;
  // Milliseconds since 1970.
  changed_at : nat64;
};

// As many as one answer carries, and the id to go on from where there are more.
type Page = record { notes : vec Note; next : opt nat64 };

service : {
  // Notes in the order of their ids, after one. Fresh: nothing was ever kept, not even nothing.
  list : (after : opt nat64) -> (variant { fresh; page : Page }) query;
  // Full: some of them may not have been kept.
  save : (notes : vec Note) -> (variant { ok; full });
  remove : (ids : vec nat64) -> ();
}
`;
