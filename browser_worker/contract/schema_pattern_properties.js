// @ts-check
/**
 * The properties of characters that a pattern may ask for by `\p{...}`. A closed list, the same in
 * both languages: what every engine knows by these very names. The engines' tables are of different
 * years, so that a character younger than the older of two may be a letter here and unassigned there.
 */

const CATEGORIES =
  "C Other Cc Control cntrl Cf Format Cn Unassigned Co Private_Use " +
  "L Letter LC Cased_Letter Ll Lowercase_Letter Lm Modifier_Letter Lo Other_Letter " +
  "Lt Titlecase_Letter Lu Uppercase_Letter M Mark Combining_Mark Mc Spacing_Mark " +
  "Me Enclosing_Mark Mn Nonspacing_Mark N Number Nd Decimal_Number digit Nl Letter_Number " +
  "No Other_Number P Punctuation punct Pc Connector_Punctuation Pd Dash_Punctuation " +
  "Pe Close_Punctuation Pf Final_Punctuation Pi Initial_Punctuation Po Other_Punctuation " +
  "Ps Open_Punctuation S Symbol Sc Currency_Symbol Sk Modifier_Symbol Sm Math_Symbol " +
  "So Other_Symbol Z Separator Zl Line_Separator Zp Paragraph_Separator Zs Space_Separator";
const BINARY =
  "ASCII Any Assigned Alphabetic Lowercase Uppercase White_Space ID_Start ID_Continue " +
  "Ideographic Emoji";
const SCRIPTS =
  "Arabic Armenian Bengali Bopomofo Cherokee Common Coptic Cyrillic Devanagari Ethiopic " +
  "Georgian Gothic Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Inherited Kannada " +
  "Katakana Khmer Lao Latin Malayalam Mongolian Myanmar Ogham Oriya Runic Sinhala Syriac " +
  "Tamil Telugu Thaana Thai Tibetan";

/** @type {ReadonlySet<string>} */
export const PROPERTIES = new Set([
  ...CATEGORIES.split(" "),
  ...BINARY.split(" "),
  ...["General_Category", "gc"].flatMap((key) =>
    CATEGORIES.split(" ").map((name) => `${key}=${name}`),
  ),
  ...["Script", "sc"].flatMap((key) => SCRIPTS.split(" ").map((name) => `${key}=${name}`)),
]);
