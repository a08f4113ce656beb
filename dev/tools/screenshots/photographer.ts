import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { listAxeViolations } from '#test/pages/axe.ts'
import { listLayoutFaults } from './layout-faults.ts'

const widths = [1440, 1280, 768, 360] as const
// axe takes a second per picture. What it finds at the other widths, it also finds at these two.
const axeWidths: readonly number[] = [1280, 360]
const schemes = ['light', 'dark'] as const

/**
 * Takes pictures of what a page shows: one for each width and colour scheme, in files whose names begin with `name`.
 */
export type TakePictures = (page: Page, name: string) => Promise<void>

// A spinner's animation never ends, and a browser under load may pause other animations.
const settleTimeoutMs = 2000

/** Waits until fields and buttons have changed their colours, which takes a fraction of a second. */
export const settle = (page: Page) =>
  // Passed as text, because Vitest renames imports in functions.
  page.evaluate(`Promise.race([
    new Promise((resolve) => setTimeout(resolve, ${settleTimeoutMs})),
    new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
      Promise.allSettled(
        document.getAnimations()
          .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
          .map(({ finished }) => finished),
      )),
  ])`)

export const createPhotographer = (folder: string, prefixes: readonly string[]) => {
  const faults: string[] = []

  const takePictures: TakePictures = async (page, name) => {
    if (!prefixes.some((prefix) => name.startsWith(prefix))) return
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        await settle(page)
        const violations = axeWidths.includes(width) ? await listAxeViolations(page) : []
        const found = [...(await listLayoutFaults(page)), ...violations]
        faults.push(...found.map((fault) => `${name} at ${width} px, ${colorScheme}: ${fault}`))
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true })
      }
    }
    process.stdout.write(`${name}\n`)
  }
  return { takePictures, faults }
}
