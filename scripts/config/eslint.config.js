// @ts-check
import js from "@eslint/js";
import globals from "globals";

const pureRooms = ["browser_worker/contract/**/*.js", "browser_worker/dispatcher/**/*.js"];

export default [
  { ignores: ["node_modules/", ".venv/", "dist/", "build/", "test-results/"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "text from a call must never become markup" },
        { property: "__proto__", message: "use Object.getPrototypeOf" },
      ],
    },
  },
  { files: pureRooms, languageOptions: { globals: {} } },
  {
    files: ["browser_worker/{link,webmcp,kernel,app,testing}/**/*.js"],
    languageOptions: { globals: globals.browser },
  },
  { files: ["browser_worker/link/worker.js"], languageOptions: { globals: globals.worker } },
  { files: ["browser_worker/demo/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["browser_worker/node/**/*.js"], languageOptions: { globals: globals.node } },
  {
    files: ["tests/javascript/**/*.js", "tests/peers/**/*.mjs", "scripts/**/*.{js,mjs}"],
    languageOptions: { globals: globals.node },
  },
  {
    files: ["scripts/config/bundle_entry.js"],
    languageOptions: { globals: { ...globals.worker, require: "readonly" } },
  },
];
