import { defineConfig } from "@playwright/test";

/** The app is served by whoever runs this, at APP_URL; LAUNCH_OPTIONS name the browser. */
export default defineConfig({
  testDir: ".",
  outputDir: process.env.OUTPUT_DIR,
  workers: 1,
  reporter: "list",
  use: {
    baseURL: process.env.APP_URL,
    browserName: process.env.BROWSER_NAME,
    launchOptions: JSON.parse(process.env.LAUNCH_OPTIONS),
    basculeOptions: { channel: process.env.CHANNEL !== "off" },
  },
});
