"""Calls by Playwright's `page.evaluate`, in a browser of its own like the one of the others.

Set up with `{launch, url, function}`: what `launch` takes, the page, and the name of the page's
function that is called with the input.
"""

from __future__ import annotations

import asyncio
import json
import sys

from playwright.async_api import async_playwright

from scripts.benchmarks.caller import Job, Measured, serve, timed


async def main() -> None:
    """Serve jobs."""
    set_up = json.loads(sys.stdin.readline())
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**set_up["launch"])
        page = await browser.new_page()
        await page.goto(set_up["url"])
        expression = f"input => {set_up['function']}(input)"

        async def run(job: Job) -> Measured:
            async def send() -> None:
                await page.evaluate(expression, job["input"])

            return await timed([send] * job["callers"], job["calls"])

        await serve(run, "ready")
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
