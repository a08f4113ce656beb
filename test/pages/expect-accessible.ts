import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { listAxeViolations } from './axe.ts'

// While colours are changing, for a fraction of a second, the contrast can be anything. Passed as text: see `axe.ts`.
const completeTransitions = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  .then(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)))`

/**
 * Expects that axe finds nothing serious on the page in light or dark mode, and that the page needs no sideways
 * scrolling.
 */
export const expectAccessible = async (page: Page) => {
  const width = page.viewportSize()?.width
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(completeTransitions)
    expect(await listAxeViolations(page), `${page.url()} ${colorScheme}`).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth), page.url()).toBe(width)
  }
}
