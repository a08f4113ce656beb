import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { listAxeViolations } from './axe.ts'

// Colours change over a fraction of a second, in which they have any contrast. As text: see `axe.ts`.
const completeTransitions = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  .then(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)))`

/** Expects that axe finds nothing serious on the page in light and dark, and that it needs no sideways scroll. */
export const expectAccessible = async (page: Page) => {
  const width = page.viewportSize()?.width
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(completeTransitions)
    expect(await listAxeViolations(page), `${page.url()} ${colorScheme}`).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth), page.url()).toBe(width)
  }
}
