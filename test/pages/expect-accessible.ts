import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { listLayoutFaults } from '#dev/tools/screenshots/layout-faults.ts'
import { settle } from '#dev/tools/screenshots/photographer.ts'
import { listAxeViolations } from './axe.ts'

/**
 * Expects that axe finds nothing serious on the page in light or dark mode, and that nothing on it is clipped, overflows
 * or has to be scrolled sideways.
 */
export const expectAccessible = async (page: Page) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await settle(page)
    expect(await listAxeViolations(page), `${page.url()} ${colorScheme}`).toEqual([])
    expect(await listLayoutFaults(page), `${page.url()} ${colorScheme}`).toEqual([])
  }
}
