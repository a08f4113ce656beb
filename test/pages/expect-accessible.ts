import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { settle } from '#dev/tools/screenshots/photographer.ts'
import { listAxeViolations } from './axe.ts'

/**
 * Expects that axe finds nothing serious on the page in light or dark mode, and that the page needs no sideways
 * scrolling.
 */
export const expectAccessible = async (page: Page) => {
  const width = page.viewportSize()?.width
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await settle(page)
    expect(await listAxeViolations(page), `${page.url()} ${colorScheme}`).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth), page.url()).toBe(width)
  }
}
